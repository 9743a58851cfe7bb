//===- CompileAndRunTest.cpp - The C interface from text to results -------===//

#include "triton-shared/CAPI/TritonShared.h"
#include "llvm/Support/Compiler.h"
#include "gtest/gtest.h"

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// `out[pid] = in[pid] + bias`, after `in[pid] >= 0` was asserted.
constexpr std::string_view kKernel = R"(
tt.func public @add(%in: !tt.ptr<i32>, %out: !tt.ptr<i32>, %bias: i32) {
  %zero = arith.constant 0 : i32
  %pid = tt.get_program_id x : i32
  %from = tt.addptr %in, %pid : !tt.ptr<i32>, i32
  %to = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  %value = tt.load %from : !tt.ptr<i32>
  %good = arith.cmpi sge, %value, %zero : i32
  tt.assert %good, "not negative" : i1
  %sum = arith.addi %value, %bias : i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}
)";

TritonSharedString borrow(std::string_view text) {
  return {text.data(), text.size()};
}

std::string copy(TritonSharedString text) {
  return std::string(text.data, text.size);
}

struct Compilation {
  explicit Compilation(std::string_view source, std::string_view options = "")
      : handle(tritonSharedCompile(borrow(source), borrow(options))) {}
  ~Compilation() { tritonSharedCompilationDestroy(handle); }

  bool succeeded() const { return tritonSharedCompilationSucceeded(handle); }
  std::string diagnostics() const {
    return copy(tritonSharedCompilationGetDiagnostics(handle));
  }
  std::string metadata() const {
    return copy(tritonSharedCompilationGetMetadata(handle));
  }
  std::string artefact(std::string_view phase) const {
    return copy(tritonSharedCompilationGetArtefact(handle, borrow(phase)));
  }

  TritonSharedCompilation *handle;
};

/// Loads and launches; `error` is what went wrong, or empty.
struct Kernel {
  Kernel(std::string_view object, std::string_view entry) {
    char *text = nullptr;
    handle = tritonSharedKernelLoad(borrow(object), borrow(entry), &text);
    take(text);
  }
  ~Kernel() {
    if (handle)
      tritonSharedKernelDestroy(handle);
  }

  bool launch(void *const *args, TritonSharedLaunch launch) {
    char *text = nullptr;
    bool isDone = tritonSharedKernelLaunch(handle, args, &launch, &text);
    take(text);
    return isDone;
  }

  void take(char *text) {
    error = text ? text : "";
    tritonSharedFree(text);
  }

  TritonSharedKernel *handle;
  std::string error;
};

/// The arguments of `add`.
struct Arguments {
  explicit Arguments(size_t programs) : in(programs), out(programs, -1) {
    std::iota(in.begin(), in.end(), 0);
  }

  std::array<void *, 3> places() { return {&inData, &outData, &bias}; }

  std::vector<int32_t> in, out;
  int32_t *inData = in.data(), *outData = out.data(), bias = 10;
};

TEST(Version, HasBuildId) {
  std::string version = copy(tritonSharedVersion());
  EXPECT_NE(version.find("+llvm22."), std::string::npos);
  EXPECT_EQ(version.size() - version.rfind('.') - 1, 16u) << version;
}

constexpr std::string_view kMetadata =
    R"({"args":["ptr","ptr","i32"],"entry":"add.entry","hidden":[)"
    R"({"alignment":4,"bytes":4,"kind":"grid.x"},)"
    R"({"alignment":4,"bytes":4,"kind":"grid.y"},)"
    R"({"alignment":4,"bytes":4,"kind":"grid.z"},)"
    R"({"alignment":8,"bytes":8,"kind":"programs.first"},)"
    R"({"alignment":8,"bytes":8,"kind":"programs.count"},)"
    R"({"alignment":8,"bytes":8,"kind":"programs.running"}],"name":"add"})";

