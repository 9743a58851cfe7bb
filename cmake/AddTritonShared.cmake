# How every C++ target of the project is made: warnings, one precompiled header
# for all libraries, MLIR and LLVM as shared libraries.

# ccache looks into a precompiled header, instead of at its time, only if it is told so here
# and the compiler leaves the time out.
find_program(TRITON_SHARED_CCACHE ccache)
if(TRITON_SHARED_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TRITON_SHARED_CCACHE})
endif()

# Warnings and -Werror: for the targets of this project only.
add_library(TritonSharedSettings INTERFACE)
target_compile_options(TritonSharedSettings INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -fno-exceptions
  "SHELL:-Xclang -fno-pch-timestamp"
  $<$<BOOL:${TRITON_SHARED_WERROR}>:-Werror>)

# Sanitizers, for the extension module as well, whose other settings are Python's. The runtime of one
# is a library of its own: Python loads it before ours. The checks of types at run time know nothing
# of classes that Debian's libMLIR has made.
add_library(TritonSharedSanitizer INTERFACE)
target_link_libraries(TritonSharedSettings INTERFACE TritonSharedSanitizer)
if(TRITON_SHARED_SANITIZE)
  target_compile_options(TritonSharedSanitizer INTERFACE
    -fsanitize=${TRITON_SHARED_SANITIZE} -fno-sanitize=vptr,function
    -fno-sanitize-recover=all -fno-omit-frame-pointer -gline-tables-only)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE runtime)
  cmake_path(GET runtime PARENT_PATH runtime)
  target_link_options(TritonSharedSanitizer INTERFACE
    -fsanitize=${TRITON_SHARED_SANITIZE} -shared-libsan -Wl,-rpath,${runtime})
endif()

# What users of the libraries need too: where the headers are, and whose `tt` they mean.
add_library(TritonSharedHeaders INTERFACE)
add_library(TritonShared::Headers ALIAS TritonSharedHeaders)
set_target_properties(TritonSharedHeaders PROPERTIES EXPORT_NAME Headers)
target_include_directories(TritonSharedHeaders INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:include>)
target_include_directories(TritonSharedHeaders SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}>")
if(TRITON_SHARED_TT_DIALECT STREQUAL embedding)
  target_compile_definitions(TritonSharedHeaders INTERFACE TRITON_SHARED_TT_DIALECT_EMBEDDING)
endif()
install(TARGETS TritonSharedHeaders EXPORT TritonSharedTargets)

# The precompiled header is compiled once, here, and reused by every library.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/Precompiled.cpp
     CONTENT "// Carries the precompiled header.\n")
add_library(TritonSharedPrecompiled STATIC ${PROJECT_BINARY_DIR}/Precompiled.cpp)
target_link_libraries(TritonSharedPrecompiled PRIVATE TritonSharedSettings TritonSharedHeaders)
target_precompile_headers(TritonSharedPrecompiled PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/Precompiled.h)
add_dependencies(TritonSharedPrecompiled TritonSharedIncGen)

# add_triton_shared_library(name source... [DEPENDS target...] [LINK library...])
# Other projects know `TritonSharedAnalysis` as `TritonShared::Analysis`.
function(add_triton_shared_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  set_property(GLOBAL APPEND PROPERTY TRITON_SHARED_LIBRARIES ${name})
  target_precompile_headers(${name} REUSE_FROM TritonSharedPrecompiled)
  target_link_libraries(${name}
    PUBLIC ${arg_LINK} ${TRITON_SHARED_MLIR_LIBRARIES} TritonSharedHeaders
    PRIVATE $<BUILD_INTERFACE:TritonSharedSettings>)
  add_dependencies(${name} TritonSharedIncGen ${arg_DEPENDS})
  string(REGEX REPLACE "^TritonShared" "" short_name ${name})
  add_library(TritonShared::${short_name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short_name})
  install(TARGETS ${name} EXPORT TritonSharedTargets
          ARCHIVE DESTINATION lib COMPONENT development)
endfunction()

# add_triton_shared_executable(name source... [LINK library...])
function(add_triton_shared_executable name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  # The precompiled header is made for -fPIC, so executables are compiled so too.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM TritonSharedPrecompiled)
  target_link_libraries(${name} PRIVATE
    ${arg_LINK} ${TRITON_SHARED_MLIR_LIBRARIES} TritonSharedHeaders TritonSharedSettings)
  add_dependencies(${name} TritonSharedIncGen)
endfunction()
