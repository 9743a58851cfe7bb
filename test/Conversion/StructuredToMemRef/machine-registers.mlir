// RUN: triton-shared-opt %s --structured-to-memref | FileCheck %s

// The runtime has a clock of nanoseconds and knows the logical CPUs.
// CHECK-LABEL: func.func @scalars(
// CHECK:         %[[T:.*]] = call @tritonSharedClockNanoseconds() : () -> i64
// CHECK:         %[[C:.*]] = call @tritonSharedClockNanoseconds() : () -> i64
// CHECK:         %[[LOW:.*]] = arith.trunci %[[C]] : i64 to i32
// CHECK:         %[[P:.*]] = call @tritonSharedProcessorNumber() : () -> i64
// CHECK:         %[[NUMBER:.*]] = arith.trunci %[[P]] : i64 to i32
// CHECK:         return %[[T]], %[[LOW]], %[[NUMBER]]
func.func @scalars() -> (i64, i32, i32) {
  %0 = tts.read_machine globaltimer : i64
  %1 = tts.read_machine clock : i32
  %2 = tts.read_machine smid : i32
  return %0, %1, %2 : i64, i32, i32
}

// CHECK-LABEL: func.func @block(
// CHECK:         %[[N:.*]] = call @tritonSharedProcessorCount() : () -> i64
// CHECK:         %[[COUNT:.*]] = arith.trunci %[[N]] : i64 to i32
// CHECK:         linalg.fill ins(%[[COUNT]] : i32)
func.func @block() -> tensor<8xi32> {
  %0 = tts.read_machine nsmid : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// The high word of a clock.
// CHECK-LABEL: func.func @high(
// CHECK:         %[[T:.*]] = call @tritonSharedClockNanoseconds()
// CHECK:         %[[WORD:.*]] = arith.shrui %[[T]], %{{.*}} : i64
// CHECK:         arith.trunci %[[WORD]] : i64 to i32
func.func @high() -> i32 {
  %0 = tts.read_machine globaltimer_hi : i32
  return %0 : i32
}
