// The published microbenchmarks, all of them, against what docs/validation.md says of them. tests/validation/update
// writes the table of scores anew; the ledger of known gaps is written by people.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "gpusim/profile_io.h"
#include "gpusim/validate_anchors.h"
#include "support/validation_page.h"

namespace gpusim::anchors_test {

using namespace gpusim::validate;

namespace {

const AnchorReport& report() {
  static const AnchorReport report = anchors();
  return report;
}

std::string gap(const AnchorCheck& check) { return check.anchor + " " + check.gpu + ": " + check.quantity; }

/// The lines "* DR-05 h200-sxm: read, 512 threads a CTA" of the ledger.
std::set<std::string> gaps_of_ledger() {
  std::istringstream ledger(validation_page::section("Known gaps"));
  std::set<std::string> gaps;
  for (std::string line; std::getline(ledger, line);)
    if (line.starts_with("* ")) gaps.insert(line.substr(2));
  return gaps;
}

std::string gpus_of(const std::string& anchor) {
  std::string text;
  for (const AnchorCheck& check : report().checks)
    if (check.anchor == anchor && text.find(check.gpu) == std::string::npos)
      text += (text.empty() ? "" : ", ") + check.gpu;
  return text;
}

long inputs_of(const std::string& anchor) {
  return std::count_if(report().checks.begin(), report().checks.end(), [&](const AnchorCheck& check) {
    return check.anchor == anchor && check.verdict == Verdict::input;
  });
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

/// Of the counted anchors that this project measured itself, or of the others.
double mean_score(bool own) {
  std::set<std::string> measured_here;
  for (const auto& check : report().checks)
    if (check.source.starts_with("tests/validation/data/silicon")) measured_here.insert(check.anchor);
  double sum = 0;
  int counted = 0;
  for (const auto& anchor : report().anchors) {
    if (!anchor.score || measured_here.contains(anchor.anchor) != own) continue;
    sum += *anchor.score;
    ++counted;
  }
  return sum / counted;
}

/// The table of scores, as the page has it.
std::string table() {
  std::ostringstream text;
  text << "| anchor | | GPUs | input | counted | pass | score |\n|---|---|---|--:|--:|--:|--:|\n";
  for (const AnchorScore& anchor : report().anchors) {
    if (!anchor.note.empty()) continue;
    text << "| " << anchor.anchor << " | " << anchor.title << " | " << gpus_of(anchor.anchor) << " | "
         << inputs_of(anchor.anchor) << " | " << anchor.counted << " | " << anchor.passed << " | "
         << (anchor.score ? percent(*anchor.score) : "-") << " |\n";
  }
  text << "\nMean over counted anchors: " << percent(report().score.value()) << "; of the published ones alone "
       << percent(mean_score(false)) << ".\n";
  return text.str();
}

/// Where the page has the table.
std::pair<std::size_t, std::size_t> table_of(const std::string& text) {
  const std::size_t begin = text.find("| anchor |");
  const std::size_t mean = text.find("\nMean over counted anchors", begin);
  REQUIRE(mean != std::string::npos);
  return {begin, text.find('\n', mean + 1) + 1};
}

}  // namespace

TEST_CASE("the mean score of the counted published anchors is at least nine tenths, that of our own seven tenths") {
  CHECK(mean_score(false) >= 0.9);
  CHECK(mean_score(true) >= 0.7);
}

TEST_CASE("the table of scores says what the anchors score now") {
  const std::string text = validation_page::text();
  const auto [begin, end] = table_of(text);
  if (std::getenv("GPUSIM_UPDATE_VALIDATION") != nullptr) {
    std::ofstream(validation_page::path) << text.substr(0, begin) << table() << text.substr(end);
  } else {
    CHECK(text.substr(begin, end - begin) == table());
  }
}

TEST_CASE("the README says of the published anchors what the table does") {
  const std::string text = validation_page::text();
  const std::string before = "of the published ones alone ";
  const std::size_t begin = text.find(before);
  REQUIRE(begin != std::string::npos);
  const std::string share = text.substr(begin + before.size(), text.find('.', begin) - begin - before.size());
  std::ostringstream readme;
  readme << std::ifstream(std::string(GPUSIM_SOURCE_DIR) + "/README.md").rdbuf();
  CHECK_MESSAGE(readme.str().find("on average " + share + " of their figures") != std::string::npos, share);
}

TEST_CASE("every check that misses is a known gap") {
  const std::set<std::string> gaps = gaps_of_ledger();
  for (const AnchorCheck& check : report().checks) {
    if (check.verdict != Verdict::miss) continue;
    CAPTURE(check.simulated.value_or(0));
    CAPTURE(check.note);
    CHECK_MESSAGE(gaps.count(gap(check)) == 1, "not in the ledger of docs/validation.md: " << gap(check));
  }
}

TEST_CASE("every known gap is still one") {
  std::set<std::string> misses;
  for (const AnchorCheck& check : report().checks)
    if (check.verdict == Verdict::miss) misses.insert(gap(check));
  for (const std::string& known : gaps_of_ledger())
    CHECK_MESSAGE(misses.count(known) == 1, "the ledger of docs/validation.md has a gap that is none: " << known);
}

TEST_CASE("a GPU alone reads as it does among all") {
  const AnchorReport alone = anchors(load_profile("textbook-2020"));
  REQUIRE(alone.anchors.size() == 1);
  for (const AnchorCheck& check : alone.checks) CHECK(check.gpu == "textbook-2020");
  for (const AnchorCheck& check : alone.checks) {
    const auto same = std::find_if(report().checks.begin(), report().checks.end(), [&](const AnchorCheck& other) {
      return other.gpu == check.gpu && other.quantity == check.quantity;
    });
    REQUIRE(same != report().checks.end());
    CHECK(same->simulated == check.simulated);
  }
}

}  // namespace gpusim::anchors_test
