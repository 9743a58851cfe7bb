# The library once more, with LLVM and MLIR inside, and with the tools: for machines that have
# neither, and for the wheel.
#
#   ninja -C build TritonSharedStatic    makes build/static/libTritonShared.so
#
# The objects are those of the usual build; only the link differs. Debian's exported targets name
# the shared libLLVM, and with both, options are registered twice and the process ends. So the
# archives are named one by one: all of MLIR, and of LLVM what compiles for X86 and NVPTX.

find_program(TRITON_SHARED_LLVM_CONFIG llvm-config
  PATHS ${TRITON_SHARED_LLVM_ROOT}/bin NO_DEFAULT_PATH)

# The libraries of this project without what they pull in.
get_property(own_libraries GLOBAL PROPERTY TRITON_SHARED_LIBRARIES)
foreach(library ${own_libraries})
  list(APPEND own_archives $<TARGET_FILE:${library}>)
endforeach()

file(GLOB mlir_archives ${TRITON_SHARED_LLVM_ROOT}/lib/libMLIR*.a)
list(FILTER mlir_archives EXCLUDE REGEX "CAPI|Test|Tblgen")
if(TRITON_SHARED_LLVM_CONFIG AND mlir_archives)
  execute_process(
    COMMAND ${TRITON_SHARED_LLVM_CONFIG} --link-static --libs
            x86 nvptx orcjit passes ipo irreader linker bitwriter frontendopenmp perfjitevents
            supportlsp
    OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(llvm_archives)
  find_library(TRITON_SHARED_ZSTD_ARCHIVE libzstd.a)
  find_library(TRITON_SHARED_Z_ARCHIVE libz.a)

  # The tools' objects without their `main`, which calls what is left.
  foreach(tool opt reduce lsp)
    list(APPEND tool_objects
      $<FILTER:$<TARGET_OBJECTS:triton-shared-${tool}>,EXCLUDE,/main\\.cpp\\.o$>)
  endforeach()

  add_library(TritonSharedStatic SHARED EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:TritonSharedCAPI> ${tool_objects})
  add_dependencies(TritonSharedStatic ${own_libraries})
  set_target_properties(TritonSharedStatic PROPERTIES
    OUTPUT_NAME TritonShared
    LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static
    BUILD_RPATH $ORIGIN)
  target_link_directories(TritonSharedStatic PRIVATE ${TRITON_SHARED_LLVM_ROOT}/lib)
  target_link_libraries(TritonSharedStatic PRIVATE
    -Wl,--start-group ${own_archives} ${mlir_archives} ${llvm_archives} -Wl,--end-group
    ${TRITON_SHARED_ZSTD_ARCHIVE} ${TRITON_SHARED_Z_ARCHIVE} TBB::tbb ${CMAKE_DL_LIBS})
  target_link_options(TritonSharedStatic PRIVATE
    -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--build-id=sha1 -Wl,-z,defs
    -Wl,--gc-sections -Wl,-s)
endif()
