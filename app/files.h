// Files and standard output, whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

/// The file's text. Throws InputError when it cannot be read or is longer than `limit` bytes.
[[nodiscard]] std::string read_text(const std::string& path, std::size_t limit);

/// Keeps files from taking the place of a standard stream that was closed before the command began: writing there still
/// fails. Call first of all.
void hold_standard_streams();

/// Writes to standard output. Throws InputError when it does not take everything.
void print(std::string_view text);

/// The files of one command. None that it reads, or writes because of another option, is written.
class CommandFiles {
 public:
  /// The command reads the file at `path`. Throws InputError when it is one that the command writes.
  void add_input(const std::string& path);
  /// The command writes a file at `path`, because of `option`. Throws InputError when it reads it, or writes it because
  /// of another one.
  void add_output(const std::string& path, const std::string& option);

 private:
  std::vector<std::filesystem::path> read_;
  std::vector<std::pair<std::filesystem::path, std::string>> written_;  ///< and by which option
};

/// A file that will be written: whether it can be is known at once, and its old contents stay until commit(). Until
/// then there is nothing new beside it, so that whatever ends the command leaves nothing.
class OutputFile {
 public:
  /// Throws InputError when nothing can be written at `path`, or it is another of `files`; "-" is standard output.
  OutputFile(std::string path, std::string option, CommandFiles& files);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }

  /// Throws InputError when the text does not get there; the file is then as it was.
  void commit(std::string_view text);

 private:
  [[noreturn]] void fail(int error);

  std::string path_;
  std::string option_;   ///< that named it, for messages
  int descriptor_ = -1;  ///< where it is written directly: a device, a pipe
};

}  // namespace app
