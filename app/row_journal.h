// What a comparison of measured rows has done so far, so that one that was broken off goes on where it was.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"
#include "gpusim/measured.h"

namespace app {

/// What an outcome depends on beside its row. Runs with the same may share a journal.
struct JournaledRun {
  std::string command;
  std::string table;     ///< its text
  std::string profiles;  ///< of its rows, as text
  std::string clock;     ///< and other options
};

/// A file beside the output: a line that says of which run, then a line for each row done. One that it began and
/// that has no row is not left behind: it says nothing that a new one would not.
class RowJournal {
 public:
  /// Throws InputError when what is at `path` is another run's, another of `files`, or cannot be written.
  RowJournal(std::string path, const JournaledRun& run, CommandFiles& files);
  ~RowJournal();
  RowJournal(const RowJournal&) = delete;
  RowJournal& operator=(const RowJournal&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// No row is in the file.
  [[nodiscard]] bool is_empty() const { return is_empty_; }

  /// Outcomes by row number of the table.
  [[nodiscard]] std::map<std::size_t, gpusim::validate::RowOutcome> read(
      const gpusim::validate::MeasuredRows& table) const;

  /// A row, by the line where it begins. Throws InputError when it cannot be written.
  void add(std::int64_t line, const gpusim::validate::RowOutcome& outcome);

  /// The run of these rows of the table is done: the file keeps those of another selection, and goes when there are
  /// none. Throws InputError when it can do neither; then it is as it was.
  void finish(const gpusim::validate::MeasuredRows& table, const std::vector<std::size_t>& rows);

 private:
  [[nodiscard]] bool remove();
  void write(std::string_view line);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  CommandFiles& files_;
  std::string header_;
  std::map<std::int64_t, gpusim::validate::RowOutcome> outcomes_;  ///< by line; what was there before
  int descriptor_ = -1;
  bool is_empty_ = true;
  bool begun_here_ = false;  ///< the file's first line is this object's
};

}  // namespace app
