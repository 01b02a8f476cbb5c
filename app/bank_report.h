// Bank conflicts as a table and as JSON.
#pragma once

#include <string>

#include "bank_access.h"
#include "gpusim/banks.h"

namespace app {

[[nodiscard]] std::string bank_table(const BankAccess& access, const gpusim::BankConflicts& conflicts);
[[nodiscard]] std::string bank_json(const BankAccess& access, const gpusim::BankConflicts& conflicts);

}  // namespace app
