// A table of measured products for the command, in a folder of its own.
#pragma once

#include <string>

#include "support/command.h"

namespace gpusim::testing {

inline const std::string gemm_header = "gpu,m,n,k,batch,dtype_in,dtype_acc,schedule_notes,time_us,tier,source\n";
inline const std::string good_row = "V100,128,128,64,1,fp16,fp32,,10,A,\n";
inline const std::string other_row = "RTX 3090,128,256,64,1,fp32,fp32,cta_tile=64x64 splitK=2,10,B,\n";

struct GemmTableFile {
  explicit GemmTableFile(const std::string& rows) : path(folder / "t.csv") { write(path, gemm_header + rows); }

  [[nodiscard]] Said validate(const std::string& options = "") const {
    return gpusim_command("validate --gemm " + path + " " + options);
  }

  Folder folder;
  std::string path;
};

}  // namespace gpusim::testing
