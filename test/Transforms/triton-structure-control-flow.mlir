// RUN: triton-shared-opt %s --triton-structure-control-flow | FileCheck %s

// A return in the middle of a kernel skips the rest of it.
// CHECK-LABEL: tt.func @early_return(
// CHECK-SAME:    %[[DONE:.*]]: i1
// CHECK:         scf.if %[[DONE]] {
// CHECK-NEXT:    } else {
// CHECK-NEXT:      tt.store
// CHECK-NEXT:    }
// CHECK-NEXT:    tt.return
// CHECK-NEXT:  }
tt.func @early_return(%done: i1, %p: !tt.ptr<f32>, %x: f32) {
  cf.cond_br %done, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}

// Each way through a function brings its result to the one return.
// CHECK-LABEL: tt.func private @early_result(
// CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK:           scf.yield %{{.*}} : f32
// CHECK:         } else {
// CHECK:           %[[SUM:.*]] = arith.addf
// CHECK:           scf.yield %[[SUM]] : f32
// CHECK:         }
// CHECK:         tt.return %[[R]] : f32
tt.func private @early_result(%done: i1, %x: f32) -> f32 {
  cf.cond_br %done, ^bb1, ^bb2
^bb1:
  tt.return %x : f32
^bb2:
  %0 = arith.addf %x, %x : f32
  tt.return %0 : f32
}

// A branch back is a loop, through which pointers travel too.
// CHECK-LABEL: tt.func @loop(
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (!tt.ptr<f32>) -> !tt.ptr<f32>
// CHECK-NOT:     {{ cf[.]}}
// CHECK:         tt.return
tt.func @loop(%p: !tt.ptr<f32>, %x: f32, %one: i32) {
  cf.br ^bb1(%p : !tt.ptr<f32>)
^bb1(%q: !tt.ptr<f32>):
  tt.store %q, %x : !tt.ptr<f32>
  %next = tt.addptr %q, %one : !tt.ptr<f32>, i32
  %y = tt.load %next : !tt.ptr<f32>
  %more = arith.cmpf olt, %x, %y : f32
  cf.cond_br %more, ^bb1(%next : !tt.ptr<f32>), ^bb2
^bb2:
  tt.return
}

// A loop without an exit still ends the function.
// CHECK-LABEL: tt.func private @forever(
// CHECK:         scf.while
// CHECK:         %[[NONE:.*]] = ub.poison : f32
// CHECK:         tt.return %[[NONE]] : f32
tt.func private @forever(%p: !tt.ptr<f32>, %x: f32) -> f32 {
  cf.br ^bb1
^bb1:
  tt.store %p, %x : !tt.ptr<f32>
  cf.br ^bb1
}

// Code that nothing reaches is dropped.
// CHECK-LABEL: tt.func private @unreachable(
// CHECK-NEXT:    tt.return %{{.*}} : f32
// CHECK-NEXT:  }
tt.func private @unreachable(%x: f32) -> f32 {
  tt.return %x : f32
^bb1:
  %0 = ub.poison : f32
  tt.return %0 : f32
}

// The region of tt.map_elementwise may branch as well.
// CHECK-LABEL: tt.func @map(
// CHECK:         "tt.map_elementwise"
// CHECK:           %[[M:.*]] = scf.if %{{.*}} -> (i32)
// CHECK:           tt.map_elementwise.return %[[M]] : i32
tt.func @map(%a: tensor<8xi32>, %b: tensor<8xi32>) {
  %0 = "tt.map_elementwise"(%a, %b) <{pack = 1 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %less = arith.cmpi slt, %x, %y : i32
    cf.cond_br %less, ^bb1(%x : i32), ^bb2
  ^bb1(%z: i32):
    tt.map_elementwise.return %z : i32
  ^bb2:
    %w = arith.subi %x, %y : i32
    cf.br ^bb1(%w : i32)
  }) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  tt.return
}
