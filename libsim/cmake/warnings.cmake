# gpusim_add_warnings(target): what our own code is held to; never passed on to consumers.
#
# In a unity build nothing is said of a local name that another file uses at file scope.
#
# Off, with all else on: missing-field-initializers, because leaving members at their defaults is what a designated
# initializer is for; restrict and maybe-uninitialized, which gcc 12 raises inside std::string and std::variant when it
# inlines them (the sanitizers look for the real ones).
function(gpusim_add_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                      $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow>
                      "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>"
                      $<$<BOOL:${GPUSIM_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
