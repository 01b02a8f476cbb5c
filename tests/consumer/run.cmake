# Installs GPUSIM_BUILD into WORK, then configures, builds and runs the consumer project against that. Run as cmake -P.
set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${WORK}")

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

step("${CMAKE_COMMAND}" --install "${GPUSIM_BUILD}" --prefix "${prefix}" --component Development)
step(
  "${CMAKE_COMMAND}"
  -S "${CMAKE_CURRENT_LIST_DIR}"
  -B "${WORK}/build"
  -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}"
  -DCMAKE_BUILD_TYPE=Release)
step("${CMAKE_COMMAND}" --build "${WORK}/build")
step("${WORK}/build/consumer")
