// Whose kernels a table's row has.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include "validate/kernel_library.h"

namespace gpusim::validate {
namespace {

struct LibraryWord {
  std::string_view word;
  KernelLibrary library;
};

/// What a library is known by, in the order in which they are looked for.
constexpr std::array words{
    LibraryWord{"torch_compile", KernelLibrary::triton},
    LibraryWord{"huggingface", KernelLibrary::unfused},
    LibraryWord{"liger", KernelLibrary::triton},
    LibraryWord{"triton", KernelLibrary::triton},
    LibraryWord{"emmy", KernelLibrary::triton},
    LibraryWord{"vllm", KernelLibrary::vllm},
    LibraryWord{"vidur", KernelLibrary::vllm},
    LibraryWord{"flash2", KernelLibrary::flash2},
    LibraryWord{"trt-llm", KernelLibrary::tensorrt},
    LibraryWord{"trtllm", KernelLibrary::tensorrt},
    LibraryWord{"llmcompass", KernelLibrary::pytorch_2_3},
};

/// What follows the word in the text, in small or large letters; nothing where the text does not have it.
std::optional<std::string_view> behind(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  const auto* const found = std::search(text.begin(), text.end(), word.begin(), word.end(), same);
  if (found == text.end()) return std::nullopt;
  return text.substr(static_cast<std::size_t>(found - text.begin()) + word.size());
}

/// Of PyTorch 2.N, or of one whose version is not told.
KernelLibrary pytorch_of(std::string_view text) {
  constexpr int without_shared_softmax = 3;
  constexpr int with_eight_elements = 7;
  const auto version = behind(text, "torch2.");
  int minor = 0;
  if (!version || std::from_chars(version->data(), version->data() + version->size(), minor).ec != std::errc{})
    return KernelLibrary::pytorch;
  if (minor <= without_shared_softmax) return KernelLibrary::pytorch_2_3;
  return minor >= with_eight_elements ? KernelLibrary::pytorch_2_7 : KernelLibrary::pytorch;
}

}  // namespace

KernelLibrary kernel_library(std::string_view written_by, std::string_view source) {
  if (tree_reduction(written_by).columns != 0) return KernelLibrary::trees;
  const std::string_view text = written_by.empty() ? source : written_by;
  for (const LibraryWord& each : words)
    if (behind(text, each.word)) return each.library;
  return pytorch_of(text);
}

// Liger's benchmark of its fused_add_rms_norm times its rms_norm behind a sum under this name.
bool adds_apart(std::string_view written_by) { return behind(written_by, "liger_rms_norm").has_value(); }

std::string_view name(KernelLibrary library) {
  switch (library) {
    case KernelLibrary::pytorch:
      return "PyTorch";
    case KernelLibrary::pytorch_2_7:
      return "PyTorch from 2.7 on";
    case KernelLibrary::pytorch_2_3:
      return "PyTorch before 2.4";
    case KernelLibrary::triton:
      return "Triton";
    case KernelLibrary::vllm:
      return "vLLM";
    case KernelLibrary::tensorrt:
      return "TensorRT-LLM";
    case KernelLibrary::flash2:
      return "FlashAttention-2";
    case KernelLibrary::unfused:
      return "PyTorch, a kernel an operation";
    case KernelLibrary::trees:
      return "a tree";
  }
  return "";
}

}  // namespace gpusim::validate
