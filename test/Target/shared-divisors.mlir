// A row is divided by its sum: the reciprocal is computed once, as div.full.f32 would, and two products are left of each quotient. A number that divides one alone is left to ptxas.

// RUN: triton-shared-opt %s --target=cuda:90a --num-warps=1 --to-phase=ptx | FileCheck %s

// CHECK:      .visible .entry by_one(
// CHECK:      abs.f32 %[[SIZE:r[0-9]+]], %[[BY:r[0-9]+]];
// CHECK-NEXT: setp.lt.f32 %[[SMALL:p[0-9]+]], %[[SIZE]], 0f00800000;
// CHECK-NEXT: selp.f32 %[[MORE:r[0-9]+]], 0f4B800000, 0f3F800000, %[[SMALL]];
// CHECK-NEXT: setp.gt.f32 %[[LARGE:p[0-9]+]], %[[SIZE]], 0f7E800000;
// CHECK-NEXT: selp.f32 %[[SCALE:r[0-9]+]], 0f3E800000, %[[MORE]], %[[LARGE]];
// CHECK-NEXT: mul.rn.f32 %[[SCALED:r[0-9]+]], %[[BY]], %[[SCALE]];
// CHECK-NEXT: rcp.approx.ftz.f32 %[[RECIPROCAL:r[0-9]+]], %[[SCALED]];
// CHECK-NEXT: mul.rn.f32 %[[X:r[0-9]+]], %{{r[0-9]+}}, %[[SCALE]];
// CHECK-NEXT: mul.rn.f32 %{{r[0-9]+}}, %[[X]], %[[RECIPROCAL]];
// CHECK-NOT:  div.full
// CHECK-NOT:  rcp

// CHECK:      .visible .entry by_many(
// CHECK-NOT:  rcp
// CHECK:      div.full.f32
// CHECK-NOT:  rcp

tt.func public @by_one(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %by: f32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %at = tt.addptr %b, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %at : tensor<128x!tt.ptr<f32>>
  %y = tt.splat %by : f32 -> tensor<128xf32>
  %q = arith.divf %x, %y : tensor<128xf32>
  tt.store %at, %q : tensor<128x!tt.ptr<f32>>
  tt.return
}

tt.func public @by_many(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %at = tt.addptr %b, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %c = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %to = tt.addptr %c, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %at : tensor<128x!tt.ptr<f32>>
  %y = tt.load %to : tensor<128x!tt.ptr<f32>>
  %q = arith.divf %x, %y : tensor<128xf32>
  tt.store %at, %q : tensor<128x!tt.ptr<f32>>
  tt.return
}
