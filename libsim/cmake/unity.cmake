# gpusim_unity_by_folder(target): in a unity build (CMAKE_UNITY_BUILD) a folder's files are compiled as one, so what is
# local to a file has a name that no other file of its folder has.
function(gpusim_unity_by_folder target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
