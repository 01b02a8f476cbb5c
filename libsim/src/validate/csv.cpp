#include "validate/csv.h"

#include <algorithm>
#include <utility>

namespace gpusim::validate {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  std::vector<CsvRecord> records() {
    std::vector<CsvRecord> all;
    while (position_ < text_.size()) {
      if (line_ends_here()) {
        pass_line_end();
        continue;
      }
      const std::size_t begin = position_;
      CsvRecord record = next();
      if (!record.problem.empty()) {
        position_ = begin;
        line_ = record.line;
        pass_line();
      }
      all.push_back(std::move(record));
    }
    return all;
  }

 private:
  CsvRecord next() {
    CsvRecord record{line_, {}, ""};
    while (true) {
      record.fields.push_back(at('"') ? quoted(record) : plain(record));
      if (!record.problem.empty()) return record;
      if (at(',')) {
        ++position_;
        continue;
      }
      pass_line_end();
      return record;
    }
  }

  std::string plain(CsvRecord& record) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && text_[position_] != ',' && !line_ends_here()) {
      if (text_[position_] == '"') {
        record.problem = "a quote within a field that does not begin with one";
        return "";
      }
      ++position_;
    }
    return std::string(text_.substr(begin, position_ - begin));
  }

  std::string quoted(CsvRecord& record) {
    std::string field;
    for (++position_; position_ < text_.size(); ++position_) {
      const char letter = text_[position_];
      if (letter == '\n') ++line_;
      if (letter != '"') {
        field += letter;
      } else if (position_ + 1 < text_.size() && text_[position_ + 1] == '"') {
        field += text_[++position_];
      } else {
        ++position_;
        if (position_ < text_.size() && !at(',') && !line_ends_here()) record.problem = "text after a closing quote";
        return field;
      }
    }
    record.problem = "a quote that is never closed";
    return "";
  }

  [[nodiscard]] bool at(char letter) const { return position_ < text_.size() && text_[position_] == letter; }

  [[nodiscard]] bool line_ends_here() const { return at('\n') || text_.substr(position_).starts_with("\r\n"); }

  void pass_line_end() {
    if (position_ >= text_.size()) return;
    position_ += at('\r') ? 2 : 1;
    ++line_;
  }

  void pass_line() {
    position_ = std::min(text_.find('\n', position_), text_.size());
    pass_line_end();
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

std::vector<CsvRecord> parse_csv(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return CsvReader(text).records();
}

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (const char letter : field) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += csv_field(field) + ",";
  if (!line.empty()) line.pop_back();
  return line + "\n";
}

}  // namespace gpusim::validate
