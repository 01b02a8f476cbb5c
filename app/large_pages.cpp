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

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

namespace {

char* end_of_heap() { return static_cast<char*>(::sbrk(0)); }

}  // namespace

void use_large_pages() {
  constexpr int reserved = 96 << 20;  // addresses, not memory: as much as the largest runs have
  constexpr int beyond_the_heap = 110 << 10;
  constexpr std::size_t page = std::size_t{2} << 20;
  ::mallopt(M_ARENA_MAX, 1);              // threads' memory, too
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that all versions take: what is smaller is in the heap
  ::mallopt(M_TRIM_THRESHOLD, reserved);
  ::mallopt(M_TOP_PAD, reserved);
  const char* const before = end_of_heap();
  // The heap that there is has 132 KiB, some of which are taken: now it grows by what is reserved.
  void* volatile grown = std::malloc(beyond_the_heap);  // NOLINT: malloc itself is meant
  std::free(grown);                                     // NOLINT
  auto bytes = static_cast<std::size_t>(end_of_heap() - before);
  void* begin = end_of_heap() - bytes;
  // It is for the system to decide; a refusal does no harm.
  if (std::align(page, page, begin, bytes) != nullptr) static_cast<void>(::madvise(begin, bytes, MADV_HUGEPAGE));
}

#else

void use_large_pages() {}

#endif

}  // namespace app
