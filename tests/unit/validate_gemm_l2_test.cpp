// What L2 holds of a measured product: by its size, the source's protocol and the GPU's L2.
#include "validate/gemm_l2.h"

#include <doctest/doctest.h>

#include "gpusim/profile_io.h"

namespace gpusim::validate_gemm_l2_test {

using namespace gpusim::validate;

namespace {

MeasuredGemm product(std::int64_t m, std::int64_t n, std::int64_t k) {
  MeasuredGemm row;
  row.m = m;
  row.n = n;
  row.k = k;
  row.input = DType::fp16;
  return row;
}

constexpr GemmProtocol warm{};
constexpr GemmProtocol copied{.b = L2State::cold, .copies = 5, .only_to_fill_l2 = true};
constexpr GemmProtocol always_copied{.b = L2State::cold, .copies = 6};

}  // namespace

TEST_CASE("compulsory bytes are every matrix of every product once") {
  MeasuredGemm row = product(2, 3, 5);
  row.batch = 7;
  CHECK(compulsory_bytes(row) == Bytes(7 * (10 + 15 + 6) * 2));
}

TEST_CASE("C counts with its own type") {
  MeasuredGemm row = product(2, 3, 5);
  row.input = DType::fp8;
  CHECK(compulsory_bytes(row) == Bytes(10 + 15 + 6 * 2));
  row.result = DType::fp32;
  CHECK(compulsory_bytes(row) == Bytes(10 + 15 + 6 * 4));
}

TEST_CASE("what fits L2 is there again, and C is as the last run wrote it") {
  auto states = l2_after_runs(product(1024, 1024, 1024), warm, load_profile("v100-sxm2"));
  CHECK(states["A"] == L2State::warm);
  CHECK(states["B"] == L2State::warm);
  CHECK(states["C"] == L2State::dirty);
}

TEST_CASE("where L2 has nothing of a product, it has nothing of C either") {
  constexpr GemmProtocol cold{.a = L2State::cold, .b = L2State::cold};
  REQUIRE(cold.begins_cold());
  CHECK(l2_after_runs(product(256, 256, 256), cold, load_profile("v100-sxm2"))["C"] == L2State::cold);
  CHECK_FALSE(warm.begins_cold());
  CHECK_FALSE(copied.begins_cold());
}

TEST_CASE("of what does not fit the least recently used is gone when its turn comes") {
  auto states = l2_after_runs(product(4096, 4096, 4096), warm, load_profile("v100-sxm2"));
  CHECK(states["A"] == L2State::cold);
  CHECK(states["B"] == L2State::cold);
}

TEST_CASE("an L2 in two halves holds two thirds") {
  const MeasuredGemm row = product(2048, 2048, 3584);  // 36 MiB of the A100's 40
  Profile whole = load_profile("a100-sxm-80gb");
  CHECK(l2_after_runs(row, warm, whole)["B"] == L2State::cold);
  whole.l2->partitions = 1;
  CHECK(l2_after_runs(row, warm, whole)["B"] == L2State::warm);
}

TEST_CASE("copies of the weights that take turns make them cold, unless all of them fit") {
  const Profile l40s = load_profile("l40s");                                          // 96 MiB
  CHECK(l2_after_runs(product(16, 4096, 2048), copied, l40s)["B"] == L2State::warm);  // 5 of 16 MiB
  CHECK(l2_after_runs(product(16, 4096, 3584), copied, l40s)["B"] == L2State::cold);  // 4 of 28 MiB
  CHECK(l2_after_runs(product(16, 4096, 3584), copied, l40s)["A"] == L2State::warm);
}

TEST_CASE("a source that has as many copies whatever their size finds fewer of them in L2") {
  const Profile l40s = load_profile("l40s");
  CHECK(l2_after_runs(product(16, 4096, 2048), always_copied, l40s)["B"] == L2State::cold);  // 6 of 16 MiB
  CHECK(l2_after_runs(product(16, 4096, 1024), always_copied, l40s)["B"] == L2State::warm);
  const MeasuredGemm half = product(16, 4096, 6144);  // two of 48 MiB would fill L2
  CHECK(l2_after_runs(half, copied, l40s)["B"] == L2State::cold);
  GemmProtocol two = copied;
  two.copies = 1;
  CHECK(l2_after_runs(half, two, l40s)["B"] == L2State::warm);
}

TEST_CASE("activations of each copy take turns with the weights") {
  GemmProtocol own = always_copied;
  own.own_activations = true;
  const Profile l40s = load_profile("l40s");
  const MeasuredGemm tall = product(8192, 64, 1024);  // 16 MiB of activations
  CHECK(l2_after_runs(tall, always_copied, l40s)["A"] == L2State::warm);
  CHECK(l2_after_runs(tall, own, l40s)["A"] == L2State::cold);
  CHECK(l2_after_runs(product(1024, 64, 1024), own, l40s)["A"] == L2State::warm);
}

TEST_CASE("what a kernel before the product writes is there, and what it reads as often as it comes round") {
  GemmProtocol own = always_copied;
  own.own_activations = true;
  own.activations = DType::bf16;
  const Profile l40s = load_profile("l40s");
  MeasuredGemm tall = product(8192, 64, 1024);
  tall.input = DType::fp8;
  CHECK(l2_after_runs(tall, own, l40s)["A"] == L2State::warm);
  CHECK(activations_after_runs(tall, own, l40s) == L2State::cold);  // 6 of 16 MiB and the product's
  own.own_activations = false;
  CHECK(activations_after_runs(tall, own, l40s) == L2State::warm);
  CHECK(activations_after_runs(tall, own, load_profile("textbook-2020")) == L2State::warm);
}

TEST_CASE("a GPU without L2 has the states of the protocol") {
  CHECK(l2_after_runs(product(4096, 4096, 4096), warm, load_profile("textbook-2020"))["A"] == L2State::warm);
}

TEST_CASE("as many copies as fill L2, at most those there are") {
  const Profile l40s = load_profile("l40s");
  CHECK(copies_of_weights(product(16, 4096, 1024), copied, l40s) == 5);
  CHECK(copies_of_weights(product(16, 4096, 3584), copied, l40s) == 4);
  CHECK(copies_of_weights(product(16, 16384, 16384), copied, l40s) == 1);
  CHECK(copies_of_weights(product(16, 4096, 3584), always_copied, l40s) == 6);
  CHECK(copies_of_weights(product(16, 4096, 3584), warm, l40s) == 1);
  CHECK(copies_of_weights(product(16, 4096, 3584), copied, load_profile("textbook-2020")) == 5);
}

TEST_CASE("weights whose copies nearly fill L2 are there in part") {
  const Profile l40s = load_profile("l40s");
  CHECK(residence_of_weights(product(16, 4096, 2048), copied, l40s) == Residence::all);
  CHECK(residence_of_weights(product(16, 4096, 3072), copied, l40s) == Residence::part);  // 4 of 24 MiB
  CHECK(residence_of_weights(product(16, 4096, 3584), copied, l40s) == Residence::nothing);
  constexpr GemmProtocol cold{.a = L2State::cold, .b = L2State::cold};
  CHECK(residence_of_weights(product(16, 4096, 12288), cold, l40s) == Residence::nothing);
  CHECK(residence_of_weights(product(16, 4096, 12288), warm, l40s) == Residence::part);
}

}  // namespace gpusim::validate_gemm_l2_test
