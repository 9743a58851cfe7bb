// RUN: triton-shared-opt %s --split-input-file --cta-load-early | FileCheck %s

// Loads begin before threads wait for each other.

#row = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#one = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[], []]>

// Two loads behind a sum follow the one that it waits for; addresses come with them.
// CHECK-LABEL: func.func @norm(
// CHECK:         %[[X:.*]] = tts.load %arg0
// CHECK-NEXT:    %[[AT:.*]] = arith.addi %arg3, %arg3
// CHECK-NEXT:    tts.load %arg1[%[[AT]]]
// CHECK-NEXT:    tts.load %arg2
// CHECK-NEXT:    arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:    cta.reduce
func.func @norm(%p: memref<*xf32>, %w: memref<*xf32>, %b: memref<*xf32>, %o: i64) -> (f32, tensor<512xf32, #row>, tensor<512xf32, #row>) attributes {cta.num_warps = 4 : i32} {
  %x = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<512xf32, #row>
  %s = arith.mulf %x, %x : tensor<512xf32, #row>
  %r = cta.reduce %s axis 0 : (tensor<512xf32, #row>) -> tensor<f32, #one> {
  ^bb0(%l: f32, %m: f32):
    %t = arith.addf %l, %m : f32
    cta.yield %t : f32
  }
  %v = cta.extract %r[] : tensor<f32, #one>
  %at = arith.addi %o, %o : i64
  %y = tts.load %w[%at] strides [1] : memref<*xf32> -> tensor<512xf32, #row>
  %z = tts.load %b[%o] strides [1] : memref<*xf32> -> tensor<512xf32, #row>
  return %v, %y, %z : f32, tensor<512xf32, #row>, tensor<512xf32, #row>
}

// -----

#row = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#one = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[], []]>

// Not past a write, which may be of what is loaded; not if the address is what threads wait for; a
// volatile one stays where it is.
// CHECK-LABEL: func.func @stay(
// CHECK:         cta.reduce
// CHECK:         %[[V:.*]] = cta.extract
// CHECK:         tts.load %arg1[%[[V]]]
// CHECK:         tts.load %arg1[%arg2] strides [1] {is_volatile}
// CHECK:         tts.store
// CHECK:         tts.load %arg1[%arg2] strides [1] :
func.func @stay(%x: tensor<512xi64, #row>, %w: memref<*xf32>, %o: i64) -> (tensor<512xf32, #row>, tensor<512xf32, #row>, tensor<512xf32, #row>) attributes {cta.num_warps = 4 : i32} {
  %r = cta.reduce %x axis 0 : (tensor<512xi64, #row>) -> tensor<i64, #one> {
  ^bb0(%l: i64, %m: i64):
    %t = arith.addi %l, %m : i64
    cta.yield %t : i64
  }
  %v = cta.extract %r[] : tensor<i64, #one>
  %y = tts.load %w[%v] strides [1] : memref<*xf32> -> tensor<512xf32, #row>
  %u = tts.load %w[%o] strides [1] {is_volatile} : memref<*xf32> -> tensor<512xf32, #row>
  tts.store %y to %w[%o] strides [1] : tensor<512xf32, #row>, memref<*xf32>
  %z = tts.load %w[%o] strides [1] : memref<*xf32> -> tensor<512xf32, #row>
  return %y, %z, %u : tensor<512xf32, #row>, tensor<512xf32, #row>, tensor<512xf32, #row>
}

// -----

#rows = #cta.layout<register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#sums = #cta.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
#own = #cta.layout<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#owned = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// A thread that has all it adds up waits for nobody.
// CHECK-LABEL: func.func @alone(
// CHECK:         cta.reduce
// CHECK:         tts.load
func.func @alone(%x: tensor<32x4xf32, #own>, %w: memref<*xf32>, %o: i64) -> (tensor<32xf32, #owned>, tensor<32xf32, #owned>) attributes {cta.num_warps = 1 : i32} {
  %r = cta.reduce %x axis 1 : (tensor<32x4xf32, #own>) -> tensor<32xf32, #owned> {
  ^bb0(%l: f32, %m: f32):
    %t = arith.addf %l, %m : f32
    cta.yield %t : f32
  }
  %y = tts.load %w[%o] strides [1] : memref<*xf32> -> tensor<32xf32, #owned>
  return %r, %y : tensor<32xf32, #owned>, tensor<32xf32, #owned>
}

