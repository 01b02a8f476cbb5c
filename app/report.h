// --view and --json: what becomes of a result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "gpusim/result.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"
#include "options.h"
#include "values.h"

namespace app {

[[nodiscard]] OptionGroup report_option_group();

class Report {
 public:
  /// Reads --view and --json, and makes sure that the file can be written before anything runs.
  Report(const Options& options, CommandFiles& files, Problems& problems);

  /// Refuses views that several schedules cannot have.
  void check(const std::vector<gpusim::Schedule>& schedules, Problems& problems) const;

  /// Puts a key beside those of the result in the JSON.
  void add(std::string key, const std::string& json);

  /// A sentence on what would be faster: `hint` in the JSON, and a section of the text, where there is one. None if
  /// empty.
  void hint(const std::string& sentence);

  /// Writes all that was asked for. With `--json -` standard output is JSON alone, and views that were asked for go to
  /// standard error. `remark` is printed after the views.
  void write(const gpusim::Result& result, const std::vector<gpusim::Schedule>& schedules,
             const gpusim::RunOptions& options, const std::string& remark);

 private:
  [[nodiscard]] std::string with_more(const std::string& json) const;

  std::vector<std::string> views_;
  std::optional<OutputFile> json_;
  std::string hint_;                                       ///< as the text has it
  std::vector<std::pair<std::string, std::string>> more_;  ///< keys and their JSON
};

}  // namespace app
