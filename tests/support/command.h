// Runs the gpusim command as a user would, and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gpusim::testing {

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder of its own that is removed again.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpusim-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

struct Said {
  int code = -1;
  std::string out;
  std::string err;
};

/// The command with `arguments`, as a shell reads them; `limits` is put before it ("ulimit -v ...;").
inline Said gpusim_command(const std::string& arguments, const std::string& limits = "") {
  const Folder folder;
  const std::string out = folder / "out", err = folder / "err";
  // Redirections among the arguments come later, and so win.
  const std::string line = limits + " '" + GPUSIM_COMMAND + "' >'" + out + "' 2>'" + err + "' " + arguments;
  const int status = std::system(line.c_str());  // NOLINT(cert-env33-c): a shell is what is asked for
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
}

}  // namespace gpusim::testing
