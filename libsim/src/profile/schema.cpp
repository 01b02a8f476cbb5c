// The JSON Schema of profile files, from the same lists that read them.
#include <nlohmann/json.hpp>

#include "gpusim/profile_io.h"
#include "profile/value_text.h"

namespace gpusim {
namespace profile_detail {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson value_schema(const Field& field) {
  const OrderedJson number =
      std::same_as<T, Rate> ? OrderedJson{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", largest_rate_amount}}
                            : OrderedJson{{"type", "integer"}, {"minimum", field.minimum}, {"maximum", field.maximum}};
  OrderedJson forms = OrderedJson::array({number});
  if (std::same_as<T, Rate>) {
    forms.push_back({{"type", "string"}, {"pattern", "^([0-9]+(\\.[0-9]{1,6})?|[0-9]+/[0-9]+)$"}});
  }
  if (counts_bytes<T>) {
    forms.push_back({{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]{1,6})?([KMG]iB)?$"}});
  } else if (std::same_as<T, Limited<std::int64_t>>) {
    forms.push_back({{"type", "string"}, {"pattern", "^[0-9]+$"}});
  }
  if (may_be_unlimited<T>) forms.push_back({{"const", "unlimited"}});
  return forms.size() == 1 ? number : OrderedJson{{"anyOf", forms}};
}

template <class T>
OrderedJson member_schema(const Field& field);

template <class T>
OrderedJson group_schema() {
  OrderedJson properties = OrderedJson::object();
  T::fields([&](const Field& field, auto pointer) {
    using Member = std::remove_cvref_t<decltype(std::declval<T&>().*pointer)>;
    properties[std::string(field.key)] = member_schema<Member>(field);
  });
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

template <class T>
OrderedJson member_schema(const Field& field) {
  OrderedJson schema;
  if constexpr (Number<T>) {
    schema = {{"type", "object"},
              {"properties",
               {{"value", value_schema<T>(field)},
                {"method", {{"$ref", "#/$defs/method"}}},
                {"source", {{"$ref", "#/$defs/source"}}}}},
              {"required", {"value", "method", "source"}},
              {"additionalProperties", false}};
  } else if constexpr (std::same_as<T, bool>) {
    schema = {{"type", "boolean"}};
  } else if constexpr (Word<T>) {
    schema = {{"enum", words(T{})}};
  } else if constexpr (Group<T>) {
    schema = group_schema<T>();
  } else if constexpr (OptionalGroup<T>) {
    schema = {{"anyOf", OrderedJson::array({group_schema<typename T::value_type>(), {{"type", "null"}}})}};
  } else {
    static_assert(GroupList<T>);
    schema = {{"type", "array"}, {"items", group_schema<typename T::value_type>()}, {"maxItems", most_groups}};
  }
  schema["description"] = std::string(field.doc) + (field.unit.empty() ? "" : " [" + std::string(field.unit) + "]");
  return schema;
}

OrderedJson text_schema(std::string_view description) {
  return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

}  // namespace
}  // namespace profile_detail

std::string profile_schema() {
  using namespace profile_detail;
  OrderedJson schema = group_schema<Profile>();
  OrderedJson properties = {
      {"name", text_schema("What the profile is called.")},
      {"title", text_schema("The GPU's full name.")},
      {"architecture", text_schema("Its architecture, for people.")},
      {"compute_capability",
       text_schema("Its compute capability, for people; another one than the base's takes over no numbers.")},
      {"aliases",
       {{"type", "array"},
        {"items", {{"type", "string"}}},
        {"description", "Other names it answers to; case, spaces and hyphens do not matter."}}},
      {"base",
       text_schema("A built-in profile's name, or a file relative to this one: gives what is not stated here.")},
      {"references",
       {{"type", "object"},
        {"propertyNames", {{"pattern", "^[a-z0-9-]+$"}}},
        {"additionalProperties", {{"type", "string"}, {"minLength", 1}}},
        {"description", "Citations by short name, for ref:name in sources."}}},
      {"description", text_schema("What else a reader should know.")}};
  properties.update(schema["properties"]);
  const OrderedJson complete = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "gpusim profile"},
      {"type", "object"},
      {"properties", properties},
      {"required", {"name", "title"}},
      {"additionalProperties", false},
      {"$defs",
       {{"method", {{"enum", words(Method{})}, {"description", "How the number is known."}}},
        {"source", text_schema("Where the number comes from; ref:name stands for a citation.")}}}};
  return complete.dump(2) + "\n";
}

}  // namespace gpusim
