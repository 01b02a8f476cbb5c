#include "large_pages.h"

#include <cstddef>
#include <cstdlib>
#include <memory>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace app {

#if defined(__GLIBC__) && defined(M_TOP_PAD) && defined(MADV_HUGEPAGE)

namespace {

char* end_of_heap() { return static_cast<char*>(::sbrk(0)); }

}  // namespace

void use_large_pages() {
  constexpr int reserved = 96 << 20;       // addresses, not memory: three times what a run on the largest GPU has
  constexpr int usual_step = 128 << 10;    // by which glibc has the heap grow
  constexpr int beyond_a_step = 1 << 20;   // more than any heap has at first
  constexpr int largest_piece = 32 << 20;  // the most that all versions take
  constexpr std::size_t page = std::size_t{2} << 20;
  // L2's tags are to lie in the heap, too, where else they would have pages of their own; and what is freed stays,
  // for what is given back comes again in small pages.
  ::mallopt(M_MMAP_THRESHOLD, largest_piece);
  ::mallopt(M_TRIM_THRESHOLD, reserved);
  ::mallopt(M_TOP_PAD, reserved);
  const char* const before = end_of_heap();
  void* volatile grown = std::malloc(beyond_a_step);  // NOLINT: malloc itself is meant
  std::free(grown);                                   // NOLINT
  // Beyond that it grows as ever. With a larger step what a limit (ulimit) has room for would be refused.
  ::mallopt(M_TOP_PAD, usual_step);
  auto bytes = static_cast<std::size_t>(end_of_heap() - before);
  void* begin = end_of_heap() - bytes;
  // It is for the system to decide; a refusal does no harm.
  if (std::align(page, page, begin, bytes) != nullptr) static_cast<void>(::madvise(begin, bytes, MADV_HUGEPAGE));
}

#else

void use_large_pages() {}

#endif

}  // namespace app
