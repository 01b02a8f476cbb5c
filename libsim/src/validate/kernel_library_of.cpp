// Whose kernels a table's row has.
#include <algorithm>
#include <array>
#include <cstdint>

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
    LibraryWord{"trt-llm", KernelLibrary::tensorrt},
    LibraryWord{"torch2.0", KernelLibrary::pytorch_2_3},
    LibraryWord{"torch2.1", KernelLibrary::pytorch_2_3},
    LibraryWord{"torch2.2", KernelLibrary::pytorch_2_3},
    LibraryWord{"torch2.3", KernelLibrary::pytorch_2_3},
    LibraryWord{"llmcompass", KernelLibrary::pytorch_2_3},
    LibraryWord{"torch2.7", KernelLibrary::pytorch_2_7},
    LibraryWord{"torch2.8", KernelLibrary::pytorch_2_7},
    LibraryWord{"torch2.9", KernelLibrary::pytorch_2_7},
    LibraryWord{"torch2.10", KernelLibrary::pytorch_2_7},
    LibraryWord{"torch2.11", KernelLibrary::pytorch_2_7},
};

/// A number at the word's end is whole: torch2.1 is in torch2.1.0, and not in torch2.10.
bool holds(std::string_view text, std::string_view word) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  const auto* begin = text.begin();
  while (true) {
    const auto* const found = std::search(begin, text.end(), word.begin(), word.end(), same);
    if (found == text.end()) return false;
    const auto* const after = found + word.size();
    if (!is_digit(word.back()) || after == text.end() || !is_digit(*after)) return true;
    begin = found + 1;
  }
}

}  // namespace

KernelLibrary kernel_library(std::string_view written_by, std::string_view source) {
  if (tree_reduction(written_by).columns != 0) return KernelLibrary::trees;
  const std::string_view text = written_by.empty() ? source : written_by;
  for (const LibraryWord& each : words)
    if (holds(text, each.word)) return each.library;
  return KernelLibrary::pytorch;
}

// Liger's benchmark of its fused_add_rms_norm times its rms_norm behind a sum under this name.
bool adds_apart(std::string_view written_by) { return holds(written_by, "liger_rms_norm"); }

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
    case KernelLibrary::unfused:
      return "PyTorch, a kernel an operation";
    case KernelLibrary::trees:
      return "a tree";
  }
  return "";
}

}  // namespace gpusim::validate
