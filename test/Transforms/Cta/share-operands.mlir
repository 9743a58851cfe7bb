// Products by wgmma take operands from shared memory: from a ring where they lie as it reads them, or written there.
// What several take is written once; a tile is taken as it lies, or transposed.
// RUN: triton-shared-opt %s --cta-share-operands | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>
#right = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#rightTurned = #cta.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#square = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#columns = #cta.layout<register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]]>
// Lines of 64 bytes, whose pieces of 16 bytes change places.
#s = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
#plain = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
#plainRight = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>

// The left operand is read where the ring has it. The right one does not change in the loop.
// CHECK-LABEL: func.func @ring(
// CHECK-SAME: %[[RING:.*]]: !cta.buffer<3, 64x32xf16, #[[S:.*]]>, %[[B:.*]]: tensor<32x32xf16
// CHECK: %[[BUFFER:.*]] = cta.alloc {alignment = 1024 : i64} : <1, 32x32xf16, #{{.*}}>
// CHECK: cta.write %[[B]] to %[[BUFFER]][%[[ZERO:.*]]] fenced
// CHECK: scf.for %[[SLOT:[a-z0-9]*]] =
// CHECK-NOT: cta.read
// CHECK: cta.dot %[[RING]][%[[SLOT]]], %[[BUFFER]][%[[ZERO]]], %{{.*}} : !cta.buffer<3, 64x32xf16, #[[S]]>, !cta.buffer<1, 32x32xf16, #{{.*}}> -> tensor<64x32xf32, #{{.*}}> by #cta.wgmma<m64n32k16>
func.func @ring(%ring: !cta.buffer<3, 64x32xf16, #s>, %b: tensor<32x32xf16, #right>, %c: tensor<64x32xf32, #c>, %n: i32) -> tensor<64x32xf32, #c>
    attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %slot = %zero to %n step %one iter_args(%last = %c) -> (tensor<64x32xf32, #c>) : i32 {
    %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
    %d = cta.dot %a, %b, %last : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    scf.yield %d : tensor<64x32xf32, #c>
  }
  return %sum : tensor<64x32xf32, #c>
}

// A slot that is overwritten meanwhile, and one whose lines do not suit, are read and written elsewhere. The fence of the last
// write is for both operands.
// CHECK-LABEL: func.func @other_places(
// CHECK: %[[A:.*]] = cta.read
// CHECK: cta.write %[[A]] to %[[FIRST:.*]][%{{[^]]*}}] :
// CHECK: cta.write %{{.*}} to %[[B:.*]][%{{[^]]*}}] fenced
// CHECK: cta.dot %[[FIRST]][%{{[^]]*}}], %[[B]]
// CHECK: %[[PLAIN:.*]] = cta.read
// CHECK-NOT: cta.write %arg
// CHECK: cta.write %[[PLAIN]] to %[[SECOND:.*]][%{{[^]]*}}] fenced
// CHECK: cta.dot %[[SECOND]][%{{[^]]*}}], %[[B]]
func.func @other_places(%ring: !cta.buffer<1, 64x32xf16, #s>, %plain: !cta.buffer<1, 64x32xf16, #plain>, %b: tensor<32x32xf16, #right>,
                        %new: tensor<64x32xf16, #rows>, %c: tensor<64x32xf32, #c>, %slot: i32) -> tensor<64x32xf32, #c>
    attributes {cta.num_warps = 4 : i32} {
  %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<1, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
  cta.write %new to %ring[%slot] : tensor<64x32xf16, #rows> to !cta.buffer<1, 64x32xf16, #s>
  %d = cta.dot %a, %b, %c : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
  %p = cta.read %plain[%slot] [0, 0] : !cta.buffer<1, 64x32xf16, #plain> -> tensor<64x32xf16, #rows>
  %e = cta.dot %p, %b, %d : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
  return %e : tensor<64x32xf32, #c>
}

// What each turn writes for a product that goes on has two slots, in turns, which keep their place for the whole loop.
// CHECK-LABEL: func.func @two_slots(
// CHECK-SAME: %[[RING:[a-z0-9]*]]: !cta.buffer<3, 64x32xf16
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[BUFFER:.*]] = cta.alloc {alignment = 1024 : i64} : <2, 32x32xf16
// CHECK: scf.for %[[SLOT:[a-z0-9]*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[TURN:.*]] = %{{.*}})
// CHECK: %[[B:.*]] = cta.read
// CHECK: cta.write %[[B]] to %[[BUFFER]][%[[TURN]]] fenced
// CHECK: cta.dot %[[RING]][%[[SLOT]]], %[[BUFFER]][%[[TURN]]], %{{.*}} goes_on
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[NEXT:.*]] = arith.xori %[[TURN]], %[[ONE]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
func.func @two_slots(%ring: !cta.buffer<3, 64x32xf16, #s>, %plain: !cta.buffer<3, 32x32xf16, #plainRight>, %c: tensor<64x32xf32, #c>, %n: i32) -> tensor<64x32xf32, #c>
    attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %slot = %zero to %n step %one iter_args(%last = %c) -> (tensor<64x32xf32, #c>) : i32 {
    %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
    %b = cta.read %plain[%slot] [0, 0] : !cta.buffer<3, 32x32xf16, #plainRight> -> tensor<32x32xf16, #right>
    %d = cta.dot %a, %b, %last goes_on : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    scf.yield %d : tensor<64x32xf32, #c>
  }
  %done = cta.wait_dot %sum : tensor<64x32xf32, #c>
  return %done : tensor<64x32xf32, #c>
}

// Groups of warps that wait for copies alone meet once, before the loop.
// CHECK-LABEL: func.func @beside_copies(
// CHECK: cta.write %{{.*}} fenced
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.for
func.func @beside_copies(%ring: !cta.buffer<3, 64x32xf16, #s>, %b: tensor<32x32xf16, #right>, %c: tensor<64x32xf32, #c>, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.producer_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cta.specialize producer {
  } consumers {
    %twice = arith.addf %b, %b : tensor<32x32xf16, #right>
    %sum = scf.for %slot = %zero to %n step %one iter_args(%last = %c) -> (tensor<64x32xf32, #c>) : i32 {
      %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
      %d = cta.dot %a, %twice, %last : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
      scf.yield %d : tensor<64x32xf32, #c>
    }
  }
  return
}

