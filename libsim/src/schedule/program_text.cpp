#include "schedule/program_text.h"

#include <array>
#include <charconv>

#include "schedule/layout_text.h"
#include "schedule/words.h"

namespace gpusim::schedule {
namespace {

/// The shortest text that reads back as `value`.
std::string number_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

template <class Things>
std::string named(const Things* things, std::int64_t index, const char* kind) {
  if (things == nullptr || index < 0 || index >= static_cast<std::int64_t>(things->size()))
    return kind + std::to_string(index);
  return (*things)[static_cast<std::size_t>(index)].name;
}

/// The operands of an action, as assembly writes them: what is written first.
class Operands {
 public:
  Operands(const Program& program, const Schedule* schedule) : program_(program), schedule_(schedule) {}

  std::string operator()(const LoadGlobal& load) const {
    return name_of(load.into) + ", " + place(load.from) + origin_text(load);
  }
  std::string operator()(const StoreGlobal& store) const {
    return place(store.to) + ", " + name_of(store.from) + origin_text(store) + (store.by_lane ? " by lane" : "");
  }
  std::string operator()(const LoadShared& load) const { return name_of(load.into) + ", " + place(load.from); }
  std::string operator()(const StoreShared& store) const {
    return place(store.to) + ", " + name_of(store.from) + origin_text(store);
  }
  std::string operator()(const CopyAsync& copy) const { return place(copy.to) + ", " + place(copy.from); }
  std::string operator()(const CommitGroup&) const { return ""; }
  std::string operator()(const WaitGroup& wait) const { return std::to_string(wait.pending); }
  std::string operator()(const BulkCopy& copy) const {
    std::string text = box(copy) + ", " + element_of(copy) + " ";
    if (copy.planes != 1)
      text += std::to_string(copy.planes) + " (" + std::to_string(copy.plane_rows) + " rows apart) x ";
    text += extent(copy);
    if (copy.rank != BulkCopy{}.rank) text += " of rank " + std::to_string(copy.rank);
    return text + ", " + slot(copy.done) + multicast_text(copy.multicast);
  }
  std::string operator()(const BulkStore& store) const {
    return element_of(store) + ", " + box(store) + " " + extent(store);
  }
  std::string operator()(const BulkCommit&) const { return ""; }
  std::string operator()(const BulkWait& wait) const { return std::to_string(wait.pending); }
  std::string operator()(const BarrierArrive& arrive) const {
    return slot(arrive.at) + (arrive.expect == Bytes() ? "" : ", " + std::to_string(arrive.expect.count()) + " B") +
           peer_text(arrive.peer);
  }
  std::string operator()(const BarrierWait& wait) const { return slot(wait.at) + ", phase " + to_text(wait.phase); }
  std::string operator()(const Multiply& multiply) const {
    std::string text = name_of(multiply.c) + ", " + name_of(multiply.a) + transposed(multiply.a_transposed) + ", " +
                       name_of(multiply.b) + transposed(multiply.b_transposed);
    if (multiply.pipe == Pipe::tensor) text += ", " + shape_text(multiply.shape);
    text += types_text(multiply.accumulate, multiply.input);
    if (multiply.reads)
      text += ", a bank reads " + std::to_string(multiply.reads->operands) + " in " +
              std::to_string(multiply.reads->instructions);
    return text;
  }
  std::string operator()(const Scale& scale) const {
    std::string text = name_of(scale.c) + ", " + number_text(scale.alpha) + "*" + name_of(scale.c);
    if (scale.source) text += " + " + number_text(scale.beta) + "*" + name_of(*scale.source);
    if (scale.factors) text += "*" + name_of(scale.factors->rows) + "*" + name_of(scale.factors->columns);
    if (scale.bias) text += " + " + name_of(*scale.bias);
    return text + (scale.activation == Activation::none ? "" : ", " + std::string(word_of(scale.activation)));
  }
  std::string operator()(const Arithmetic& arithmetic) const {
    std::string text = arithmetic.writes ? name_of(*arithmetic.writes) : "";
    for (const Token token : arithmetic.reads) text += (text.empty() ? "" : ", ") + name_of(token);
    if (arithmetic.overhead) text += text.empty() ? "overhead" : ", overhead";
    return text;
  }
  std::string operator()(const CtaBarrier&) const { return ""; }
  std::string operator()(const LoadConstant& load) const {
    return name_of(load.into) + (load.address ? ", at " + name_of(*load.address) : "");
  }
  std::string operator()(const AtomicAdd& atomic) const {
    return (atomic.into ? name_of(*atomic.into) + ", " : "") + place(atomic.to) + ", " + name_of(atomic.from);
  }
  std::string operator()(const WarpgroupMultiply& multiply) const {
    const auto* fragment = std::get_if<Token>(&multiply.a);
    return name_of(multiply.c) + transposed(multiply.c_transposed) + ", " +
           (fragment != nullptr ? name_of(*fragment) : place(std::get<SharedAccess>(multiply.a))) +
           transposed(multiply.a_transposed) + ", " + place(multiply.b) + transposed(multiply.b_transposed) + ", " +
           (multiply.metadata ? name_of(multiply.metadata->fragment) + ", " : "") + shape_text(multiply.shape) +
           types_text(multiply.accumulate, multiply.input);
  }
  std::string operator()(const WarpgroupCommit&) const { return ""; }
  std::string operator()(const WarpgroupWait& wait) const { return std::to_string(wait.pending); }
  std::string operator()(const ClusterBarrier& barrier) const { return barrier.relaxed ? "relaxed" : ""; }
  std::string operator()(const GridBarrier& barrier) const { return barrier.waits ? "" : "counts only"; }
  std::string operator()(const RegisterReallocate& reallocate) const { return std::to_string(reallocate.registers); }
  std::string operator()(const Map& map) const {
    std::string text = name_of(map.into) + ", " + scaled_text(map.alpha, map.a);
    if (map.b) {
      text += " " + std::string(word_of(map.combination)) + " " + scaled_text(map.beta, *map.b);
      if (map.b_from != BroadcastFrom::each) text += " of the " + std::string(word_of(map.b_from));
      if (map.b_from == BroadcastFrom::row) text += dealing_text(map.dealing);
    }
    if (map.term != 0) text += " + " + number_text(map.term);
    if (map.function != Function::identity) text += ", " + std::string(word_of(map.function));
    if (map.columns) text += ", of columns < " + to_text(*map.columns);
    if (map.diagonal) text += ", of columns <= row + " + to_text(*map.diagonal);
    return text;
  }
  std::string operator()(const Reduce& reduce) const {
    return name_of(reduce.into) + ", " + (reduce.keep ? name_of(reduce.into) + ", " : "") +
           std::string(word_of(reduce.reduction)) + " of " + name_of(reduce.from) + dealing_text(reduce.dealing);
  }
  std::string operator()(const Shuffle& shuffle) const {
    return name_of(shuffle.into) + ", " + name_of(shuffle.from) + ", lane ^ " + std::to_string(shuffle.distance);
  }
  std::string operator()(const TransposeMatrices& transpose) const { return name_of(transpose.fragment); }

