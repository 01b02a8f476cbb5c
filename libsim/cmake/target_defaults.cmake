# gpusim_target_defaults(target): the language, warnings and instrumentation every target of ours has.
function(gpusim_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Fused multiply-adds would make floating-point results depend on the compiler.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # Position-independent code is not there to have its functions replaced: without this gcc inlines only what is inline.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  gpusim_add_warnings(${target})
  gpusim_add_sanitizers(${target})
endfunction()
