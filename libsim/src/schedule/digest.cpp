// A schedule's digest: FNV-1a over the values of all fields but names and choices for people, in a fixed byte order.
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "schedule/fields.h"

namespace gpusim {
namespace {

class Hash {
 public:
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T value) {
    for (int byte = 0; byte < 8; ++byte)
      add_byte(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) >> (8 * byte));
  }
  void add(double value) { add(std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value)); }
  void add(Bytes bytes) { add(bytes.count()); }
  template <class Tag>
  void add(Id<Tag> id) {
    add(id.index());
  }
  void add(const std::string& text) {
    add(text.size());
    for (const char symbol : text) add_byte(static_cast<unsigned char>(symbol));
  }
  void add(const Layout& layout) {
    add(layout.offset());
    add(layout.terms().size());
    for (const Term& term : layout.terms()) {
      add(term.source);
      for (const std::int64_t field : {term.stride, term.divisor, term.modulus, term.shift}) add(field);
    }
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  void add(const std::variant<SharedAccess, Token>& operand) {
    add(operand.index());
    std::visit([this](const auto& one) { add(one); }, operand);
  }
  void add(const Action& action) {
    add(action.index());
    std::visit([this](const auto& one) { add_fields(one); }, action);
  }
  void add(const Statement& statement) {
    add(statement.index());
    if (const auto* operation = std::get_if<Operation>(&statement)) add(operation->action);
    std::visit([this](const auto& one) { add_fields(one); },
               static_cast<const std::variant<Operation, Loop>&>(statement));
  }
  template <schedule::HasFields T>
  void add(const T& value) {
    add_fields(value);
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  template <class T>
  void add_fields(const T& value) {
    schedule::for_each_field<T>([&](const auto& member) {
      using Field = std::remove_cvref_t<decltype(value.*member.pointer)>;
      if constexpr (!std::is_same_v<Field, decltype(Schedule::choices)>)
        if (!is_for_people<T>(member.key) && !schedule::is_left_out(value, member)) {
          // Which of the fields that are rarely there it is, must be told.
          if (member.sparse) add(std::string(member.key));
          add(value.*member.pointer);
        }
    });
  }

  /// Names of fragments, tiles, barriers and the schedule itself; buffers and roles mean something by their names.
  template <class T>
  static bool is_for_people(std::string_view key) {
    constexpr bool named_for_people =
        std::is_same_v<T, Schedule> || std::is_same_v<T, SharedTile> || std::is_same_v<T, Barrier>;
    return (named_for_people && key == "name") || key == "tokens";
  }

  void add_byte(std::uint64_t byte) { value_ = (value_ ^ (byte & 0xFF)) * 0x100000001B3U; }

  std::uint64_t value_ = 0xCBF29CE484222325U;
};

}  // namespace

std::uint64_t digest(const Schedule& schedule) {
  Hash hash;
  hash.add(schedule);
  return hash.value();
}

}  // namespace gpusim
