// Operands of wgmma that lie across K in memory: threads take them in blocks that they turn, on the way from a ring to a buffer.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s --check-prefix=LAYOUT
// RUN: triton-shared-opt %s --cta-assign-layouts --cta-pipeline-loads --cta-share-operands | FileCheck %s

// Four bytes of each of sixteen rows.
// LAYOUT-DAG: #[[TURNED:.*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], lane = {{.*}}>
// LAYOUT-LABEL: func.func @bytes(
// LAYOUT: %[[B:.*]] = tts.load %{{.*}} strides [128, 1]
// LAYOUT-NEXT: %[[T:.*]] = cta.convert_layout %[[B]] : {{.*}} -> tensor<64x128xi8, #[[TURNED]]>
// LAYOUT: cta.dot %{{.*}}, %[[T]], %{{.*}}

// The one that lies along K is read from its ring; the other one goes to a buffer, while the product of the turn before goes on.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[LEFT:.*]] = cta.alloc {alignment = 1024 : i64} : <3, 64x64xi8
// CHECK: %[[RIGHT:.*]] = cta.alloc : <3, 64x128xi8
// CHECK: %[[BUFFER:.*]] = cta.alloc {alignment = 1024 : i64} : <2, 64x128xi8
// CHECK: scf.for
// CHECK-NEXT: cta.wait 1
// CHECK: %[[T:.*]] = cta.read %[[RIGHT]]
// CHECK: cta.write %[[T]] to %[[BUFFER]]{{.*}} fenced
// CHECK: cta.dot %[[LEFT]][%{{.*}}], %[[BUFFER]][%{{.*}}], %{{.*}} goes_on : {{.*}} by #cta.wgmma<m64n128k32>
func.func @bytes(%x: memref<*xi8> {tt.divisibility = 16 : i32}, %y: memref<*xi8> {tt.divisibility = 16 : i32}, %n: i32, %o: memref<*xi32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 8192 : i64
  %sums = arith.constant dense<0> : tensor<64x128xi32>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<64x128xi32>, i64) : i32 {
    %a = tts.load %x[%at] strides [64, 1] : memref<*xi8> -> tensor<64x64xi8>
    %b = tts.load %y[%at] strides [128, 1] : memref<*xi8> -> tensor<64x128xi8>
    %d = cta.dot %a, %b, %sum : tensor<64x64xi8>, tensor<64x128xi8> -> tensor<64x128xi32> by #cta.wgmma<m64n128k32>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x128xi32>, i64
  }
  tts.store %r#0 to %o[%start] strides [128, 1] : tensor<64x128xi32>, memref<*xi32>
  return
}

// Sixteen bits are turned by the instruction, but not a line of eight columns.
// LAYOUT-LABEL: func.func @halves(
// LAYOUT-NOT: cta.convert_layout
// LAYOUT: cta.dot {{.*}} by #cta.wgmma<m64n64k16>
// LAYOUT: cta.convert_layout
// LAYOUT: cta.dot {{.*}} by #cta.wgmma<m64n8k16>
// CHECK-LABEL: func.func @halves(
func.func @halves(%y: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i64
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  %e = arith.constant dense<0.0> : tensor<64x8xf32>
  %a = tts.load %y[%zero] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16>
  %b = tts.load %y[%zero] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16>
  %d = cta.dot %a, %b, %c : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32> by #cta.wgmma<m64n64k16>
  %few = tts.load %y[%zero] strides [8, 1] : memref<*xf16> -> tensor<64x8xf16>
  %f = cta.dot %a, %few, %e : tensor<64x64xf16>, tensor<64x8xf16> -> tensor<64x8xf32> by #cta.wgmma<m64n8k16>
  tts.store %d to %o[%zero] strides [64, 1] : tensor<64x64xf32>, memref<*xf32>
  tts.store %f to %o[%zero] strides [8, 1] : tensor<64x8xf32>, memref<*xf32>
  return
}