 private:
  static std::string shape_text(const MmaShape& shape) {
    return "m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" + std::to_string(shape.k);
  }
  static std::string types_text(DType accumulate, DType input) {
    return "." + std::string(name(accumulate)) + "." + std::string(name(input));
  }
  template <class Moved>
  static std::string origin_text(const Moved& moved) {
    if (moved.origin_row == Layout() && moved.origin_column == Layout()) return "";
    return " from [" + to_text(moved.origin_row) + ", " + to_text(moved.origin_column) + "]";
  }
  static std::string dealing_text(const Dealing& dealing) {
    return " (" + std::to_string(dealing.slots) + " slots of " + std::to_string(dealing.vector) + ")";
  }
  [[nodiscard]] std::string scaled_text(double factor, Token token) const {
    return (factor == 1 ? "" : number_text(factor) + "*") + name_of(token);
  }
  static std::string transposed(bool is) { return is ? "^T" : ""; }
  static std::string layer_text(const Layout& layer) { return layer == Layout() ? "" : " layer " + to_text(layer); }
  static std::string peer_text(const std::optional<Layout>& peer) { return peer ? " of CTA " + to_text(*peer) : ""; }
  static std::string multicast_text(Multicast multicast) {
    if (multicast == Multicast::none) return "";
    if (multicast == Multicast::cluster) return ", to all of the cluster";
    return multicast == Multicast::along_m ? ", to those along m" : ", to those along n";
  }
  template <class Bulk>
  static std::string extent(const Bulk& bulk) {
    return std::to_string(bulk.rows) + "x" + std::to_string(bulk.columns);
  }
  /// Where in shared memory a bulk operation has its box.
  template <class Bulk>
  [[nodiscard]] std::string box(const Bulk& bulk) const {
    return tile(bulk.tile) + "{" + to_text(bulk.stage) + "}" +
           (bulk.tile_row == Layout() ? "" : "[" + to_text(bulk.tile_row) + "]");
  }
  /// Where in global memory it begins.
  template <class Bulk>
  [[nodiscard]] std::string element_of(const Bulk& bulk) const {
    return buffer(bulk.buffer) + "[" + to_text(bulk.row) + ", " + to_text(bulk.column) + "]" + layer_text(bulk.layer);
  }
  [[nodiscard]] std::string name_of(Token token) const {
    const auto index = static_cast<std::size_t>(token.index());
    return index < program_.tokens.size() ? program_.tokens[index] : "token" + std::to_string(token.index());
  }
  [[nodiscard]] std::string buffer(BufferId id) const {
    return named(schedule_ == nullptr ? nullptr : &schedule_->buffers, id.index(), "buffer");
  }
  [[nodiscard]] std::string tile(TileId id) const {
    return named(schedule_ == nullptr ? nullptr : &schedule_->shared_tiles, id.index(), "tile");
  }
  [[nodiscard]] std::string slot(const BarrierSlot& at) const {
    return named(schedule_ == nullptr ? nullptr : &schedule_->barriers, at.barrier.index(), "barrier") + "{" +
           to_text(at.slot) + "}";
  }
  template <class Access>
  [[nodiscard]] std::string element(const Access& access) const {
    std::string text = "[" + to_text(access.row) + ", " + to_text(access.column) + "]";
    if (access.vector != 1) text += " x" + std::to_string(access.vector);
    if (access.lanes) text += " where " + to_text(access.lanes->value) + " < " + std::to_string(access.lanes->limit);
    if (access.address) text += " at " + name_of(*access.address);
    if (access.uniform) text += " uniform";
    return text;
  }
  [[nodiscard]] std::string place(const GlobalAccess& access) const {
    return buffer(access.buffer) + element(access) + layer_text(access.layer);
  }
  [[nodiscard]] std::string place(const SharedAccess& access) const {
    return tile(access.tile) + "{" + to_text(access.stage) + "}" + element(access) + peer_text(access.peer);
  }