TEST(Compile, GivesEveryPhase) {
  Compilation compilation(kKernel, "mode=reference to-phase=obj");
  ASSERT_TRUE(compilation.succeeded()) << compilation.diagnostics();
  EXPECT_NE(compilation.artefact("ttir").find("tt.load"), std::string::npos);
  EXPECT_NE(compilation.artefact("linalg").find("tts.load"), std::string::npos);
  EXPECT_NE(compilation.artefact("memref").find("memref<*xi32>"),
            std::string::npos);
  EXPECT_NE(compilation.artefact("llir").find("define void @add.entry"),
            std::string::npos);
  EXPECT_EQ(compilation.artefact("obj").substr(0, 4), "\x7f"
                                                      "ELF");
  EXPECT_EQ(compilation.metadata(), kMetadata);
}

TEST(Compile, StopsAtPhase) {
  Compilation compilation(kKernel, "to-phase=linalg");
  ASSERT_TRUE(compilation.succeeded()) << compilation.diagnostics();
  EXPECT_FALSE(compilation.artefact("linalg").empty());
  EXPECT_TRUE(compilation.artefact("memref").empty());
  Compilation rest(compilation.artefact("linalg"));
  EXPECT_TRUE(rest.succeeded()) << rest.diagnostics();
  EXPECT_EQ(rest.metadata(), kMetadata);
  // What a launch fills in is known once there is an entry.
  EXPECT_EQ(compilation.metadata(),
            R"({"args":["ptr","ptr","i32"],"entry":"add.entry","name":"add"})");
}

TEST(Compile, ReportsBadText) {
  Compilation compilation("this is not MLIR");
  EXPECT_FALSE(compilation.succeeded());
  EXPECT_EQ(compilation.diagnostics().substr(0, 16), "ttir:1:1: error:");
}

TEST(Compile, ListsItsWords) {
  EXPECT_EQ(copy(tritonSharedListPhases(/*forGpu=*/false)),
            "ttir structured linalg memref llir obj");
  EXPECT_EQ(copy(tritonSharedListPhases(/*forGpu=*/true)),
            "ttir structured linalg cta gpu llir ptx cubin");
  std::string options = copy(tritonSharedListTargetOptions());
  EXPECT_NE(
      options.find("\"name\":\"keep-warps\",\"values\":\"true or false\""),
      std::string::npos)
      << options;
  Compilation compilation(kKernel, "to-phase=linalg");
  EXPECT_EQ(copy(tritonSharedCompilationListArtefacts(compilation.handle)),
            "linalg structured ttir");
}

TEST(Compile, ReportsUnknownOptions) {
  std::string unknown = Compilation(kKernel, "speed=high").diagnostics();
  EXPECT_EQ(
      unknown.find("error: unknown option 'speed'; use one of target, mode, "),
      0u);
  EXPECT_NE(unknown.find("dump-dir, from, keep, explain, launch, passes\n"),
            std::string::npos);
  EXPECT_TRUE(Compilation(kKernel, "keep-warps=true").succeeded());
  std::string bad = Compilation(kKernel, "mode=quick").diagnostics();
  EXPECT_EQ(bad.find("error: unknown value 'quick' of option 'mode'; use "
                     "reference"),
            0u);
  EXPECT_EQ(Compilation(kKernel, "from=c").diagnostics(),
            "error: unknown value 'c' of option 'from'; use mlir or llvm-ir\n");
  EXPECT_EQ(Compilation(kKernel, "explain=cost launch={n=many}").diagnostics(),
            "error: unknown value '{n=many}' of option 'launch'; use {n=5000 "
            "program.x=4}\n");
}

