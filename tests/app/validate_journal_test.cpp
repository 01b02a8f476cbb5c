// gpusim validate: what is kept of a comparison that did not end, and for whom.
#include <doctest/doctest.h>

#include "support/gemm_table_file.h"

namespace gpusim::validate_journal_test {

using namespace gpusim::testing;

TEST_CASE("a run that was broken off goes on from the journal beside its output") {
  constexpr int many = 2000;
  std::string all = good_row;
  for (int i = 1; i < many; ++i) all += "V100,1024,1024,1024,1,fp16,fp32,," + std::to_string(10 + i) + ",A,\n";
  const GemmTableFile table(all);
  const std::string rows = table.folder / "rows.csv";
  const std::string journal = rows + ".journal";
  write(rows, "old");
  const Said broken =
      gpusim_command("validate --gemm " + table.path + " --rows " + rows, "timeout --preserve-status -s INT 3");
  CHECK(broken.code == 130);
  CHECK(has(broken.err, "interrupted within 2000 rows; what is done is kept in " + journal));
  CHECK(contents(rows) == "old");
  CHECK(table.folder.files() == 3);
  const std::string kept = contents(journal);
  REQUIRE(has(kept, "{\"line\":2,"));
  CHECK_FALSE(has(kept, "{\"line\":2001,"));

  SUBCASE("rows it has are not simulated again, and it is gone in the end") {
    // All other rows as if they had been done, and a line that was broken off.
    std::string done = kept;
    for (int line = 3; line <= many + 1; ++line)
      done += "{\"line\":" + std::to_string(line) +
              R"(,"simulated_us":12.5,"roofline_us":1,"clock_mhz":1000,"schedule":"s","bound":"b","refused":""})" +
              "\n";
    write(journal, done + "{\"line\":2,\"simul");
    CHECK(table.validate("--rows " + rows).code == 0);
    CHECK(has(contents(rows), ",A,,12.5,"));
    CHECK(table.folder.files() == 2);
  }
  SUBCASE("that of another table is refused") {
    write(table.path, gemm_header + good_row);
    const Said said = table.validate("--rows " + rows);
    CHECK(said.code == 1);
    CHECK(has(said.err, journal + ": is the journal of another table, version, "));
    CHECK(contents(journal) == kept);
  }
  SUBCASE("that of a run with other numbers in the profiles is refused") {
    const Said said = table.validate("--gpu V100 --set clock.boost_mhz=1400 --rows " + rows);
    CHECK(said.code == 1);
    CHECK(has(said.err, journal + ": is the journal of another table, version, "));
    CHECK(contents(journal) == kept);
  }
  SUBCASE("one without a row stays where it was there before: another run may have begun it") {
    const std::string begun = kept.substr(0, kept.find('\n') + 1);
    write(journal, begun);
    (void)gpusim_command("validate --gemm " + table.path + " --rows " + rows,
                         "timeout --preserve-status -s INT 0.05");  // within the first row
    CHECK(contents(journal).starts_with(begun));
  }
  SUBCASE("what is no journal is refused, whether or not its line ends") {
    write(journal, "notes");
    CHECK(has(table.validate("--rows " + rows).err, journal + ": is not a journal"));
    CHECK(contents(journal) == "notes");
  }
  SUBCASE("neither the table nor the journal is an output") {
    CHECK(has(table.validate("--rows " + table.path).err, "--rows: " + table.path + " is read by this command"));
    CHECK(has(table.validate("--rows " + rows + " --json " + journal).err, "is written because of --json, too"));
    CHECK(contents(journal) == kept);
  }
  SUBCASE("one that was changed is refused") {
    write(journal, kept + "{\"line\":\n");
    const Said said = table.validate("--rows " + rows);
    CHECK(said.code == 1);
    CHECK(has(said.err, journal + ": is not a journal"));
  }
}

TEST_CASE(
    "a run that ends takes its rows out of the journal; those of another selection stay, and the last go with it") {
  if (!std::filesystem::exists("/dev/full")) return;
  const GemmTableFile table(good_row + other_row);
  const std::string rows = table.folder / "rows.csv";
  const std::string journal = rows + ".journal";
  CHECK(table.validate("--tier B --rows " + rows + " --json /dev/full").code == 1);  // not all was written: it is kept
  const std::string of_b = contents(journal);
  REQUIRE(has(of_b, "{\"line\":3,"));
  CHECK(table.validate("--tier A --rows " + rows).code == 0);
  CHECK(contents(journal) == of_b);
  CHECK(table.folder.files() == 3);
  CHECK(table.validate("--tier B --rows " + rows).code == 0);
  CHECK(table.folder.files() == 2);
}

TEST_CASE("the journal of rows on another profile is refused, and the profile is no output") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Folder folder;
  const std::string base = folder / "base.json";
  const std::string gpu = folder / "own.json";
  write(base, gpusim_command("arch show V100 --json").out);
  write(gpu, R"({"base": "base.json", "name": "own", "title": "Own"})");
  write(folder / "t.csv", gemm_header + gpu + good_row.substr(good_row.find(',')));
  const auto validate = [&](const std::string& options) {
    return gpusim_command("validate --gemm " + (folder / "t.csv") + " --rows " + options);
  };
  CHECK(validate((folder / "r.csv") + " --json /dev/full").code == 1);
  write(base, gpusim_command("arch show V100 --set l2.latency=300 --json").out);
  const Said said = validate(folder / "r.csv");
  CHECK(said.code == 1);
  CHECK(has(said.err, "r.csv.journal: is the journal of another table, version, profile, "));
  CHECK(has(validate(base).err, "--rows: " + base + " is read by this command"));
}

TEST_CASE("the journal of one kind of table is not another's") {
  const Folder folder;
  write(folder / "r.csv.journal", "{\"journal\":\"gpusim validate --gemm\"}\n");
  write(folder / "k.csv", "gpu,op,shape,dtype,time_us\nV100,relu(torch),256x256,fp32,5\n");
  const Said said = gpusim_command("validate --kernels " + (folder / "k.csv") + " --rows " + (folder / "r.csv"));
  CHECK(said.code == 1);
  CHECK(has(said.err, "r.csv.journal: is the journal of another table, version, "));
}

}  // namespace gpusim::validate_journal_test