  const Program& program_;
  const Schedule* schedule_;
};

class Lister {
 public:
  Lister(const Program& program, const Schedule* schedule) : operands_(program, schedule) {}

  std::string list(const std::vector<Statement>& body, int indent, int depth) const {
    std::string text;
    for (const Statement& statement : body) {
      text += std::string(static_cast<std::size_t>(indent), ' ');
      if (const auto* operation = std::get_if<Operation>(&statement)) {
        text += line(*operation);
      } else {
        const auto& loop = std::get<Loop>(statement);
        text += "for loop" + std::to_string(depth) + walk_text(loop) +
                (loop.steps_tiles ? ":  ; a k tile a trip\n" : ":\n") + list(loop.body, indent + 2, depth + 1);
      }
    }
    return text;
  }

 private:
  static std::string walk_text(const Loop& loop) {
    if (loop.walk == Walk::items && loop.turns > 1)
      return " over work items, from " + std::to_string(loop.turn) + " on every " + std::to_string(loop.turns);
    if (loop.walk == Walk::items) return " over work items";
    if (loop.walk == Walk::k_tiles) return " over k tiles";
    return " < " + std::to_string(loop.trips);
  }
  [[nodiscard]] std::string line(const Operation& operation) const {
    constexpr std::size_t name_width = 13;
    constexpr std::size_t count_width = 6;
    std::string text = operation.count == 1 ? "" : std::to_string(operation.count) + " x";
    text.insert(0, text.size() < count_width ? count_width - text.size() : 0, ' ');
    text += " " + std::string(name(operation.action));
    const std::string operands = std::visit(operands_, operation.action);
    if (!operands.empty()) {
      const std::size_t width = count_width + 1 + name_width;
      text.append(text.size() < width ? width - text.size() : 1, ' ');
      text += operands;
    }
    if (operation.guard)
      text += "  ; if " + to_text(operation.guard->value) + " < " + std::to_string(operation.guard->limit);
    return text + "\n";
  }

  Operands operands_;
};

}  // namespace

std::string listing(const Program& program, const Schedule* schedule, int indent) {
  return Lister(program, schedule).list(program.body, indent, 0);
}

}  // namespace gpusim::schedule

namespace gpusim {

std::string to_string(const Program& program) { return schedule::listing(program, nullptr, 0); }

}  // namespace gpusim
