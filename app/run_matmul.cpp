// gpusim run matmul
#include <fmt/format.h>

#include <stdexcept>

#include "commands.h"
#include "errors.h"
#include "gpusim/functional.h"
#include "hints.h"
#include "machine_options.h"
#include "matmul_options.h"
#include "report.h"
#include "simulate.h"

namespace app {

namespace {

/// Multiply-adds the twin executes in a few minutes.
constexpr double most_checked = 1e11;

CommandSpec matmul_spec() {
  OptionGroup check{"Meaning",
                    {{"check", "", "first execute the kernels on random numbers and compare every element of C"}}};
  std::vector<OptionGroup> groups{profile_option_group()};
  for (OptionGroup& group : matmul_option_groups()) groups.push_back(std::move(group));
  for (OptionGroup& group : std::vector{run_option_group(), std::move(check), report_option_group()})
    groups.push_back(std::move(group));
  return {
      "gpusim run matmul",
      "gpusim run matmul --arch NAME [options]\n\n"
      "Simulates a tiled matrix product and says how long it takes, and why.\n",
      std::move(groups),
      "  gpusim run matmul --arch ada --tile 128\n"
      "  gpusim run matmul --arch textbook-2023 --m 32 --n 32 --k 32 --tile 32 --schedule simt \\\n"
      "                    --l2 warm --view text,derivation\n"
      "  gpusim run matmul --arch ampere --m 1024 --n 1024 --k 1024 --schedule async --stages 3 --json result.json\n"
      "  gpusim run matmul --arch ada --set l2.capacity=6MiB\n"
      "  gpusim run matmul --arch ampere --m 2048 --n 2048 --k 2048 --schedule auto\n"
      "  gpusim run matmul --arch hopper --dtype bf16 --layout nt --schedule wgmma --tile 128x256x64 --specialize \\\n"
      "                    --consumers 2 --cluster 2x1 --persistent --tile-order grouped --epilogue tma\n"};
}

/// What every element of C was compared with.
std::string formula(const gpusim::schedules::GemmProblem& problem) {
  std::string sum = problem.bias ? "alpha A B + beta C + bias" : "alpha A B + beta C";
  switch (problem.activation) {
    case gpusim::Activation::none:
      return sum;
    case gpusim::Activation::relu:
      return "relu(" + sum + ")";
    case gpusim::Activation::gelu:
      return "gelu(" + sum + ")";
    case gpusim::Activation::silu:
      return "silu(" + sum + ")";
  }
  throw std::logic_error("no such activation");
}

/// Executes the kernels on numbers. What to say about it; throws InputError when C is wrong.
std::string checked(const Matmul& matmul) {
  const auto& problem = matmul.problem;
  const double products = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                          static_cast<double>(problem.k) * static_cast<double>(problem.batch);
  if (products > most_checked)
    refuse({{"--check", fmt::format("{}x{}x{} is too large to execute on numbers (m n k, times the batch, is at most "
                                    "{:.0e}); check a smaller product with the same remainders of the tile",
                                    problem.m, problem.n, problem.k, most_checked)}});
  const auto check = gpusim::functional::check_gemm(matmul.schedules, problem);
  if (check.wrong > 0)
    refuse({{"--check", fmt::format("{} of {} elements of C are wrong; the first, C[{}, {}]{}, is {} and should be {}",
                                    check.wrong, check.elements, check.first_row, check.first_column,
                                    problem.batch > 1 ? fmt::format(" of product {}", check.first_layer) : "",
                                    check.actual, check.expected)}});
  return fmt::format("\nCheck\n  all {} elements of C equal {}\n", check.elements, formula(problem));
}

/// What choosing has simulated already, or else now.
gpusim::Result result_of(Matmul& matmul, const gpusim::Profile& profile, const PoweredRun& run) {
  if (matmul.choice && runs_alike(run))
    if (std::optional<gpusim::Result>& known = matmul.choice->trials.front().result) return *std::move(known);
  return simulate(profile, matmul.schedules, run);
}

}  // namespace

int run_matmul(const std::vector<std::string>& arguments) {
  const CommandSpec command = matmul_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option; everything is given by name, as --arch ada ('{} --help')",
                                 options.words().front(), command.name));

  CommandFiles files;
  const gpusim::Profile profile = read_profile(options, files);
  Problems problems;
  const PoweredRun run = read_powered_run(options, profile, problems);
  Report report(options, files, problems);
  std::optional<Matmul> matmul = read_matmul(options, profile, run, problems);
  if (matmul) {
    check_l2_buffers(run.options, matmul->schedules, problems);
    report.check(matmul->schedules, problems);
  }
  refuse(std::move(problems));

  std::string remark;
  if (matmul->choice) {
    remark = "\n" + gpusim::choice_text(*matmul->choice) + as_options(profile, matmul->problem, *matmul->choice);
    report.add("choice", gpusim::choice_json(*matmul->choice));
  }
  report.hint(matmul_hint(profile, *matmul, options, run.options));
  if (options.has("check")) remark += checked(*matmul);
  report.write(result_of(*matmul, profile, run), matmul->schedules, run.options, remark);
  return exit_ok;
}

}  // namespace app
