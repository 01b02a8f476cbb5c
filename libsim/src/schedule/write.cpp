// Schedules to JSON, by their lists of fields. Buffers, tiles, barriers and fragments are referred to by name.
#include <nlohmann/json.hpp>
#include <string>

#include "gpusim/schedule_io.h"
#include "schedule/fields.h"
#include "schedule/format.h"
#include "schedule/layout_text.h"
#include "schedule/words.h"

namespace gpusim {
namespace {

using OrderedJson = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(const Schedule& schedule) : schedule_(schedule) {}

  OrderedJson write(const Schedule& schedule) {
    OrderedJson json;
    json["schema_version"] = schedule::schema_version;
    write_fields(schedule, json);
    return json;
  }

 private:
  template <class T>
  void write_fields(const T& value, OrderedJson& json) {
    if constexpr (std::is_same_v<T, Role>) tokens_ = &value.program.tokens;
    schedule::for_each_field<T>([&](const auto& member) {
      if (!schedule::is_left_out(value, member)) write_member(value.*member.pointer, member.key, json);
    });
  }
  template <class T>
  void write_member(const T& value, std::string_view key, OrderedJson& json) {
    json[std::string(key)] = json_of(value);
  }
  template <class T>
  void write_member(const std::optional<T>& value, std::string_view key, OrderedJson& json) {
    if (value) json[std::string(key)] = json_of(*value);
  }

  static OrderedJson json_of(bool value) { return value; }
  static OrderedJson json_of(int value) { return value; }
  static OrderedJson json_of(std::int64_t value) { return value; }
  static OrderedJson json_of(double value) { return value; }
  static OrderedJson json_of(const std::string& text) { return text; }
  static OrderedJson json_of(Bytes bytes) { return bytes.count(); }
  static OrderedJson json_of(const Layout& layout) {
    return layout.terms().empty() ? OrderedJson(layout.offset()) : OrderedJson(schedule::to_text(layout));
  }
  template <schedule::HasWords Enum>
  static OrderedJson json_of(Enum value) {
    return std::string(schedule::word_of(value));
  }
  [[nodiscard]] OrderedJson json_of(BufferId id) const { return name_of(schedule_.buffers, id.index()); }
  [[nodiscard]] OrderedJson json_of(TileId id) const { return name_of(schedule_.shared_tiles, id.index()); }
  [[nodiscard]] OrderedJson json_of(BarrierId id) const { return name_of(schedule_.barriers, id.index()); }
  [[nodiscard]] OrderedJson json_of(Token token) const { return tokens_->at(static_cast<std::size_t>(token.index())); }

  static OrderedJson json_of(const std::pair<std::string, std::string>& choice) {
    return {{"name", choice.first}, {"value", choice.second}};
  }
  /// A fragment is a name, an access an object.
  template <class Access, class Fragment>
  OrderedJson json_of(const std::variant<Access, Fragment>& operand) {
    return std::visit([this](const auto& one) { return OrderedJson(this->json_of(one)); }, operand);
  }
  template <class T>
  OrderedJson json_of(const std::vector<T>& values) {
    OrderedJson list = OrderedJson::array();
    for (const T& value : values) list.push_back(json_of(value));
    return list;
  }
  OrderedJson json_of(const Statement& statement) {
    OrderedJson json = OrderedJson::object();
    if (const auto* operation = std::get_if<Operation>(&statement)) {
      std::visit([&](const auto& action) { write_action(action, json); }, operation->action);
      write_fields(*operation, json);
    } else {
      write_fields(std::get<Loop>(statement), json);
    }
    return json;
  }
  template <class T>
  void write_action(const T& action, OrderedJson& json) {
    json["operation"] = std::string(schedule::FieldsOf<T>::name);
    write_fields(action, json);
  }
  template <schedule::HasFields T>
  OrderedJson json_of(const T& value) {
    OrderedJson json = OrderedJson::object();
    write_fields(value, json);
    return json;
  }

  template <class Things>
  static std::string name_of(const Things& things, std::int64_t index) {
    return things.at(static_cast<std::size_t>(index)).name;
  }

  const Schedule& schedule_;
  const std::vector<std::string>* tokens_ = nullptr;  ///< of the role being written
};

}  // namespace

std::string to_json(const Schedule& schedule) { return Writer(schedule).write(schedule).dump(2) + "\n"; }

}  // namespace gpusim
