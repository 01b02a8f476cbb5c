# gpusim_add_warnings(target): what our own code is held to; never passed on to consumers.
#
# A designated initializer that leaves members at their defaults is what it is for, so gcc need not warn of it.
function(gpusim_add_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
                                           $<$<BOOL:${GPUSIM_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