// Of a loop's turn as well; what stands behind the loop stays there.
// CHECK-LABEL: func.func @turn(
// CHECK:         scf.for
// CHECK-NEXT:      tts.load %arg1[%{{.*}}] strides [4, 1]
// CHECK-NEXT:      cta.reduce
// CHECK:         }
// CHECK:         tts.load
func.func @turn(%x: tensor<4x32xf32, #rows>, %w: memref<*xf32>, %n: i64) -> (tensor<4x32xf32, #rows>, tensor<4xf32, #sums>) attributes {cta.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4x32xf32, #rows>, tensor<4x32xf32, #rows>) : i64 {
    %r = cta.reduce %a axis 1 : (tensor<4x32xf32, #rows>) -> tensor<4xf32, #sums> {
    ^bb0(%l: f32, %m: f32):
      %t = arith.addf %l, %m : f32
      cta.yield %t : f32
    }
    %y = tts.load %w[%i] strides [4, 1] : memref<*xf32> -> tensor<4x32xf32, #rows>
    scf.yield %y, %a : tensor<4x32xf32, #rows>, tensor<4x32xf32, #rows>
  }
  %s = cta.reduce %last#0 axis 1 : (tensor<4x32xf32, #rows>) -> tensor<4xf32, #sums> {
  ^bb0(%l: f32, %m: f32):
    %t = arith.addf %l, %m : f32
    cta.yield %t : f32
  }
  %z = tts.load %w[%n] strides [4, 1] : memref<*xf32> -> tensor<4x32xf32, #rows>
  return %z, %s : tensor<4x32xf32, #rows>, tensor<4xf32, #sums>
}

// -----

#wide = #cta.layout<register = [[1], [2], [128], [256], [512]], lane = [[4], [8], [16], [32], [64]], warp = []>
#narrow = #cta.layout<register = [[32], [64], [128], [256]], lane = [[1], [2], [4], [8], [16]], warp = []>
#one = #cta.layout<register = [], lane = [[], [], [], [], []], warp = []>

// Threads have 64 registers for what waits: two of these three tiles; and none for a tile of as many
// instructions as elements.
// CHECK-LABEL: func.func @room(
// CHECK:         tts.load %arg1[%arg2]
// CHECK-NEXT:    tts.load %arg1[%arg3]
// CHECK-NEXT:    cta.reduce
// CHECK:         tts.load %arg1[%arg4]
// CHECK:         tts.load %arg1[%arg2] {{.*}} -> tensor<512xf32
func.func @room(%x: tensor<1024xf32, #wide>, %w: memref<*xf32>, %o: i64, %p: i64, %q: i64) -> (tensor<f32, #one>, tensor<1024xf32, #wide>, tensor<1024xf32, #wide>, tensor<1024xf32, #wide>, tensor<512xf32, #narrow>) attributes {cta.num_warps = 1 : i32} {
  %r = cta.reduce %x axis 0 : (tensor<1024xf32, #wide>) -> tensor<f32, #one> {
  ^bb0(%l: f32, %m: f32):
    %t = arith.addf %l, %m : f32
    cta.yield %t : f32
  }
  %a = tts.load %w[%o] strides [1] : memref<*xf32> -> tensor<1024xf32, #wide>
  %b = tts.load %w[%p] strides [1] : memref<*xf32> -> tensor<1024xf32, #wide>
  %c = tts.load %w[%q] strides [1] : memref<*xf32> -> tensor<1024xf32, #wide>
  %d = tts.load %w[%o] strides [1] : memref<*xf32> -> tensor<512xf32, #narrow>
  return %r, %a, %b, %c, %d : tensor<f32, #one>, tensor<1024xf32, #wide>, tensor<1024xf32, #wide>, tensor<1024xf32, #wide>, tensor<512xf32, #narrow>
}
