# What another project needs to build on this one: static libraries, headers,
# and a package that `find_package(TritonShared)` finds. The component is
# `development`; wheels hold the component `python` only.

include(CMakePackageConfigHelpers)
set(TRITON_SHARED_PACKAGE lib/cmake/TritonShared)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/triton-shared
        DESTINATION include COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/triton-shared
        DESTINATION include COMPONENT development
        FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)

install(EXPORT TritonSharedTargets NAMESPACE TritonShared::
        DESTINATION ${TRITON_SHARED_PACKAGE} COMPONENT development)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TritonSharedConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TritonSharedConfig.cmake
  INSTALL_DESTINATION ${TRITON_SHARED_PACKAGE})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TritonSharedConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TritonSharedConfig.cmake
              ${PROJECT_BINARY_DIR}/TritonSharedConfigVersion.cmake
        DESTINATION ${TRITON_SHARED_PACKAGE} COMPONENT development)
