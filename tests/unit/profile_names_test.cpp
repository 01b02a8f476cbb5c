// What names mean.
#include "profile/names.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "gpusim/profile_io.h"
#include "support/small_profile.h"

namespace gpusim::profile_names_test {

using gpusim::profile_detail::may_mean;
using gpusim::profile_detail::name_parts;
using gpusim::profile_detail::NameParts;
using gpusim::test::contains;

namespace {

std::string refused(std::string_view name) {
  try {
    (void)load_profile(name);
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "";
}

struct Meaning {
  std::string_view name;
  std::string_view profile;
};

}  // namespace

TEST_CASE("a name is taken apart into GPU, board and memory") {
  CHECK(name_parts("A100") == NameParts{"a100", "", ""});
  CHECK(name_parts("NVIDIA A100-SXM4-80GB") == NameParts{"a100", "sxm4", "80"});
  CHECK(name_parts("a100 sxm 80 GB") == NameParts{"a100", "sxm", "80"});
  CHECK(name_parts("V100_PCIe_32GiB") == NameParts{"v100", "pcie", "32"});
  CHECK(name_parts("GeForce RTX 2080 Ti") == NameParts{"rtx2080ti", "", ""});
  CHECK(name_parts("NVIDIA GeForce RTX 4090 24GB") == NameParts{"rtx4090", "", "24"});
  CHECK(name_parts("NVIDIA") == NameParts{"", "", ""});
}

TEST_CASE("a name in one word is taken apart, too") {
  CHECK(name_parts("A100SXM480GB") == NameParts{"a100", "sxm4", "80"});
  CHECK(name_parts("a100sxm80gb") == NameParts{"a100", "sxm", "80"});
  CHECK(name_parts("a100sxm40gb") == NameParts{"a100", "sxm", "40"});
  CHECK(name_parts("v100sxm2") == NameParts{"v100", "sxm2", ""});
  CHECK(name_parts("h200sxm141gb") == NameParts{"h200", "sxm", "141"});
  CHECK(name_parts("a100pcie40gb") == NameParts{"a100", "pcie", "40"});
}

TEST_CASE("what a name leaves out may be anything, what it says must hold") {
  const NameParts card{"a100", "sxm4", "80"};
  CHECK(may_mean({"a100", "", ""}, card));
  CHECK(may_mean({"a100", "sxm", ""}, card));
  CHECK(may_mean({"a100", "sxm4", "80"}, card));
  CHECK_FALSE(may_mean({"a100", "sxm5", ""}, card));
  CHECK_FALSE(may_mean({"a100", "pcie", ""}, card));
  CHECK_FALSE(may_mean({"a100", "", "40"}, card));
  CHECK_FALSE(may_mean({"a10", "", ""}, card));
  CHECK_FALSE(may_mean({"", "sxm4", "80"}, {"", "sxm4", "80"}));
}

TEST_CASE("case, spaces, hyphens, underscores and the vendor's words do not matter") {
  for (const std::string_view name : {"rtx4090", "RTX 4090", "rtx-4090", "RTX_4090", "GeForce RTX 4090",
                                      "NVIDIA GeForce RTX 4090", "nvidia-geforce-rtx-4090"}) {
    CAPTURE(name);
    CHECK(load_profile(name).name == "rtx4090");
  }
  CHECK(load_profile("Tesla T4").name == "t4");
  CHECK(load_profile("Quadro RTX A6000").name == "rtx-a6000");
}

TEST_CASE("board and memory may be left out, or given, where one profile fits") {
  for (const auto& [name, profile] : std::initializer_list<Meaning>{{"H200", "h200-sxm"},
                                                                    {"H200-SXM-141GB", "h200-sxm"},
                                                                    {"A40", "a40"},
                                                                    {"A40 PCIe 48GB", "a40"},
                                                                    {"TITAN RTX", "titan-rtx"},
                                                                    {"TITAN V", "titan-v"},
                                                                    {"RTX 2080 Ti", "rtx2080ti"},
                                                                    {"RTX 2070 Super", "rtx2070s"},
                                                                    {"RTX2070S", "rtx2070s"},
                                                                    {"A6000", "rtx-a6000"},
                                                                    {"RTX A6000", "rtx-a6000"},
                                                                    {"L40S PCIe", "l40s"},
                                                                    {"H800", "h800-pcie"},
                                                                    {"H100 PCIe", "h100-pcie"},
                                                                    {"H100-SXM5-80GB", "h100-sxm"},
                                                                    {"V100-PCIE-32GB", "v100-pcie"},
                                                                    {"V100-PCIE-16GB", "v100-pcie-16gb"},
                                                                    {"V100-SXM2-16GB", "v100-sxm2"},
                                                                    {"V100-SXM2-32GB", "v100-sxm2-32gb"},
                                                                    {"V100-SXM2", "v100-sxm2"},
                                                                    {"A100-PCIE-40GB", "a100-pcie-40gb"},
                                                                    {"A100-PCIE-80GB", "a100-pcie-80gb"},
                                                                    {"A100-SXM4-40GB", "a100-sxm-40gb"},
                                                                    {"NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"},
                                                                    {"a100sxm480gb", "a100-sxm-80gb"},
                                                                    {"NVIDIA GH200 480GB", "gh200"},
                                                                    {"H20", "h20"},
                                                                    {"GeForce RTX 3090", "rtx3090"},
                                                                    {"RTX 3060", "rtx3060"},
                                                                    {"L4", "l4"},
                                                                    {"L40", "l40"},
                                                                    {"A10", "a10"}}) {
    const std::string_view asked = name;
    CAPTURE(asked);
    CHECK(load_profile(asked).name == profile);
  }
}

TEST_CASE("some names mean one of several by convention") {
  CHECK(load_profile("A100").name == "a100-sxm-80gb");
  CHECK(load_profile("A100-SXM").name == "a100-sxm-80gb");
  CHECK(load_profile("NVIDIA A100 SXM4").name == "a100-sxm-80gb");
  CHECK(load_profile("V100").name == "v100-sxm2");
  CHECK(load_profile("Tesla V100").name == "v100-sxm2");
  CHECK(load_profile("H100").name == "h100-sxm");
}

TEST_CASE("a name that may mean several is refused with them") {
  CHECK(refused("A100-PCIe") == "profile: \"A100-PCIe\" may mean any of a100-pcie-40gb, a100-pcie-80gb");
  CHECK(refused("A100-80GB") == "profile: \"A100-80GB\" may mean any of a100-pcie-80gb, a100-sxm-80gb");
  CHECK(refused("H100-80GB") == "profile: \"H100-80GB\" may mean any of h100-pcie, h100-sxm");
}

TEST_CASE("a board or memory that the GPU does not have is no name of it") {
  for (const std::string_view name :
       {"RTX 4090 48GB", "A100-SXM4-64GB", "A40 SXM", "H100-SXM4", "V100-SXM3", "nvidia", ""}) {
    CAPTURE(name);
    CHECK(contains(refused(name), "no built-in profile is called"));
  }
}

TEST_CASE("every profile answers to its name, its title and its aliases") {
  for (const ProfileName& names : list_profiles()) {
    CHECK(load_profile(names.name).name == names.name);
    CHECK(load_profile(names.title).name == names.name);
    for (const std::string& alias : names.aliases) CHECK(load_profile(alias).name == names.name);
  }
}

TEST_CASE("Pascal is known, out of scope, and refused with the nearest") {
  for (const std::string_view name : {"P4", "Tesla P4", "NVIDIA P4 8GB"}) {
    const auto gpu = find_out_of_scope(name);
    REQUIRE(gpu);
    CHECK(gpu->name == "P4");
    CHECK(contains(refused(name), "Pascal is out of scope"));
    CHECK(contains(refused(name), "the nearest profile is \"t4\""));
  }
  for (const std::string_view name : {"P100", "P100-PCIE-16GB", "Tesla P100-SXM2"}) {
    REQUIRE(find_out_of_scope(name));
    CHECK(find_out_of_scope(name)->name == "P100");
  }
  for (const std::string_view name : {"P40", "T4", "A100", "", "P4000"}) CHECK_FALSE(find_out_of_scope(name));
}

TEST_CASE("the profile nearest to a GPU out of scope is there") {
  for (const OutOfScope& gpu : list_out_of_scope()) CHECK(load_profile(gpu.nearest).name == gpu.nearest);
}

TEST_CASE("every GPU that the measurements name has a profile") {
  const std::vector<std::string> wanted{"v100-sxm2",
                                        "v100-sxm2-32gb",
                                        "v100-pcie",
                                        "v100-pcie-16gb",
                                        "titan-v",
                                        "t4",
                                        "rtx2080ti",
                                        "rtx2070s",
                                        "titan-rtx",
                                        "a100-sxm-40gb",
                                        "a100-sxm-80gb",
                                        "a100-pcie-40gb",
                                        "a100-pcie-80gb",
                                        "a10",
                                        "a40",
                                        "rtx-a6000",
                                        "rtx3060",
                                        "rtx3090",
                                        "rtx4090",
                                        "l4",
                                        "l40",
                                        "l40s",
                                        "h100-sxm",
                                        "h100-pcie",
                                        "h800-pcie",
                                        "gh200",
                                        "h200-sxm",
                                        "h20"};
  std::set<std::string> there;
  for (const ProfileName& names : list_profiles()) there.insert(names.name);
  for (const std::string& name : wanted) CHECK(there.contains(name));
  CHECK(there.size() == wanted.size() + 2);  // and the two textbook machines
}

}  // namespace gpusim::profile_names_test
