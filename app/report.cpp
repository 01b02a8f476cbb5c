#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "errors.h"
#include "gpusim/estimate/critical_path.h"
#include "gpusim/view/derivation.h"
#include "gpusim/view/json.h"
#include "gpusim/view/text.h"

namespace app {

namespace {

const std::vector<std::string> all_views{"text", "derivation"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// One sentence, in lines as long as the text's.
std::string hint_section(std::string_view hint) {
  constexpr std::size_t widest = 118;
  std::string text = "\nHint\n";
  while (!hint.empty()) {
    const std::size_t end = hint.size() <= widest ? hint.size() : hint.rfind(' ', widest);
    text += "  " + std::string(hint.substr(0, end)) + "\n";
    hint.remove_prefix(std::min(end + 1, hint.size()));
  }
  return text;
}

}  // namespace

OptionGroup report_option_group() {
  return {"Output",
          {{"view", "LIST", "text (default), derivation, or both: text,derivation"},
           {"json", "FILE|-", "also write the result as JSON; - is standard output, which then has nothing else"}}};
}

Report::Report(const Options& options, CommandFiles& files, Problems& problems) {
  const auto path = options.value("json");
  if (const auto list = options.value("view")) {
    for (const std::string& view : split(*list, ',')) {
      if (!contains(all_views, view)) refuse_choice(view, "--view", "view", all_views, problems);
      if (!contains(views_, view)) views_.push_back(view);
    }
  } else if (path != "-") {
    views_.emplace_back("text");
  }
  try {
    if (path) json_.emplace(*path, "--json", files);
  } catch (const gpusim::InputError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

void Report::check(const std::vector<gpusim::Schedule>& schedules, Problems& problems) const {
  if (!contains(views_, "derivation") || schedules.size() == 1) return;
  std::string names;
  for (const gpusim::Schedule& each : schedules) names += (names.empty() ? "" : ", ") + ("'" + each.name + "'");
  problems.push_back(
      {"--view", fmt::format("a derivation is of one kernel; there are {}: {}", schedules.size(), names)});
}

void Report::add(std::string key, const std::string& json) { more_.emplace_back(std::move(key), json); }

void Report::hint(const std::string& sentence) {
  if (sentence.empty()) return;
  add("hint", nlohmann::json(sentence).dump());
  if (contains(views_, "text")) hint_ = hint_section(sentence);
}

std::string Report::with_more(const std::string& json) const {
  if (more_.empty()) return json;
  auto object = nlohmann::ordered_json::parse(json);
  for (const auto& [key, value] : more_) object[key] = nlohmann::ordered_json::parse(value);
  constexpr int indent = 2;
  return object.dump(indent) + "\n";
}

void Report::write(const gpusim::Result& result, const std::vector<gpusim::Schedule>& schedules,
                   const gpusim::RunOptions& options, const std::string& remark) {
  std::string page;
  for (const std::string& view : views_) {
    if (!page.empty()) page += "\n";
    if (view == "text") page += gpusim::view::text(result);
    if (view == "derivation")
      page +=
          gpusim::view::derivation(result, gpusim::estimate::critical_path(schedules.front(), result.profile, options));
  }
  page += remark + hint_;

  // What cannot be written must not cost what can.
  Problems problems;
  const auto attempt = [&](const auto& write_one) {
    try {
      write_one();
    } catch (const gpusim::InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  };
  if (json_) attempt([&] { json_->commit(with_more(gpusim::view::json(result))); });
  if (json_ && json_->is_standard_output()) {
    std::fputs(page.c_str(), stderr);
  } else {
    attempt([&] { print(page); });
  }
  refuse(std::move(problems));
}

}  // namespace app
