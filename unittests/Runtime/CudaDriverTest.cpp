//===- CudaDriverTest.cpp - The C files that launchers have copies of -----===//
//
// The driver is a library of the tests, or a table of functions that write down
// what they are asked for.
//
//===----------------------------------------------------------------------===//

#include "../../runtime/cuda/launch.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

/// What the functions of the table have been asked, and how they answer.
std::vector<std::string> asked;
int moduleResult = 0, functionResult = 0, cacheResult = 0;
CUmodule const kModule = reinterpret_cast<CUmodule>(0x10);
CUfunction const kFunction = reinterpret_cast<CUfunction>(0x20);

int loadModule(CUmodule *module, const void *, unsigned count, int *,
               void **values) {
  // A driver may leave anything there if it fails.
  *module = kModule;
  if (count && moduleResult)
    snprintf(static_cast<char *>(values[0]),
             reinterpret_cast<uintptr_t>(values[1]), "no cubin");
  return moduleResult;
}

int getFunction(CUfunction *function, CUmodule, const char *name) {
  asked.push_back(name);
  *function = kFunction;
  return functionResult;
}

int setCache(CUfunction, int config) {
  asked.push_back("cache " + std::to_string(config));
  return cacheResult;
}

int setAttribute(CUfunction, int attribute, int value) {
  asked.push_back(std::to_string(attribute) + " " + std::to_string(value));
  return 0;
}

int launch(const TritonSharedLaunchConfig *config, CUfunction, void **,
           void **) {
  std::string text;
  for (unsigned size : config->grid)
    text += std::to_string(size) + " ";
  for (unsigned size : config->block)
    text += std::to_string(size) + " ";
  text += std::to_string(config->sharedBytes);
  for (unsigned i = 0; i < config->attributeCount; ++i)
    text += " " + std::to_string(config->attributes[i].id) + ":" +
            std::to_string(config->attributes[i].value.flag);
  asked.push_back(text);
  return 0;
}

struct CudaLaunch : testing::Test {
  void SetUp() override {
    asked.clear();
    moduleResult = functionResult = cacheResult = 0;
    driver.cuModuleLoadDataEx = loadModule;
    driver.cuModuleGetFunction = getFunction;
    driver.cuFuncSetCacheConfig = setCache;
    driver.cuFuncSetAttribute = setAttribute;
    driver.cuLaunchKernelEx = launch;
  }

  TritonSharedDriver driver = {};
  CUmodule module = nullptr;
  CUfunction function = nullptr;
};

/// Why `path` is no driver; empty if it is one.
std::string findDriver(const char *path) {
  TritonSharedDriver driver;
  char text[4096];
  bool isFound = tritonSharedFindDriver(path, &driver, text, sizeof text);
  return isFound ? "" : text;
}

} // namespace

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

TEST(CudaDriver, AMissingLibraryIsNamedWithTheWayOut) {
  std::string text = findDriver("/nowhere/libcuda.so.1");
  EXPECT_EQ(text.find("the CUDA driver does not load: /nowhere/libcuda.so.1"),
            0u)
      << text;
  EXPECT_NE(text.find("\ninstall the NVIDIA driver, or point "
                      "TRITON_SHARED_LIBCUDA at its libcuda.so.1"),
            std::string::npos)
      << text;
}

TEST(CudaDriver, TheFirstFunctionThatIsMissingIsNamed) {
  EXPECT_EQ(findDriver("libm.so.6"),
            "the CUDA driver 'libm.so.6' cannot be used: it lacks the function "
            "'cuInit'\nupdate the NVIDIA driver: CUDA 12 or newer is needed");
}

TEST(CudaDriver, WithoutRoomForWordsThereAreNone) {
  TritonSharedDriver driver;
  EXPECT_FALSE(tritonSharedFindDriver("/nowhere", &driver, nullptr, 0));
  char text[12];
  EXPECT_FALSE(tritonSharedFindDriver("/nowhere", &driver, text, sizeof text));
  EXPECT_STREQ(text, "the CUDA dr");
}

TEST(CudaDriver, EveryFunctionOfTheListIsFilledIn) {
  TritonSharedDriver driver = {};
  char text[4096] = "";
  ASSERT_TRUE(
      tritonSharedFindDriver(FAKE_CUDA_LIBRARY, &driver, text, sizeof text))
      << text;
#define EXPECT_FOUND(name, parameters) EXPECT_NE(driver.name, nullptr) << #name;
  TRITON_SHARED_DRIVER_FUNCTIONS(EXPECT_FOUND)
#undef EXPECT_FOUND
  const char *name = nullptr;
  EXPECT_EQ(driver.cuGetErrorName(100, &name), 0);
  EXPECT_STREQ(name, "CUDA_ERROR_NO_DEVICE");
}

//===----------------------------------------------------------------------===//
// Loading and launching
//===----------------------------------------------------------------------===//

TEST_F(CudaLaunch, AFunctionIsFoundByItsName) {
  EXPECT_EQ(tritonSharedLoadFunction(&driver, "", "add", nullptr, 0, &module,
                                     &function),
            0);
  EXPECT_EQ(module, kModule);
  EXPECT_EQ(function, kFunction);
  EXPECT_EQ(asked, std::vector<std::string>{"add"});
}

TEST_F(CudaLaunch, AnImageThatDoesNotLoadLeavesNoModule) {
  moduleResult = 200;
  char log[64] = "";
  EXPECT_EQ(tritonSharedLoadFunction(&driver, "", "add", log, sizeof log,
                                     &module, &function),
            200);
  EXPECT_EQ(module, nullptr);
  EXPECT_STREQ(log, "no cubin");
  EXPECT_TRUE(asked.empty());
}

TEST_F(CudaLaunch, AFunctionThatIsNotThereLeavesTheModuleToUnload) {
  functionResult = 500;
  EXPECT_EQ(tritonSharedLoadFunction(&driver, "", "add", nullptr, 0, &module,
                                     &function),
            500);
  EXPECT_EQ(module, kModule);
}

TEST_F(CudaLaunch, MuchSharedMemoryIsAskedFor) {
  EXPECT_EQ(tritonSharedReserveShared(&driver, kFunction, 49152), 0);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(tritonSharedReserveShared(&driver, kFunction, 49153), 0);
  EXPECT_EQ(asked, (std::vector<std::string>{"cache 1", "8 49153"}));
  cacheResult = 201;
  EXPECT_EQ(tritonSharedReserveShared(&driver, kFunction, 49153), 201);
  EXPECT_EQ(asked.back(), "cache 1");
}

TEST_F(CudaLaunch, ProgramsThatShareABlockAreCountedInBlocks) {
  TritonSharedGridLaunch grid = {{9, 3, 2}, 32, 4, nullptr, false, false};
  EXPECT_EQ(tritonSharedLaunch(&driver, kFunction, 128, &grid, nullptr), 0);
  EXPECT_EQ(asked.back(), "3 3 2 32 4 1 128");
}

TEST_F(CudaLaunch, WhatIsAskedOfTheGridIsAnAttribute) {
  TritonSharedGridLaunch grid = {{1, 1, 1}, 32, 1, nullptr, false, true};
  EXPECT_EQ(tritonSharedLaunch(&driver, kFunction, 0, &grid, nullptr), 0);
  EXPECT_EQ(asked.back(), "1 1 1 32 1 1 0 6:1");
  grid.isCooperative = true;
  EXPECT_EQ(tritonSharedLaunch(&driver, kFunction, 0, &grid, nullptr), 0);
  EXPECT_EQ(asked.back(), "1 1 1 32 1 1 0 2:1 6:1");
}
