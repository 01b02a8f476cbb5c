// The subcommands: each takes the words after its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace app {

inline constexpr const char* run_what = "run what? 'matmul', another kernel or a schedule's file ('gpusim run --help')";

int run_matmul(const std::vector<std::string>& arguments);
int run_replay(const std::vector<std::string>& arguments);
int arch(const std::vector<std::string>& arguments);
int schedule(const std::vector<std::string>& arguments);
int probe(const std::vector<std::string>& arguments);
int ladder(const std::vector<std::string>& arguments);
int banks(const std::vector<std::string>& arguments);
int tune(const std::vector<std::string>& arguments);
int validate(const std::vector<std::string>& arguments);
int validate_gemm(const std::vector<std::string>& arguments);     ///< with --gemm
int validate_kernels(const std::vector<std::string>& arguments);  ///< with --kernels
int validate_ladders(const std::vector<std::string>& arguments);  ///< with --ladders
int validate_anchors(const std::vector<std::string>& arguments);  ///< with --anchors

}  // namespace app
