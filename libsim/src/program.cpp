#include "gpusim/program.h"

#include <utility>

namespace gpusim {

Token Program::token(std::string name) {
  tokens.push_back(std::move(name));
  return Token(static_cast<std::int64_t>(tokens.size()) - 1);
}

}  // namespace gpusim
