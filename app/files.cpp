#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "errors.h"

namespace app {

namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

/// 0, or why not everything was written.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// The permissions a new file gets, or those of the file it replaces.
mode_t permissions_for(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 0777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

/// A new file beside another one, gone again unless it took its place.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) : name_(beside + ".XXXXXX"), descriptor_(::mkstemp(name_.data())) {
    if (descriptor_ < 0) error_ = errno;
  }
  ~Temporary() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (error_ == 0 && !name_.empty()) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  /// 0, or why it could not be made.
  [[nodiscard]] int error() const { return error_; }

  /// 0, or why the file at `path` is not the text now; then it is as it was.
  int replace(const std::string& path, std::string_view text) {
    if (const int error = write_all(descriptor_, text); error != 0) return error;
    if (::fchmod(descriptor_, permissions_for(path)) != 0) return errno;
    if (::close(std::exchange(descriptor_, -1)) != 0) return errno;
    if (std::rename(name_.c_str(), path.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;  ///< "" once it has the other's
  int descriptor_;
  int error_ = 0;
};

/// One name for each file, whatever leads to it.
fs::path one_name(const std::string& path) {
  std::error_code error;
  fs::path name = fs::absolute(path, error);
  if (!error) name = fs::weakly_canonical(name, error);
  return error ? fs::path(path) : name;
}

}  // namespace

void CommandFiles::add_input(const std::string& path) {
  const fs::path name = one_name(path);
  for (const auto& [written, option] : written_)
    if (written == name) refuse({{option, fmt::format("{} is read by this command, and would be lost", path)}});
  read_.push_back(name);
}

void CommandFiles::add_output(const std::string& path, const std::string& option) {
  const fs::path name = one_name(path);
  if (std::find(read_.begin(), read_.end(), name) != read_.end())
    refuse({{option, fmt::format("{} is read by this command, and would be lost", path)}});
  for (const auto& [written, other] : written_)
    if (written == name && other != option)
      refuse({{option, fmt::format("{} is written because of {}, too", path, other)}});
  written_.emplace_back(name, option);
}

std::string read_text(const std::string& path, std::size_t limit) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse({{path, "is a directory, not a file"}});
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse({{path, fmt::format("cannot be read: {}", reason(errno == 0 ? EIO : errno))}});
  std::string text;
  std::string block(std::size_t{1} << 16, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > limit) refuse({{path, fmt::format("is longer than {} MiB", limit >> 20)}});
  }
  if (file.bad()) refuse({{path, "cannot be read to its end"}});
  return text;
}

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) < 0) std::abort();
  }
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) return;  // the reader has what it wanted and left, as `head` does
  if (error != 0) refuse({{"standard output", fmt::format("cannot be written: {}", reason(error))}});
}

OutputFile::OutputFile(std::string path, std::string option, CommandFiles& files)
    : path_(std::move(path)), option_(std::move(option)) {
  if (is_standard_output()) return;
  if (path_.empty()) refuse({{option_, "needs the name of a file, or - for standard output"}});
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) fail(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  files.add_output(path_, option_);
  if (fs::exists(status)) {
    if (::access(path_.c_str(), W_OK) != 0) fail(errno);
    path_ = fs::canonical(path_).string();  // replace what a link points to, not the link
  }
  if (const int why = Temporary(path_).error(); why != 0) fail(why);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::commit(std::string_view text) {
  if (is_standard_output()) return print(text);
  if (descriptor_ >= 0) {
    if (const int error = write_all(descriptor_, text); error != 0) fail(error);
    return;
  }
  Temporary temporary(path_);
  const int error = temporary.error() != 0 ? temporary.error() : temporary.replace(path_, text);
  if (error != 0) fail(error);
}

void OutputFile::fail(int error) {
  throw gpusim::InputError({{option_, fmt::format("cannot write {}: {}", path_, reason(error))}});
}

}  // namespace app
