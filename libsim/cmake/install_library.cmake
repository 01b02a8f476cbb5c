# Installs gpusim::gpusim so that find_package(gpusim) finds it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/gpusim")
install(
  TARGETS gpusim
  EXPORT gpusimTargets
  ARCHIVE COMPONENT Development
  FILE_SET HEADERS COMPONENT Development)
install(
  EXPORT gpusimTargets
  NAMESPACE gpusim::
  DESTINATION "${package_dir}"
  COMPONENT Development)
configure_package_config_file(cmake/gpusimConfig.cmake.in gpusimConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(gpusimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${CMAKE_CURRENT_BINARY_DIR}/gpusimConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/gpusimConfigVersion.cmake"
  DESTINATION "${package_dir}"
  COMPONENT Development)
install(
  FILES "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT Development)