/// Row `program.x` of an attention's loop: blocks of 8 up to the row's end, of
/// which the last one is masked; and a loop that memory ends.
constexpr std::string_view kLoops = R"(
tt.func public @loops(%in: !tt.ptr<f32> loc("in"), %n: i32 loc("n")) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %n : i32
  %lanes = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  scf.for %at = %c0 to %row step %c8 : i32 {
    %ats = tt.splat %at : i32 -> tensor<8xi32>
    %places = arith.addi %ats, %lanes : tensor<8xi32>
    %rows = tt.splat %row : i32 -> tensor<8xi32>
    %live = arith.cmpi slt, %places, %rows : tensor<8xi32>
    %from = tt.addptr %ins, %places : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %x = tt.load %from, %live : tensor<8x!tt.ptr<f32>>
    %y = arith.mulf %x, %x : tensor<8xf32>
    tt.store %from, %y, %live : tensor<8x!tt.ptr<f32>>
  }
  tt.return
}
)";

std::string countCost(std::string_view source, const std::string &launch) {
  Compilation compilation(source, "explain=cost launch={" + launch + "}");
  EXPECT_TRUE(compilation.succeeded()) << compilation.diagnostics();
  return compilation.artefact("cost");
}

TEST(Compile, CountsWhatAProgramDoesTurnByTurn) {
  // Turns of 8, 8 and 4 elements, each read and written.
  EXPECT_EQ(countCost(kLoops, "n=10 program.x=2"),
            R"({"bytes":160,"flops":24})");
  EXPECT_EQ(countCost(kLoops, "n=10 program.x=0"), R"({"bytes":0,"flops":0})");
}

TEST(Compile, SaysWhatALaunchDoesNotKnowOfItsCost) {
  std::string cost = countCost(kLoops, "n=10");
  EXPECT_NE(cost.find(R"("bytes":null,"flops":null)"), std::string::npos);
  EXPECT_NE(cost.find(R"("op":"scf.for")"), std::string::npos);
  EXPECT_NE(cost.find(R"("reason":"turns as often as data say")"),
            std::string::npos);
}

TEST(Compile, RunsPassesAndNothingElse) {
  Compilation run(kKernel, "passes=triton-pointers-to-structured,canonicalize");
  EXPECT_TRUE(run.succeeded());
  EXPECT_NE(run.artefact("module").find("tts.load"), std::string::npos);
  EXPECT_EQ(run.artefact("obj"), "");
  std::string unknown = Compilation(kKernel, "passes=no-such").diagnostics();
  EXPECT_NE(unknown.find("'no-such' does not refer to a registered pass"),
            std::string::npos);
}

TEST(Compile, ReportsModuleWithoutKernel) {
  Compilation compilation("module {}");
  EXPECT_FALSE(compilation.succeeded());
  EXPECT_NE(compilation.diagnostics().find("holds no kernel"),
            std::string::npos);
}

TEST(Load, ReportsWhatIsNoObject) {
  Kernel kernel("not an object", "add.entry");
  EXPECT_EQ(kernel.handle, nullptr);
  EXPECT_NE(kernel.error.find("cannot load the object of the kernel"),
            std::string::npos);
}

class Launch : public testing::Test {
protected:
  Compilation compilation{kKernel};
  Kernel kernel{compilation.artefact("obj"), "add.entry"};
};

TEST_F(Launch, RunsEveryProgramInAnyOrder) {
  ASSERT_NE(kernel.handle, nullptr) << kernel.error;
  for (TritonSharedGridOrder order :
       {TritonSharedGridOrderForward, TritonSharedGridOrderReverse,
        TritonSharedGridOrderRandom})
    for (uint32_t threads : {0u, 1u, 2u}) {
      Arguments arguments(1003);
      ASSERT_TRUE(kernel.launch(arguments.places().data(),
                                {{1003, 1, 1}, threads, order, 42}));
      for (int32_t i = 0; i < 1003; ++i)
        ASSERT_EQ(arguments.out[i], i + 10);
    }
}

TEST_F(Launch, RunsNothingOfAnEmptyGrid) {
  Arguments arguments(4);
  EXPECT_TRUE(kernel.launch(arguments.places().data(),
                            {{4, 0, 1}, 0, TritonSharedGridOrderForward, 0}));
  EXPECT_EQ(arguments.out, std::vector<int32_t>(4, -1));
}

