# gpusim_add_sanitizers(target): instruments a target with the sanitizers named in GPUSIM_SANITIZE, and lets the standard
# library check its preconditions (indices, iterators) as well.
function(gpusim_add_sanitizers target)
  if(GPUSIM_SANITIZE)
    set(flags -fsanitize=${GPUSIM_SANITIZE} -fno-omit-frame-pointer)
    if(GPUSIM_SANITIZE MATCHES "undefined")
      list(APPEND flags -fno-sanitize-recover=undefined)
      if(GPUSIM_SANITIZE MATCHES "address")
        # What uses a pointer that is null or beyond its object AddressSanitizer sees; looking at each took half of the
        # compiler's time.
        list(APPEND flags -fno-sanitize=null,object-size,pointer-overflow)
      endif()
    endif()
    target_compile_options(${target} PRIVATE ${flags})
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    target_link_options(${target} PRIVATE ${flags})
  endif()
endfunction()
