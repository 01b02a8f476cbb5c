// Bulk copies to and from shared memory: parts tma, tma_tile, tma_pair, tma_latency, tma_store.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a tma.cu -o tma -lcuda
#include "tensors.h"

using namespace measure;

namespace {

// ---- tma: one copy in flight in each CTA, neighbouring CTAs take neighbouring data.

/// box_x: elements of a box, 0 for plain bytes; box_y: its rows, 0 for one dimension; x_boxes: boxes in a row.
__global__ void one_in_flight(const __grid_constant__ CUtensorMap map, const char* data, int bytes, int box_x,
                              int box_y, int x_boxes, int copies, Stamp* stamps) {
  __shared__ alignas(8) std::uint64_t full;
  if (threadIdx.x != 0) return;
  const std::uint32_t to = dynamic_shared(), barrier = shared_address(&full);
  barrier_init(barrier, 1);
  barriers_ready();
  Stamp stamp{clock64(), 0, globaltimer(), 0};
  for (int i = 0; i < copies; ++i) {
    const int copy = i * int(gridDim.x) + int(blockIdx.x);
    barrier_expect(barrier, std::uint32_t(bytes));
    if (box_x == 0) {
      copy_bulk(to, data + std::int64_t(copy) * bytes, std::uint32_t(bytes), barrier);
    } else if (box_y == 0) {
      copy_box(to, &map, copy * box_x, barrier);
    } else {
      copy_box(to, &map, copy % x_boxes * box_x, copy / x_boxes * box_y, barrier);
    }
    barrier_wait(barrier, i & 1);
  }
  stamp.c1 = clock64(), stamp.t1 = globaltimer();
  stamps[blockIdx.x] = stamp;
}

void run_tma(const std::string& folder) {
  Csv csv(folder + "/tma.csv", "bytes,ctas,box,bandwidth,round_trip,per_sm,clock_mhz");
  Buffer<char> data(kDramBytes);
  MEASURE_CHECK(cudaMemset(data.get(), 0, kDramBytes));
  struct Case {
    const char* box;
    int bytes, x, y;
  };
  constexpr int kRow = 1024;  // Elements of a row of the tensor of two dimensions.
  allow_shared(one_in_flight);
  for (const Case& c : {Case{"bulk1d", 1 << 10, 0, 0}, Case{"bulk1d", 2 << 10, 0, 0}, Case{"bulk1d", 4 << 10, 0, 0},
                        Case{"bulk1d", 8 << 10, 0, 0}, Case{"bulk1d", 16 << 10, 0, 0}, Case{"bulk1d", 32 << 10, 0, 0},
                        Case{"tensor1d", 1 << 10, 256, 0}, Case{"16x16", 1 << 10, 16, 16}, Case{"64x8", 2 << 10, 64, 8},
                        Case{"64x64", 16 << 10, 64, 64}}) {
    const std::uint64_t words = kDramBytes / 4;
    const CUtensorMap map =
        c.y > 0 ? tensor_map(data.get(), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, kRow, words / kRow, c.x, c.y, false)
                : tensor_map(data.get(), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, words, 0, 256, 1, false);
    for (const int ctas : {1, 2, 4}) {
      const int blocks = ctas * sm_count();
      const int copies = int(std::min<std::uint64_t>(kDramBytes / (std::uint64_t(blocks) * c.bytes), 8192));
      Buffer<Stamp> stamps(blocks);
      const int shared = std::max(kRoom / ctas, 2048 + c.bytes) / 1024 * 1024 - 1024;
      const Reading r = reading(third_run(stamps, [&] {
        one_in_flight<<<blocks, 32, shared>>>(map, data.get(), c.bytes, c.x, c.y, c.x > 0 ? kRow / c.x : 1, copies,
                                              stamps.get());
      }));
      const double rate = double(blocks) * copies * c.bytes / r.seconds;  // Bytes a second.
      csv.row({std::to_string(c.bytes), std::to_string(ctas), c.box, text(rate * 1e-9),
               text(double(blocks) * c.bytes / rate * r.mhz * 1e6), text(rate / (r.mhz * 1e6 * sm_count())),
               text(r.mhz)});
    }
  }
}

// ---- tma_tile, tma_pair: boxes as matrix multiplies take them, some stages in flight.

/// A stage is boxes_a boxes of A below each other and, with b_rows > 0, one of B.
__global__ void staged(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, Walk walk_a,
                       Walk walk_b, int boxes_a, int b_rows, int stages, int copies, Stamp* stamps) {
  __shared__ alignas(8) std::uint64_t full[8];
  if (threadIdx.x != 0) return;
  const std::uint32_t to = dynamic_shared(), barriers = shared_address(full);
  for (int i = 0; i < stages; ++i) barrier_init(barriers + 8 * i, 1);
  barriers_ready();
  const int a_bytes = walk_a.rows * 128, stage_bytes = boxes_a * a_bytes + b_rows * 128;
  // With several boxes of A, walk_a.tiles counts groups of them.
  int step = walk_a.first_box(), turn = 0;
  int y_a = walk_a.tile(0) * boxes_a * walk_a.rows, y_b = b_rows > 0 ? walk_b.tile(0) * b_rows : 0;
  const auto issue = [&](int stage) {
    const std::uint32_t barrier = barriers + 8 * stage, at = to + stage * stage_bytes;
    barrier_expect(barrier, std::uint32_t(stage_bytes));
    for (int i = 0; i < boxes_a; ++i) {
      copy_box(at + i * a_bytes, &a, step * kBoxWidth, y_a + i * walk_a.rows, barrier);
    }
    if (b_rows > 0) copy_box(at + boxes_a * a_bytes, &b, step * kBoxWidth, y_b, barrier);
    if (++step == kSteps) {
      step = 0, ++turn;
      y_a = walk_a.tile(turn) * boxes_a * walk_a.rows;
      if (b_rows > 0) y_b = walk_b.tile(turn) * b_rows;
    }
  };
  Stamp stamp{clock64(), 0, globaltimer(), 0};
  for (int i = 0; i < stages; ++i) issue(i);
  int stage = 0, parity = 0;
  for (int i = 0; i < copies; ++i) {
    barrier_wait(barriers + 8 * stage, parity);
    if (i + stages < copies) issue(stage);
    if (++stage == stages) stage = 0, parity ^= 1;
  }
  stamp.c1 = clock64(), stamp.t1 = globaltimer();
  stamps[blockIdx.x] = stamp;
}

void run_tma_tile(const std::string& folder) {
  Csv csv(folder + "/tma_tile.csv", "rows,stages,home,bandwidth,per_sm,cycles_per_copy,clock_mhz");
  Tensors tensors;
  Buffer<Stamp> stamps(sm_count());
  allow_shared(staged);
  for (const bool from_dram : {false, true}) {
    for (const int rows : {8, 16, 32, 64, 96, 128, 256}) {
      const CUtensorMap map = tensors.map(from_dram, rows);
      const int copies = copies_of(from_dram, rows);
      for (const int stages : {1, 2, 4, 8}) {
        if (stages * rows * 128 > kRoom) continue;
        const Walk walk = walk_of(from_dram, rows);
        const Reading r = reading(third_run(stamps, [&] {
          staged<<<sm_count(), 32, kRoom + 1024>>>(map, map, walk, walk, 1, 0, stages, copies, stamps.get());
        }));
        const double rate = double(sm_count()) * copies * rows * 128 / r.seconds;
        csv.row({std::to_string(rows), std::to_string(stages), from_dram ? "dram" : "l2", text(rate * 1e-9),
                 text(rows * 128.0 * copies / r.cycles), text(r.cycles / copies), text(r.mhz)});
      }
    }
  }
}

void run_tma_pair(const std::string& folder) {
  Csv csv(folder + "/tma_pair.csv", "a_rows,b_rows,stages,home,cycles_per_stage,clock_mhz");
  Tensors tensors;
  Buffer<Stamp> stamps(sm_count());
  allow_shared(staged);
  struct Pair {
    const char* a_rows;
    int boxes, rows, b_rows;
  };
  for (const bool from_dram : {false, true}) {
    for (const Pair& p : {Pair{"64", 1, 64, 16}, Pair{"128", 1, 128, 16}, Pair{"64+64", 2, 64, 16},
                          Pair{"128", 1, 128, 128}, Pair{"64+64", 2, 64, 256}, Pair{"128", 1, 128, 256}}) {
      const int a_rows = p.boxes * p.rows;
      const CUtensorMap a = tensors.map(from_dram, p.rows), b = tensors.map(false, p.b_rows);  // B is always in L2.
      const int copies = copies_of(from_dram, a_rows);
      Walk walk_a = walk_of(from_dram, a_rows);
      walk_a.rows = p.rows;
      for (const int stages : {1, 2, 4, 8}) {
        if (stages * (a_rows + p.b_rows) * 128 > kRoom) continue;
        const Reading r = reading(third_run(stamps, [&] {
          staged<<<sm_count(), 32, kRoom + 1024>>>(a, b, walk_a, walk_of(false, p.b_rows), p.boxes, p.b_rows, stages,
                                                   copies, stamps.get());
        }));
        csv.row({p.a_rows, std::to_string(p.b_rows), std::to_string(stages), from_dram ? "dram" : "l2",
                 text(r.cycles / copies), text(r.mhz)});
      }
    }
  }
}

// ---- tma_latency: one copy at a time of one thread.

constexpr int kSamples = 256;

/// bytes 0: boxes of 64 x 64.
__global__ void latency(const __grid_constant__ CUtensorMap map, const char* data, int bytes, long long* cycles) {
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t to = dynamic_shared(), barrier = shared_address(&full);
  barrier_init(barrier, 1);
  barriers_ready();
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
  for (int i = 0; i < kSamples; ++i) {
    barrier_expect(barrier, std::uint32_t(bytes == 0 ? 64 * 128 : bytes));
    const long long c0 = clock64();
    if (bytes == 0) {
      copy_box(to, &map, i % kSteps * kBoxWidth, i / kSteps * 64, barrier);
    } else {
      copy_bulk(to, data + i * 8192, std::uint32_t(bytes), barrier);
    }
    barrier_wait(barrier, i & 1);
    cycles[i] = clock64() - c0;
  }
}

void run_tma_latency(const std::string& folder) {
  Csv csv(folder + "/tma_latency.csv", "what,bytes,home,cycles,clock_mhz");
  Tensors tensors;
  Buffer<long long> cycles(kSamples);
  const CUtensorMap map = tensors.map(true, 64);
  allow_shared(latency);
  for (const int bytes : {16, 1024, 0}) {
    // Writing elsewhere takes the samples out of L2; after the first run they are in it.
    MEASURE_CHECK(cudaMemset(tensors.dram.get() + kDramBytes / 2, 0, kDramBytes / 2));
    for (const char* home : {"dram", "l2-second", "l2"}) {
      latency<<<1, 1, 16384>>>(map, tensors.dram.get(), bytes, cycles.get());
      finish();
      if (std::string(home) == "l2-second") continue;
      const std::vector<long long> read = cycles.to_host();
      csv.row({bytes == 0 ? "box64x64" : "bulk1d", std::to_string(bytes == 0 ? 8192 : bytes), home,
               text(median(std::vector<double>(read.begin(), read.end()))), text(clock_soon())});
    }
  }
}

// ---- tma_store: boxes from shared memory, at most two of which are being read.

__global__ void stores(const __grid_constant__ CUtensorMap map, Walk walk, int copies, Stamp* stamps) {
  extern __shared__ uint4 bytes[];
  for (int i = int(threadIdx.x); i < (2 * walk.rows * 128 + 1024) / 16; i += 32) bytes[i] = uint4{};
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const std::uint32_t from = dynamic_shared();
  Stamp stamp{clock64(), 0, globaltimer(), 0};
  int step = walk.first_box(), turn = 0, y = walk.tile(0) * walk.rows;
  for (int i = 0; i < copies; ++i) {
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    store_box(&map, step * kBoxWidth, y, from + (i & 1) * walk.rows * 128);
    if (++step == kSteps) step = 0, y = walk.tile(++turn) * walk.rows;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  stamp.c1 = clock64(), stamp.t1 = globaltimer();
  stamps[blockIdx.x] = stamp;
}

void run_tma_store(const std::string& folder) {
  Csv csv(folder + "/tma_store.csv", "rows,home,bandwidth,per_sm,clock_mhz");
  Tensors tensors;
  Buffer<Stamp> stamps(sm_count());
  allow_shared(stores);
  for (const bool to_dram : {false, true}) {
    for (const int rows : {64, 128}) {
      const CUtensorMap map = tensors.map(to_dram, rows);
      const int copies = copies_of(to_dram, rows);
      const Reading r = reading(third_run(stamps, [&] {
        stores<<<sm_count(), 32, kRoom + 1024>>>(map, walk_of(to_dram, rows), copies, stamps.get());
      }));
      const double rate = double(sm_count()) * copies * rows * 128 / r.seconds;
      csv.row({std::to_string(rows), to_dram ? "dram" : "l2", text(rate * 1e-9), text(rows * 128.0 * copies / r.cycles),
               text(r.mhz)});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_parts(argc, argv,
                   {{"tma", run_tma},
                    {"tma_tile", run_tma_tile},
                    {"tma_pair", run_tma_pair},
                    {"tma_latency", run_tma_latency},
                    {"tma_store", run_tma_store}});
}
