// One warp group multiply, of any width and type that is measured: the instruction with its list of sums.
#pragma once

#include <cstdint>
#include <type_traits>

namespace measure {

enum class Kind { kBf16, kTf32, kFp8, kInt8, kFp16 };  // kFp16 has its sums in fp16, two to a register.

/// Elements along k of one multiply: 32 bytes of every row.
template <Kind kKind>
constexpr int k_of = kKind == Kind::kTf32                          ? 8
                     : kKind == Kind::kFp8 || kKind == Kind::kInt8 ? 32
                                                                   : 16;

/// Registers of a lane that hold its sums.
template <Kind kKind, int kN>
constexpr int sums_of = kKind == Kind::kFp16 ? kN / 4 : kN / 2;

template <Kind kKind>
using Sum = std::conditional_t<kKind == Kind::kInt8 || kKind == Kind::kFp16, std::uint32_t, float>;

// The names of the sums in the instruction.
#define WG_L4 "%0, %1, %2, %3"
#define WG_L8 WG_L4 ", %4, %5, %6, %7"
#define WG_L12 WG_L8 ", %8, %9, %10, %11"
#define WG_L16 WG_L12 ", %12, %13, %14, %15"
#define WG_L24 WG_L16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define WG_L32 WG_L24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define WG_L48 WG_L32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define WG_L64 WG_L48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WG_L80 WG_L64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define WG_L96 WG_L80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WG_L112 WG_L96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define WG_L128 \
  WG_L112 ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// The sums as operands of constraint C, from the one with index i on.
#define WG_O4(C, i) C(d[i]), C(d[i + 1]), C(d[i + 2]), C(d[i + 3])
#define WG_O8(C, i) WG_O4(C, i), WG_O4(C, i + 4)
#define WG_O12(C, i) WG_O8(C, i), WG_O4(C, i + 8)
#define WG_O16(C, i) WG_O8(C, i), WG_O8(C, i + 8)
#define WG_O24(C, i) WG_O16(C, i), WG_O8(C, i + 16)
#define WG_O32(C, i) WG_O16(C, i), WG_O16(C, i + 16)
#define WG_O48(C, i) WG_O32(C, i), WG_O16(C, i + 32)
#define WG_O64(C, i) WG_O32(C, i), WG_O32(C, i + 32)
#define WG_O80(C, i) WG_O64(C, i), WG_O16(C, i + 64)
#define WG_O96(C, i) WG_O64(C, i), WG_O32(C, i + 64)
#define WG_O112(C, i) WG_O64(C, i), WG_O48(C, i + 64)
#define WG_O128(C, i) WG_O64(C, i), WG_O64(C, i + 64)

#define WG_F(x) "+f"(x)
#define WG_R(x) "+r"(x)

// After the sums come: A in four registers, the descriptors of A and B, and whether to add to the old sums.
#define WG_MULTIPLY(shape, more_shared, more_registers, C, count, f0, f1, f2, f3, a_at, b_at, p_at)                \
  if constexpr (kRegisters) {                                                                                      \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p_at                                                          \
                 ", 0;\n"                                                                                          \
                 "wgmma.mma_async.sync.aligned." shape " {" WG_L##count "}, {%" #f0 ", %" #f1 ", %" #f2 ", %" #f3  \
                                                                        "}, %" #b_at ", p" more_registers "; }"    \
                 : WG_O##count(C, 0)                                                                               \
                 : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(a), "l"(b), "r"(add));                          \
  } else {                                                                                                         \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p_at                                                          \
                 ", 0;\n"                                                                                          \
                 "wgmma.mma_async.sync.aligned." shape " {" WG_L##count "}, %" #a_at ", %" #b_at ", p" more_shared \
                                                                        "; }"                                      \
                 : WG_O##count(C, 0)                                                                               \
                 : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(a), "l"(b), "r"(add));                          \
  }

