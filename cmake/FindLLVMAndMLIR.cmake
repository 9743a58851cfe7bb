# Finds the packaged LLVM and MLIR 22 and takes over their compile settings.
#
# LLVM's exported targets name zstd::libzstd_shared, so zstd comes first, and its
# find module lies in LLVM's own folder. Asking find_package for a version of
# MLIR is rejected by its config file: check it here.

set(TRITON_SHARED_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Prefix of LLVM and MLIR 22")
set(TRITON_SHARED_MLIR_LIBRARIES MLIR LLVM CACHE STRING
    "What is linked for MLIR and LLVM; a tree that embeds this one may name its own libraries")

list(APPEND CMAKE_MODULE_PATH ${TRITON_SHARED_LLVM_ROOT}/lib/cmake/llvm)
# Projects that add this one link what it finds.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_package(zstd REQUIRED)
find_package(MLIR REQUIRED CONFIG HINTS ${TRITON_SHARED_LLVM_ROOT}/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "triton-shared needs LLVM 22, found ${LLVM_PACKAGE_VERSION} "
                      "in ${LLVM_DIR}; set TRITON_SHARED_LLVM_ROOT")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

# The packaged libMLIR is built by clang. MLIR identifies traits by the name that
# the compiler gives a type, and GCC spells local classes differently: built by
# GCC, no operation of libMLIR would seem to have the traits we ask for.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "triton-shared must be compiled with clang to match the packaged libMLIR; "
                      "use a preset (cmake --preset dev) or -DCMAKE_CXX_COMPILER=clang++-22")
endif()

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_program(TRITON_SHARED_MOLD mold)
if(TRITON_SHARED_MOLD)
  foreach(kind EXE SHARED MODULE)
    string(APPEND CMAKE_${kind}_LINKER_FLAGS " -fuse-ld=mold")
  endforeach()
endif()

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(LLVM_ENABLE_RTTI ON)
set(LLVM_ENABLE_WARNINGS ON)
set(LLVM_ENABLE_PEDANTIC OFF)
include(HandleLLVMOptions)
add_compile_definitions(${LLVM_DEFINITIONS_LIST})
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
