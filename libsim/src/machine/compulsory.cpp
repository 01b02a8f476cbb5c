#include "machine/compulsory.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <variant>

namespace gpusim::machine {
namespace {

/// The buffer an action reads, if it does. Sums that are added to at L2 are written, as if whole.
struct BufferRead {
  BufferId operator()(const LoadGlobal& load) const { return load.from.buffer; }
  BufferId operator()(const CopyAsync& copy) const { return copy.from.buffer; }
  BufferId operator()(const BulkCopy& copy) const { return copy.buffer; }
  template <class Action>
  BufferId operator()(const Action&) const {
    return BufferId{-1};
  }
};

void add_read(const std::vector<Statement>& body, std::set<std::int64_t>& read) {
  for (const Statement& statement : body) {
    if (const auto* const operation = std::get_if<Operation>(&statement))
      read.insert(std::visit(BufferRead(), operation->action).index());
    else
      add_read(std::get<Loop>(statement).body, read);
  }
}

/// Names of the buffers that the kernel's programs read.
std::set<std::string> read_by(const Schedule& schedule) {
  std::set<std::int64_t> read;
  for (const Role& role : schedule.roles) add_read(role.program.body, read);
  std::set<std::string> names;
  for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
    if (read.contains(static_cast<std::int64_t>(i))) names.insert(schedule.buffers[i].name);
  return names;
}

/// Names of what L2 has before the run; none where it does not hold all of it.
std::set<std::string> held_before(const MemoryMap& memory, const L2Spec& l2) {
  Bytes held;
  std::set<std::string> names;
  for (const MemoryMap::Region& region : memory.regions()) {
    if (region.before == L2State::cold) continue;
    held += size_of(region.shape);
    names.insert(region.name);
  }
  return l2.capacity.admits(held) ? names : std::set<std::string>();
}

}  // namespace

std::vector<Bytes> compulsory_bytes(std::span<const Schedule> schedules, const MemoryMap& memory,
                                    const Profile& profile) {
  std::set<std::string> known = profile.l2 ? held_before(memory, *profile.l2) : std::set<std::string>();
  std::vector<std::set<std::string>> read;
  for (const Schedule& schedule : schedules) read.push_back(read_by(schedule));
  std::vector<Bytes> bytes;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    Bytes& sum = bytes.emplace_back();
    for (const Buffer& buffer : schedules[i].buffers) {
      const auto reads = [&](const std::set<std::string>& names) { return names.contains(buffer.name); };
      const auto next = read.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const bool is_for_later = !reads(read[i]) && std::any_of(next, read.end(), reads);
      if (!profile.l2 || (!known.contains(buffer.name) && !is_for_later)) sum += size_of(buffer);
      known.insert(buffer.name);
    }
  }
  return bytes;
}

}  // namespace gpusim::machine
