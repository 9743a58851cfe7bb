// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// Registers are integers; each instruction computes one from others.
// CHECK-LABEL: func.func @registers(
// CHECK-SAME:    %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32
// CHECK:         %[[SUM:.*]] = arith.addi %[[X]], %[[Y]] : i32
// CHECK:         %[[LOW:.*]] = arith.andi %[[SUM]], %c255_i32
// CHECK:         return %[[LOW]]
tt.func @registers(%x: i32, %y: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "{ .reg .b32 t; add.s32 t, $1, $2; and.b32 $0, t, 0xff; }" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %y : i32, i32 -> i32
  tt.return %0 : i32
}

// A float lies in its register as a pattern of bits. The mark says that a GPU
// may take its own instruction.
// CHECK-LABEL: func.func @float(
// CHECK-SAME:    %[[X:[^:]*]]: f32
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK:         %[[NUMBER:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK:         %[[POWER:.*]] = math.exp2 %[[NUMBER]] {tts.approximate} : f32
// CHECK:         arith.bitcast %[[POWER]] : f32 to i32
tt.func @float(%x: f32) -> f32 {
  %0 = tt.elementwise_inline_asm "ex2.approx.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  tt.return %0 : f32
}

// What is rounded once stays so on a GPU, too; what names an approximation need
// not be exact.
// CHECK-LABEL: func.func @rounded_once(
// CHECK:         arith.divf %{{.*}} {tts.precise} : f32
// CHECK:         math.sqrt %{{.*}} {tts.precise} : f32
// CHECK:         arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f32
tt.func @rounded_once(%x: f32) -> f32 {
  %0 = tt.elementwise_inline_asm "{ .reg .f32 t; rcp.rn.f32 t, $1; sqrt.rn.f32 t, t; div.full.f32 $0, t, $1; }" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  tt.return %0 : f32
}

// A pack of four bytes is one register: the first element is the lowest byte.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xi8>
// CHECK:         %[[FIRST:.*]] = tensor.extract_slice %[[X]][0] [2] [4]
// CHECK:         tensor.extract_slice %[[X]][3] [2] [4]
// CHECK:         linalg.generic {{.*}} ins(%[[FIRST]]
// CHECK:         ^bb0(%[[A:[^:]*]]: i8, %[[B:[^:]*]]: i8,
// CHECK:           %[[LOW:.*]] = arith.extui %[[A]] : i8 to i32
// CHECK:           %[[NEXT:.*]] = arith.extui %[[B]] : i8 to i32
// CHECK:           %[[MOVED:.*]] = arith.shli %[[NEXT]], %c8_i32
// CHECK:           arith.ori %[[LOW]], %[[MOVED]]
// CHECK:         tensor.insert_slice
tt.func @pack(%x: tensor<8xi8>) -> tensor<8xi8> {
  %0 = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<8xi8> -> tensor<8xi8>
  tt.return %0 : tensor<8xi8>
}

// What a guard leaves out keeps its value.
// CHECK-LABEL: func.func @guard(
// CHECK-SAME:    %[[X:[^:]*]]: i32
// CHECK:         %[[P:.*]] = arith.cmpi slt, %[[X]], %c0_i32
// CHECK:         arith.select %[[P]], %c1_i32{{.*}}, %c7_i32
tt.func @guard(%x: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "{ .reg .pred p; setp.lt.s32 p, $1, 0; mov.b32 $0, 7; @p mov.b32 $0, 1; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %0 : i32
}

// Several results, each in registers of its own.
// CHECK-LABEL: func.func @results(
// CHECK:         linalg.generic
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK:           %[[DIFFERENCE:.*]] = arith.subi
// CHECK:           linalg.yield %[[SUM]], %[[DIFFERENCE]] : i32, i32
tt.func @results(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0:2 = tt.elementwise_inline_asm "add.s32 $0, $2, 1; sub.s32 $1, $2, 1;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
  %1 = arith.muli %0#0, %0#1 : tensor<8xi32>
  tt.return %1 : tensor<8xi32>
}

// What accesses memory runs in a loop whose results nobody need use.
// CHECK-LABEL: func.func @memory(
// CHECK:         scf.for
// CHECK:           %[[ADDRESS:.*]] = tensor.extract
// CHECK:           %[[POINTER:.*]] = llvm.inttoptr
// CHECK:           llvm.load %[[POINTER]] {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK:           llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr
tt.func @memory(%x: tensor<8xi64>, %y: tensor<8xi64>) {
  %0 = tt.elementwise_inline_asm "ld.global.b16 $0, [$1]; st.global.b16 [$2+2], $0;" {constraints = "=h,l,l", packed_element = 1 : i32, pure = false} %x, %y : tensor<8xi64>, tensor<8xi64> -> tensor<8xi16>
  tt.return
}

// A float of 4 bits counts units of its last place, the nearest number of them,
// and adds those of smaller exponents; the sign of NaN is lost, and the first
// operand is the upper half of the byte.
// CHECK-LABEL: func.func @into_halves_of_a_byte(
// CHECK-SAME:    %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f32
// CHECK:         %[[SIZE:.*]] = math.absf
// CHECK:         %[[CLIPPED:.*]] = arith.minnumf %[[SIZE]], %cst{{[_0-9]*}} : f32
// CHECK:         %[[UNITS:.*]] = arith.mulf %[[CLIPPED]]
// CHECK:         %[[WHOLE:.*]] = math.roundeven %[[UNITS]]
// CHECK:         %[[COUNT:.*]] = arith.fptosi %[[WHOLE]] : f32 to i32
// CHECK:         arith.addi %[[COUNT]]
// CHECK:         %[[NUMBER:.*]] = arith.cmpf ord
// CHECK:         arith.select %[[NUMBER]], %{{.*}}, %c0_i32
// CHECK:         math.roundeven
// CHECK:         %[[UPPER:.*]] = arith.shli %{{.*}}, %c4_i32
// CHECK:         arith.ori %{{.*}}, %[[UPPER]]
tt.func @into_halves_of_a_byte(%x: f32, %y: f32) -> i32 {
  %0 = tt.elementwise_inline_asm "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t; }" {constraints = "=r,f,f", packed_element = 1 : i32, pure = true} %x, %y : f32, f32 -> i32
  tt.return %0 : i32
}

// Random bits are added below the last place, where all else is cut off: the
// first number, the upper one, has the upper byte of them.
// CHECK-LABEL: func.func @into_four_by_random_bits(
// CHECK-SAME:    %[[X:[^:]*]]: f32, %[[RANDOM:[^:]*]]: i32
// CHECK:         %[[BYTE:.*]] = arith.shrui %[[RANDOM]], %c24_i32
// CHECK:         %[[BITS:.*]] = arith.andi %[[BYTE]], %c255_i32
// CHECK:         %[[COUNT:.*]] = arith.fptosi
// CHECK:         %[[SUM:.*]] = arith.addi %[[COUNT]], %[[BITS]]
// CHECK:         arith.shrui %[[SUM]], %c8_i32
// CHECK-NOT:     math.roundeven
tt.func @into_four_by_random_bits(%x: f32, %random: i32) -> i16 {
  %0 = tt.elementwise_inline_asm "cvt.rs.satfinite.e2m1x4.f32 $0, {$1, $1, $1, $1}, $2;" {constraints = "=h,f,r", packed_element = 1 : i32, pure = true} %x, %random : f32, i32 -> i16
  tt.return %0 : i16
}

// The exponent above is one more unless the number is a power of two, or below
// the smallest; what is infinite is the largest, and NaN is 255.
// CHECK-LABEL: func.func @exponent(
// CHECK:         %[[SIZE:.*]] = math.absf
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[SIZE]] : f32 to i32
// CHECK:         %[[FLOOR:.*]] = arith.shrui %[[BITS]], %c23_i32
// CHECK:         %[[REST:.*]] = arith.andi %[[BITS]], %c8388607_i32
// CHECK:         arith.cmpi ne, %[[REST]], %c0_i32
// CHECK:         arith.cmpi ugt, %[[BITS]], %c4194304_i32
// CHECK:         %[[ABOVE:.*]] = arith.addi %[[FLOOR]]
// CHECK:         %[[NAN:.*]] = arith.cmpi ugt, %[[BITS]], %c2139095040_i32
// CHECK:         %[[MOST:.*]] = arith.select %[[NAN]], %c255_i32{{[_0-9]*}}, %c254_i32
// CHECK:         arith.minui %[[ABOVE]], %[[MOST]]
tt.func @exponent(%x: f32) -> i16 {
  %0 = tt.elementwise_inline_asm "cvt.rp.satfinite.ue8m0x2.f32 $0, $1, $1;" {constraints = "=h,f", packed_element = 1 : i32, pure = true} %x : f32 -> i16
  tt.return %0 : i16
}

// Sign, exponent and mantissa are moved to the places that f16 has for them.
// CHECK-LABEL: func.func @from_halves_of_a_byte(
// CHECK-COUNT-2: arith.mulf %{{.*}}, %cst{{[_0-9]*}} : f16
tt.func @from_halves_of_a_byte(%x: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "{ .reg .b8 t; cvt.u8.u32 t, $1; cvt.rn.f16x2.e2m1x2 $0, t; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %0 : i32
}
