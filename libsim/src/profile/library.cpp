#include "profile/library.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "profile/document.h"

namespace gpusim::profile_detail {
bool is_path(std::string_view name) { return name.ends_with(".json") || name.find('/') != std::string_view::npos; }

Source source_of(const EmbeddedProfile& profile) {
  const std::string name(profile.name);
  return {std::string(profile.text), "arch/" + name + ".json", "built-in " + name, ""};
}

std::optional<Source> read_file(const std::string& path, const std::string& where, Problems& problems) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path file(path);
  const fs::file_status status = fs::status(file, error);
  if (!fs::is_regular_file(status)) {
    problems.add(where, !fs::exists(status)        ? "there is no file " + in_quotes(path)
                        : fs::is_directory(status) ? in_quotes(path) + " is a directory, not a file"
                                                   : in_quotes(path) + " is a pipe or a device, not a file");
    return std::nullopt;
  }
  std::ifstream stream(file, std::ios::binary);
  // One byte beyond the limit is enough to see that a file is too large, however large it is.
  std::string text(most_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (stream.gcount() == 0 && !stream.eof())) {
    problems.add(where, "cannot read " + in_quotes(path));
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const fs::path canonical = fs::weakly_canonical(file, error);
  return Source{std::move(text), path, error ? path : canonical.string(), file.parent_path().string(), path};
}

}  // namespace gpusim::profile_detail
