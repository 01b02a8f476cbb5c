#include "row_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "errors.h"
#include "gpusim/version.h"

namespace app {

namespace {

using gpusim::validate::RowOutcome;
using Json = nlohmann::ordered_json;

constexpr const char* output_name = "the journal";
constexpr std::size_t longest_journal = std::size_t{256} << 20;

/// FNV-1a: enough to tell tables apart that differ by accident.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return hash;
}

std::string line_of(std::int64_t line, const RowOutcome& outcome) {
  Json json{{"line", line}};
  if (outcome.simulated_us) json["simulated_us"] = *outcome.simulated_us;
  json["roofline_us"] = outcome.roofline_us;
  json["clock_mhz"] = outcome.clock_mhz;
  json["schedule"] = outcome.schedule;
  json["bound"] = outcome.bound;
  json["refused"] = outcome.refused;
  return json.dump() + "\n";
}

RowOutcome outcome_of(const Json& json) {
  RowOutcome outcome;
  if (json.contains("simulated_us")) outcome.simulated_us = json.at("simulated_us").get<double>();
  json.at("roofline_us").get_to(outcome.roofline_us);
  json.at("clock_mhz").get_to(outcome.clock_mhz);
  json.at("schedule").get_to(outcome.schedule);
  json.at("bound").get_to(outcome.bound);
  json.at("refused").get_to(outcome.refused);
  return outcome;
}

std::string header_of(const JournaledRun& run) {
  const Json json{{"journal", run.command},
                  {"version", gpusim::version()},
                  {"table", fmt::format("{:016x}", digest(run.table))},
                  {"profiles", fmt::format("{:016x}", digest(run.profiles))},
                  {"clock", run.clock}};
  return json.dump() + "\n";
}

/// Cuts the first line off, its end included; one without an end was broken off and is no line.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

RowJournal::RowJournal(std::string path, const JournaledRun& run, CommandFiles& files)
    : path_(std::move(path)), files_(files), header_(header_of(run)) {
  files.add_output(path_, output_name);
  std::string text;
  if (std::filesystem::exists(path_)) text = read_text(path_, longest_journal);
  std::string_view rest = text;
  const auto first = take_line(rest);
  if (!first && !header_.starts_with(text)) refuse({{path_, "is not a journal; remove it, or write elsewhere"}});
  if (first && !text.starts_with(header_))
    refuse({{path_,
             "is the journal of another table, version, profile, --clock, --set or --waves; remove it, or write "
             "elsewhere"}});
  try {
    while (const auto line = take_line(rest)) {
      const Json json = Json::parse(*line);
      outcomes_.insert_or_assign(json.at("line").get<std::int64_t>(), outcome_of(json));
    }
  } catch (const Json::exception&) {
    refuse({{path_, "is not a journal, or was changed; remove it, or write elsewhere"}});
  }
  is_empty_ = outcomes_.empty();
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
  // A last line that was broken off is written over.
  const auto whole = static_cast<off_t>(text.size() - rest.size());
  if (::ftruncate(descriptor_, whole) != 0 || ::lseek(descriptor_, 0, SEEK_END) < 0) fail(errno);
  begun_here_ = !first;
  if (begun_here_) write(header_);
}

RowJournal::~RowJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (begun_here_ && is_empty_) (void)remove();  // else it may be another run's, whose first row is not done yet
}

std::map<std::size_t, RowOutcome> RowJournal::read(const gpusim::validate::MeasuredRows& table) const {
  std::map<std::size_t, RowOutcome> known;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (const auto found = outcomes_.find(table.rows[row]->line); found != outcomes_.end())
      known.emplace(row, found->second);
  return known;
}

void RowJournal::add(std::int64_t line, const RowOutcome& outcome) {
  write(line_of(line, outcome));
  is_empty_ = false;
}

void RowJournal::finish(const gpusim::validate::MeasuredRows& table, const std::vector<std::size_t>& rows) {
  for (const std::size_t row : rows) outcomes_.erase(table.rows[row]->line);
  begun_here_ = false;  // what is there from now on is another run's
  if (outcomes_.empty()) {
    if (!remove()) fail(errno);
    return;
  }
  std::string text = header_;
  for (const auto& [line, outcome] : outcomes_) text += line_of(line, outcome);
  OutputFile(path_, output_name, files_).commit(text);
}

bool RowJournal::remove() { return ::unlink(path_.c_str()) == 0 || errno == ENOENT; }

void RowJournal::write(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

void RowJournal::fail(int error) const {
  throw gpusim::InputError({{path_, fmt::format("cannot be written: {}", std::generic_category().message(error))}});
}

}  // namespace app