// Two loops that do not come after each other take one tile: it is written before both.
// CHECK-LABEL: func.func @written_once(
// CHECK: cta.write %{{.*}} to %[[B:.*]][%{{[^]]*}}] fenced
// CHECK-NOT: cta.write
// CHECK: scf.if
// CHECK: cta.dot %{{.*}}, %[[B]]
// CHECK: } else {
// CHECK: cta.dot %{{.*}}, %[[B]]
func.func @written_once(%ring: !cta.buffer<3, 64x32xf16, #s>, %b: tensor<32x32xf16, #right>, %c: tensor<64x32xf32, #c>, %slot: i32, %cond: i1) -> tensor<64x32xf32, #c>
    attributes {cta.num_warps = 4 : i32} {
  %r = scf.if %cond -> tensor<64x32xf32, #c> {
    %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
    %d = cta.dot %a, %b, %c : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    scf.yield %d : tensor<64x32xf32, #c>
  } else {
    %sum = arith.addf %c, %c : tensor<64x32xf32, #c>
    %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    scf.yield %d : tensor<64x32xf32, #c>
  }
  return %r : tensor<64x32xf32, #c>
}

// A tile of a ring by its own transpose: the product reads both where the tile lies.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[RING:[a-z0-9]*]]: !cta.buffer<3, 64x32xf16, #[[S:[a-z0-9]*]]>,
// CHECK-NOT: cta.read
// CHECK-NOT: cta.write
// CHECK: %[[TURNED:.*]] = cta.transpose_buffer %[[RING]] [1, 0] : <3, 64x32xf16, #[[S]]> -> <3, 32x64xf16, #{{.*}}>
// CHECK: cta.dot %[[RING]][%[[SLOT:.*]]], %[[TURNED]][%[[SLOT]]], %{{.*}} : !cta.buffer<3, 64x32xf16, #[[S]]>, !cta.buffer<3, 32x64xf16, #{{.*}}> -> tensor<64x64xf32
func.func @transposed(%ring: !cta.buffer<3, 64x32xf16, #s>, %c: tensor<64x64xf32, #square>, %slot: i32) -> tensor<64x64xf32, #square>
    attributes {cta.num_warps = 4 : i32} {
  %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
  %again = cta.read %ring[%slot] [0, 0] : !cta.buffer<3, 64x32xf16, #s> -> tensor<64x32xf16, #rows>
  %t = cta.transpose %again [1, 0] : tensor<64x32xf16, #rows> -> tensor<32x64xf16, #columns>
  %d = cta.dot %a, %t, %c : tensor<64x32xf16, #rows>, tensor<32x64xf16, #columns> -> tensor<64x64xf32, #square> by #cta.wgmma<m64n64k16>
  return %d : tensor<64x64xf32, #square>
}

// A tile that one product takes transposed and another one as it is: written once, as it is.
// CHECK-LABEL: func.func @either_way(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x32xf16, #{{[a-z0-9]*}}>
// CHECK: cta.write %[[X]] to %[[BUFFER:[0-9]*]][
// CHECK: %[[TURNED:.*]] = cta.transpose_buffer %[[BUFFER]] [1, 0]
// CHECK: cta.dot %{{[^,]*}}, %[[TURNED]][
// CHECK-NOT: cta.write %[[X]]
// CHECK: cta.dot %[[BUFFER]][
func.func @either_way(%x: tensor<64x32xf16, #rows>, %y: tensor<64x32xf16, #rows>, %c: tensor<64x64xf32, #square>, %b: tensor<32x32xf16, #right>, %d: tensor<64x32xf32, #c>)
    -> (tensor<64x64xf32, #square>, tensor<64x32xf32, #c>) attributes {cta.num_warps = 4 : i32} {
  %t = cta.transpose %x [1, 0] : tensor<64x32xf16, #rows> -> tensor<32x64xf16, #columns>
  %first = cta.dot %y, %t, %c : tensor<64x32xf16, #rows>, tensor<32x64xf16, #columns> -> tensor<64x64xf32, #square> by #cta.wgmma<m64n64k16>
  %second = cta.dot %x, %b, %d : tensor<64x32xf16, #rows>, tensor<32x32xf16, #right> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
  return %first, %second : tensor<64x64xf32, #square>, tensor<64x32xf32, #c>
}

// A product that threads compute reads the ring as well, as it is and transposed, whatever its lines are; what was loaded for it
// alone stays a tile, and a slot that is overwritten is read before.
// CHECK-LABEL: func.func @threads(
// CHECK-SAME: %[[RING:[a-z0-9]*]]: !cta.buffer<2, 64x32xf32, #[[PLAIN:.*]]>, %[[TURNED:[a-z0-9]*]]: !cta.buffer<2, 32x32xf32, #{{[^>]*}}>, %[[B:[a-z0-9]*]]: tensor<32x32xf32
// CHECK: cta.dot %[[RING]][%[[SLOT:.*]]], %[[B]], %{{.*}} : !cta.buffer<2, 64x32xf32, #[[PLAIN]]>, tensor<32x32xf32
// CHECK: %[[SHOWN:.*]] = cta.transpose_buffer %[[TURNED]] [1, 0]
// CHECK: cta.dot %[[RING]][%[[SLOT]]], %[[SHOWN]][%[[SLOT]]]
// CHECK: %[[READ:.*]] = cta.read %[[RING]]
// CHECK: cta.write
// CHECK: cta.dot %[[READ]], %[[B]]
func.func @threads(%ring: !cta.buffer<2, 64x32xf32, #plain>, %turned: !cta.buffer<2, 32x32xf32, #plainRight>, %b: tensor<32x32xf32, #right>,
                   %new: tensor<64x32xf32, #rows>, %c: tensor<64x32xf32, #rows>, %slot: i32) -> tensor<64x32xf32, #rows>
    attributes {cta.num_warps = 4 : i32} {
  %a = cta.read %ring[%slot] [0, 0] : !cta.buffer<2, 64x32xf32, #plain> -> tensor<64x32xf32, #rows>
  %d = cta.dot %a, %b, %c precision "ieee" : tensor<64x32xf32, #rows>, tensor<32x32xf32, #right> -> tensor<64x32xf32, #rows>
  %t = cta.read %turned[%slot] [0, 0] : !cta.buffer<2, 32x32xf32, #plainRight> -> tensor<32x32xf32, #right>
  %s = cta.transpose %t [1, 0] : tensor<32x32xf32, #right> -> tensor<32x32xf32, #rightTurned>
  %e = cta.dot %a, %s, %d precision "ieee" : tensor<64x32xf32, #rows>, tensor<32x32xf32, #rightTurned> -> tensor<64x32xf32, #rows>
  %late = cta.read %ring[%slot] [0, 0] : !cta.buffer<2, 64x32xf32, #plain> -> tensor<64x32xf32, #rows>
  cta.write %new to %ring[%slot] : tensor<64x32xf32, #rows> to !cta.buffer<2, 64x32xf32, #plain>
  %f = cta.dot %late, %b, %e precision "ieee" : tensor<64x32xf32, #rows>, tensor<32x32xf32, #right> -> tensor<64x32xf32, #rows>
  return %f : tensor<64x32xf32, #rows>
}

// What a loop does not change is written before it, for all its products, and threads meet there.
// CHECK-LABEL: func.func @lasts(
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf32
// CHECK: %[[BUFFER:.*]] = cta.alloc
// CHECK: cta.write %[[A]] to %[[BUFFER]][%[[ZERO:.*]]] :
// CHECK-NEXT: gpu.barrier
// CHECK: scf.for
// CHECK-NOT: cta.write
// CHECK: cta.dot %[[BUFFER]][%[[ZERO]]], %{{[^[]*}}, %
// CHECK: cta.dot %[[BUFFER]][%[[ZERO]]], %{{[^[]*}}, %
func.func @lasts(%a: tensor<64x32xf32, #rows>, %p: memref<*xf32>, %c: tensor<64x32xf32, #rows>, %n: i32) -> tensor<64x32xf32, #rows>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %begin = arith.constant 0 : i64
  %sum = scf.for %i = %zero to %n step %one iter_args(%last = %c) -> (tensor<64x32xf32, #rows>) : i32 {
    %b = tts.load %p[%begin] strides [32, 1] : memref<*xf32> -> tensor<32x32xf32, #right>
    %d = cta.dot %a, %b, %last precision "ieee" : tensor<64x32xf32, #rows>, tensor<32x32xf32, #right> -> tensor<64x32xf32, #rows>
    %e = cta.dot %a, %b, %d precision "ieee" : tensor<64x32xf32, #rows>, tensor<32x32xf32, #right> -> tensor<64x32xf32, #rows>
    scf.yield %e : tensor<64x32xf32, #rows>
  }
  return %sum : tensor<64x32xf32, #rows>
}
