// gpusim run matmul
#include <fmt/format.h>

#include "commands.h"
#include "errors.h"
#include "gpusim/functional.h"
#include "machine_options.h"
#include "matmul_options.h"
#include "report.h"
#include "simulate.h"

namespace app {

namespace {

/// Multiply-adds the twin executes in a few minutes.
constexpr double most_checked = 1e11;

CommandSpec spec() {
  OptionGroup check{"Meaning", {{"check", "", "first execute the schedule on random numbers and compare with A B"}}};
  return {
      "gpusim run matmul",
      "gpusim run matmul --arch NAME [options]\n\n"
      "Simulates a tiled matrix product and says how long it takes, and why.\n",
      {profile_option_group(), matmul_option_group(), run_option_group(), std::move(check), report_option_group()},
      "  gpusim run matmul --arch ada --tile 128\n"
      "  gpusim run matmul --arch textbook-2023 --m 32 --n 32 --k 32 --tile 32 --schedule simt \\\n"
      "                    --l2 warm --view text,derivation\n"
      "  gpusim run matmul --arch ampere --m 1024 --n 1024 --k 1024 --schedule async --stages 3 --json result.json\n"
      "  gpusim run matmul --arch ada --set l2.capacity=6MiB\n"};
}

/// Executes the schedule on numbers. What to say about it; throws InputError when C is wrong.
std::string checked(const Matmul& matmul) {
  const auto& problem = matmul.problem;
  const double products =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  if (products > most_checked)
    refuse({{"--check", fmt::format("{}x{}x{} is too large to execute on numbers (m n k is at most {:.0e}); check a "
                                    "smaller product with the same remainders of the tile",
                                    problem.m, problem.n, problem.k, most_checked)}});
  const auto check = gpusim::functional::check_gemm(matmul.schedule, problem.alpha, problem.beta);
  if (check.wrong > 0)
    refuse({{"--check",
             fmt::format("{} of {} elements of C are wrong; the first, C[{}, {}], is {} and should be {}", check.wrong,
                         check.elements, check.first_row, check.first_column, check.actual, check.expected)}});
  return fmt::format("\nCheck\n  all {} elements of C equal alpha A B + beta C\n", check.elements);
}

}  // namespace

int run_matmul(const std::vector<std::string>& arguments) {
  const CommandSpec command = spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option; everything is given by name, as --arch ada ('{} --help')",
                                 options.words().front(), command.name));

  const gpusim::Profile profile = read_profile(options);
  Problems problems;
  const gpusim::RunOptions run = read_run_options(options, profile, problems);
  Report report(options, problems);
  const std::optional<Matmul> matmul = read_matmul(options, profile, problems);
  if (matmul) check_l2_buffers(run, {matmul->schedule}, problems);
  refuse(std::move(problems));

  const std::string remark = options.has("check") ? checked(*matmul) : "";
  const std::vector<gpusim::Schedule> schedules{matmul->schedule};
  report.write(simulate(profile, schedules, run), schedules, run, remark);
  return exit_ok;
}

}  // namespace app