TEST_F(Launch, EndsTheProgramWhoseAssertionFails) {
  Arguments arguments(8);
  arguments.in[3] = -7;
  EXPECT_FALSE(kernel.launch(arguments.places().data(),
                             {{8, 1, 1}, 1, TritonSharedGridOrderForward, 0}));
  EXPECT_EQ(kernel.error,
            "ttir:9: pid (3, 0, 0): assertion failed: not negative");
  EXPECT_EQ(arguments.out,
            (std::vector<int32_t>{10, 11, 12, -1, -1, -1, -1, -1}));
}

/// The kernel with checks, on tensors of three elements.
class Check : public testing::Test {
protected:
  /// What is found in a launch of so many programs, with a bias.
  std::string find(uint32_t programs, int32_t bias) {
    Compilation compilation(kKernel, "check=true check-values=true");
    EXPECT_TRUE(compilation.succeeded()) << compilation.diagnostics();
    Kernel kernel(compilation.artefact("obj"), "add.entry");
    EXPECT_NE(kernel.handle, nullptr) << kernel.error;
    const int64_t size = 3, stride = 1;
    TritonSharedTensorView tensor = {4, 1, &size, &stride}, none = {};
    TritonSharedTensorView views[] = {tensor, tensor, none};
    uint32_t grid[] = {programs, 1, 1};
    TritonSharedCheckedLaunch *launch = tritonSharedCheckedLaunchCreate(
        views, 3, grid, /*findsRaces=*/true, /*unwritten=*/0);
    const void *table = tritonSharedCheckedLaunchGetTable(launch);
    arguments.bias = bias;
    void *args[] = {&arguments.inData, &arguments.outData, &arguments.bias,
                    &table};
    EXPECT_TRUE(kernel.launch(
        args, {{programs, 1, 1}, 1, TritonSharedGridOrderForward, 0}))
        << kernel.error;
    char *text = tritonSharedCheckedLaunchGetFindings(launch);
    std::string found = text;
    tritonSharedFree(text);
    tritonSharedCheckedLaunchDestroy(launch);
    return found;
  }

  Arguments arguments{4};
};

TEST_F(Check, FindsNothingInARightLaunch) {
  EXPECT_EQ(find(3, 10), "[]");
  EXPECT_EQ(arguments.out, (std::vector<int32_t>{10, 11, 12, -1}));
}

TEST_F(Check, FindsWhatIsOutsideAndLeavesItAlone) {
  std::string found = find(4, 10);
  EXPECT_NE(found.find("\"class\":\"out-of-bounds\""), std::string::npos)
      << found;
  EXPECT_NE(found.find("\"lowest\":3"), std::string::npos) << found;
  EXPECT_NE(found.find("\"program\":[3,0,0]"), std::string::npos) << found;
  EXPECT_EQ(arguments.out, (std::vector<int32_t>{10, 11, 12, -1}));
}

/// Adds up numbers below `n`, without an end to speak of for a large one.
constexpr std::string_view kLongKernel = R"(
tt.func public @long(%out: !tt.ptr<i32>, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %none) -> (i32) : i64 {
    %v = tt.load %out {isVolatile = true} : !tt.ptr<i32>
    %next = arith.addi %s, %v : i32
    scf.yield %next : i32
  }
  %pid = tt.get_program_id x : i32
  %to = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}
)";

/// A thread in a kernel is asked by a signal. The thread sanitizer keeps those
/// back until the thread calls a function that it knows, which kernels do not:
/// such a launch has no end.
class Interrupt : public testing::Test {
  void SetUp() override {
#if LLVM_THREAD_SANITIZER_BUILD
    GTEST_SKIP() << "the thread sanitizer keeps the signal back";
#endif
  }
};