// One type of one width; the last seven numbers are those of the operands after the sums.
#define WG_BF16(n, count, ...)                                                                        \
  if constexpr (kKind == Kind::kBf16 && kN == n) {                                                    \
    WG_MULTIPLY("m64n" #n "k16.f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 0", WG_F, count, __VA_ARGS__) \
  }
#define WG_OTHERS(n, count, ...)                                                             \
  if constexpr (kKind == Kind::kTf32 && kN == n) {                                           \
    WG_MULTIPLY("m64n" #n "k8.f32.tf32.tf32", ", 1, 1", ", 1, 1", WG_F, count, __VA_ARGS__)  \
  }                                                                                          \
  if constexpr (kKind == Kind::kFp8 && kN == n) {                                            \
    WG_MULTIPLY("m64n" #n "k32.f32.e4m3.e4m3", ", 1, 1", ", 1, 1", WG_F, count, __VA_ARGS__) \
  }                                                                                          \
  if constexpr (kKind == Kind::kInt8 && kN == n) {                                           \
    WG_MULTIPLY("m64n" #n "k32.s32.s8.s8", "", "", WG_R, count, __VA_ARGS__)                 \
  }
#define WG_FP16(n, count, ...)                                                                      \
  if constexpr (kKind == Kind::kFp16 && kN == n) {                                                  \
    WG_MULTIPLY("m64n" #n "k16.f16.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0", WG_R, count, __VA_ARGS__) \
  }

/// d += A * B, or d = A * B if `add` is 0. A is at descriptor `a`, or with kRegisters in `f`.
template <Kind kKind, int kN, bool kRegisters, int kSums>
__device__ inline void wgmma(Sum<kKind> (&d)[kSums], const std::uint32_t (&f)[4], std::uint64_t a, std::uint64_t b,
                             int add) {
  static_assert(kSums == sums_of<kKind, kN>);
  WG_BF16(8, 4, 4, 5, 6, 7, 8, 9, 10)
  WG_BF16(16, 8, 8, 9, 10, 11, 12, 13, 14)
  WG_BF16(24, 12, 12, 13, 14, 15, 16, 17, 18)
  WG_BF16(32, 16, 16, 17, 18, 19, 20, 21, 22)
  WG_BF16(48, 24, 24, 25, 26, 27, 28, 29, 30)
  WG_BF16(64, 32, 32, 33, 34, 35, 36, 37, 38)
  WG_BF16(96, 48, 48, 49, 50, 51, 52, 53, 54)
  WG_BF16(128, 64, 64, 65, 66, 67, 68, 69, 70)
  WG_BF16(160, 80, 80, 81, 82, 83, 84, 85, 86)
  WG_BF16(192, 96, 96, 97, 98, 99, 100, 101, 102)
  WG_BF16(224, 112, 112, 113, 114, 115, 116, 117, 118)
  WG_BF16(256, 128, 128, 129, 130, 131, 132, 133, 134)
  WG_OTHERS(64, 32, 32, 33, 34, 35, 36, 37, 38)
  WG_OTHERS(128, 64, 64, 65, 66, 67, 68, 69, 70)
  WG_OTHERS(256, 128, 128, 129, 130, 131, 132, 133, 134)
  WG_FP16(64, 16, 16, 17, 18, 19, 20, 21, 22)
  WG_FP16(128, 32, 32, 33, 34, 35, 36, 37, 38)
  WG_FP16(256, 64, 64, 65, 66, 67, 68, 69, 70)
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kGroups>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

/// Keeps the compiler from reading a sum before this point.
template <class T>
__device__ inline void keep(T& value) {
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("" : "+f"(value)::"memory");
  } else {
    asm volatile("" : "+r"(value)::"memory");
  }
}

/// Describes rows of 128 bytes along k at `address`, swizzled, 1024 bytes for every eight rows.
__device__ inline std::uint64_t describe(std::uint32_t address) {
  return std::uint64_t((address & 0x3ffff) >> 4) | std::uint64_t(1) << 16 | std::uint64_t(64) << 32 |
         std::uint64_t(1) << 62;
}

}  // namespace measure