TEST_F(Interrupt, EndsALaunchWhenTheCallerSaysSo) {
  for (const char *mode : {"mode=reference", "mode=fast"})
    for (uint32_t programs : {1u, 4u}) {
      Compilation compilation(kLongKernel, mode);
      ASSERT_TRUE(compilation.succeeded()) << compilation.diagnostics();
      Kernel kernel(compilation.artefact("obj"), "long.entry");
      std::vector<int32_t> out(4, 1);
      int32_t *data = out.data();
      int64_t rounds = INT64_MAX;
      void *args[] = {&data, &rounds};
      int questions = 0;
      TritonSharedLaunch launch = {};
      std::fill_n(launch.grid, 3, 1);
      launch.grid[0] = programs;
      launch.isInterrupted = [](void *context) {
        return ++*static_cast<int *>(context) == 3;
      };
      launch.context = &questions;
      EXPECT_FALSE(kernel.launch(args, launch));
      EXPECT_EQ(kernel.error, "the launch was interrupted");
      EXPECT_EQ(questions, 3);
      EXPECT_EQ(out, std::vector<int32_t>(4, 1));
      // The next launch starts afresh.
      rounds = 5;
      launch.isInterrupted = nullptr;
      launch.grid[0] = 1;
      EXPECT_TRUE(kernel.launch(args, launch));
      EXPECT_EQ(out[0], 5);
    }
}

TEST_F(Interrupt, AsksAgainAfterAnAnswerThatLaunchesWithoutAQuestion) {
  Compilation compilation(kLongKernel);
  ASSERT_TRUE(compilation.succeeded()) << compilation.diagnostics();
  Kernel kernel(compilation.artefact("obj"), "long.entry");
  struct State {
    Kernel &kernel;
    int questions = 0, sum = 0;
  } state{kernel};
  int32_t one = 1;
  int32_t *data = &one;
  int64_t rounds = INT64_MAX;
  void *args[] = {&data, &rounds};
  TritonSharedLaunch launch = {{1, 1, 1}};
  launch.isInterrupted = [](void *context) {
    State &state = *static_cast<State *>(context);
    int32_t value = 1;
    int32_t *data = &value;
    int64_t rounds = 5;
    void *args[] = {&data, &rounds};
    EXPECT_TRUE(state.kernel.launch(args, {{1, 1, 1}}));
    state.sum += value;
    return ++state.questions == 3;
  };
  launch.context = &state;
  EXPECT_FALSE(kernel.launch(args, launch));
  EXPECT_EQ(state.sum, 15);
  EXPECT_EQ(one, 1);
}

TEST(Print, WritesOneLinePerElement) {
  Compilation compilation(R"(
tt.func public @show(%x: f32) {
  %range = tt.make_range {start = 6 : i32, end = 8 : i32} : tensor<2xi32>
  tt.print " r: " {hex = false, isSigned = array<i32: 1>} : %range : tensor<2xi32>
  tt.print " h: " {hex = true, isSigned = array<i32: 1>} : %range : tensor<2xi32>
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : f32
  tt.print " text" {hex = false, isSigned = array<i32>}
  tt.return
})");
  ASSERT_TRUE(compilation.succeeded()) << compilation.diagnostics();
  Kernel kernel(compilation.artefact("obj"), "show.entry");
  float value = 1.5;
  void *args[] = {&value};
  testing::internal::CaptureStdout();
  EXPECT_TRUE(
      kernel.launch(args, {{1, 1, 1}, 0, TritonSharedGridOrderForward, 0}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "pid (0, 0, 0) idx (0) r: 6\n"
            "pid (0, 0, 0) idx (1) r: 7\n"
            "pid (0, 0, 0) idx (0) h: 0x00000006\n"
            "pid (0, 0, 0) idx (1) h: 0x00000007\n"
            "pid (0, 0, 0) idx () x: 1.500000\n"
            "pid (0, 0, 0) text\n");
}

} // namespace
