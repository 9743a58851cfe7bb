// RUN: triton-shared-opt %s --triton-check-values --split-input-file | FileCheck %s

// What a masked load has not read is undefined, and matters where it is stored.
// CHECK-LABEL: tt.func @undefined(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<8xi1>
// CHECK:         tt.load
// CHECK:         %[[ONE:.*]] = arith.constant dense<1> : tensor<8xi32>
// CHECK:         %[[NONE:.*]] = arith.constant dense<0> : tensor<8xi32>
// CHECK:         %[[C:.*]] = arith.select %[[M]], %[[NONE]], %[[ONE]]
// CHECK:         tts.note "{{.*}}undefined-lanes{{.*}}causes{{.*}}tt.load{{.*}}", %[[C]] : tensor<8xi32>
// CHECK-NEXT:    tt.store
tt.func @undefined(%p: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>) {
  %v = tt.load %p, %m : tensor<8x!tt.ptr<i32>>
  tt.store %p, %v : tensor<8x!tt.ptr<i32>>
  tt.return
}

// -----

// With `other` everything is defined.
// CHECK-LABEL: tt.func @other(
// CHECK-NOT:     tts.note
// CHECK:         tt.return
tt.func @other(%p: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>, %o: tensor<8xi32>) {
  %v = tt.load %p, %m, %o : tensor<8x!tt.ptr<i32>>
  tt.store %p, %v : tensor<8x!tt.ptr<i32>>
  tt.return
}

// -----

// A choice drops what it does not take; only lanes that the store takes matter.
// CHECK-LABEL: tt.func @choice(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<8xi1>, %[[S:[a-z0-9]+]]: tensor<8xi1>
// CHECK:         %[[V:.*]] = tt.load
// CHECK:         %[[C:.*]] = arith.select %[[M]],
// CHECK:         arith.select %[[S]], %[[V]], %{{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK:         %[[D:.*]] = arith.select %[[S]], %[[C]],
// CHECK:         %[[E:.*]] = arith.select %[[S]], %[[D]],
// CHECK:         tts.note {{.*}}, %[[E]]
tt.func @choice(%p: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>, %s: tensor<8xi1>, %x: tensor<8xi32>) {
  %v = tt.load %p, %m : tensor<8x!tt.ptr<i32>>
  %w = arith.select %s, %v, %x : tensor<8xi1>, tensor<8xi32>
  tt.store %p, %w, %s : tensor<8x!tt.ptr<i32>>
  tt.return
}

// -----

// A sum of defined and undefined elements is noted where it is made; one of
// undefined elements alone is undefined.
// CHECK-LABEL: tt.func @sum(
// CHECK:         %[[C:.*]] = arith.select
// CHECK:         "tt.reduce"(%[[C]])
// CHECK:           arith.minsi
// CHECK:         %[[MIXED:.*]] = arith.cmpi eq
// CHECK:         "tt.reduce"(%[[C]])
// CHECK:           arith.maxsi
// CHECK:         %[[FOUND:.*]] = arith.select %[[MIXED]]
// CHECK:         tts.note "{{.*}}tt.reduce{{.*}}", %[[FOUND]] : i32
// CHECK:         arith.addi
// CHECK:         %[[ALL:.*]] = "tt.reduce"(%[[C]])
// CHECK:           arith.minsi
// CHECK:         tts.note "{{.*}}tt.store{{.*}}", %[[ALL]] : i32
tt.func @sum(%p: tensor<8x!tt.ptr<i32>>, %m: tensor<8xi1>, %q: !tt.ptr<i32>) {
  %v = tt.load %p, %m : tensor<8x!tt.ptr<i32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8xi32>) -> i32
  tt.store %q, %s : !tt.ptr<i32>
  tt.return
}

// -----

// Loops and branches hand on causes beside values.
// CHECK-LABEL: tt.func @loop(
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (i32, i32)
// CHECK:           %[[W:.*]]:2 = scf.if
// CHECK:             scf.yield %{{.*}}, %{{.*}} : i32, i32
// CHECK:           } else {
// CHECK:             scf.yield %[[V]], %[[C]] : i32, i32
// CHECK:           scf.yield %[[W]]#0, %[[W]]#1
// CHECK:         tts.note {{.*}}, %[[R]]#1 : i32
tt.func @loop(%p: !tt.ptr<i32>, %m: i1, %n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %zero) -> (i32) : i32 {
    %w = scf.if %c -> (i32) {
      %x = tt.load %p, %m : !tt.ptr<i32>
      scf.yield %x : i32
    } else {
      scf.yield %v : i32
    }
    scf.yield %w : i32
  }
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// -----

// A branch on what is undefined is noted before it.
// CHECK-LABEL: tt.func @branch(
// CHECK:         tts.note "{{.*}}scf.if{{.*}}", %{{.*}} : i32
// CHECK-NEXT:    scf.if
tt.func @branch(%p: !tt.ptr<i1>, %m: i1, %q: !tt.ptr<i32>, %x: i32) {
  %v = tt.load %p, %m : !tt.ptr<i1>
  scf.if %v {
    tt.store %q, %x : !tt.ptr<i32>
  }
  tt.return
}

// -----

// A product that forms an address is compared with the one of 64 bits; the note
// is about the access.
// CHECK-LABEL: tt.func @product(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32
// CHECK:         %[[P:.*]] = arith.muli %[[A]], %[[B]] : i32
// CHECK:         %[[WIDE:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         %[[SAME:.*]] = arith.extsi %[[P]]
// CHECK:         %[[WRAPS:.*]] = arith.cmpi ne, %[[WIDE]], %[[SAME]]
// CHECK:         tts.note "{{.*}}wrapped-address{{.*}}forms_address\22:true{{.*}}arith.muli{{.*}}", %{{.*}} : i32
// CHECK-NEXT:    tt.load
tt.func @product(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
  %o = arith.muli %a, %b : i32
  %q = tt.addptr %p, %o : !tt.ptr<i32>, i32
  %v = tt.load %q : !tt.ptr<i32>
  tt.return
}

// -----

// A left shift is compared with the one of 64 bits, a truncation with what it is
// made of. What was cut off from a hash is no mistake.
// CHECK-LABEL: tt.func @shift(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i64
// CHECK:         %[[S:.*]] = arith.shli %[[A]]
// CHECK:         %[[BY:.*]] = arith.minui
// CHECK:         %[[WIDE:.*]] = arith.shli %{{.*}}, %[[BY]] : i64
// CHECK:         %[[SAME:.*]] = arith.extsi %[[S]]
// CHECK:         arith.cmpi ne, %[[WIDE]], %[[SAME]]
// CHECK:         %[[T:.*]] = arith.trunci %[[B]]
// CHECK:         %[[AGAIN:.*]] = arith.extsi %[[T]]
// CHECK:         arith.cmpi ne, %[[B]], %[[AGAIN]]
// CHECK:         arith.trunci
// CHECK-NOT:     arith.cmpi ne
// CHECK:         tts.note "{{.*}}wrapped-address{{.*}}arith.trunci{{.*}}arith.shli{{.*}}"
// CHECK-NEXT:    tt.load
tt.func @shift(%p: !tt.ptr<i32>, %a: i32, %b: i64) {
  %c4 = arith.constant 4 : i32
  %c32 = arith.constant 32 : i64
  %s = arith.shli %a, %c4 : i32
  %t = arith.trunci %b : i64 to i32
  %h = arith.shrui %b, %c32 : i64
  %u = arith.trunci %h : i64 to i32
  %q = tt.addptr %p, %s : !tt.ptr<i32>, i32
  %r = tt.addptr %q, %t : !tt.ptr<i32>, i32
  %w = tt.addptr %r, %u : !tt.ptr<i32>, i32
  %v = tt.load %w : !tt.ptr<i32>
  tt.return
}

// -----

// Sums wrap where the sign is one of neither operand. Hashes may. What is stored
// may become an address where somebody loads it.
// CHECK-LABEL: tt.func @sums(
// CHECK:         %[[S:.*]] = arith.addi %[[A:.*]], %[[B:[^ ]*]]
// CHECK:         %[[X:.*]] = arith.xori %[[A]], %[[S]]
// CHECK:         %[[Y:.*]] = arith.xori %[[B]], %[[S]]
// CHECK:         %[[Z:.*]] = arith.andi %[[X]], %[[Y]]
// CHECK:         arith.cmpi slt, %[[Z]]
// CHECK:         tts.note {{.*}} : i32{{$}}
// CHECK-NEXT:    tt.store
// CHECK:         tts.note "{{.*}}class\22:\22stored\22{{.*}}arith.muli{{.*}}"
// CHECK-NEXT:    tt.store
// CHECK-NOT:     tts.note
// CHECK:         tt.return
tt.func @sums(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
  %o = arith.addi %a, %b : i32
  %q = tt.addptr %p, %o : !tt.ptr<i32>, i32
  tt.store %q, %a : !tt.ptr<i32>
  %c7 = arith.constant 7 : i32
  %h = arith.muli %a, %b : i32
  %k = arith.andi %h, %c7 : i32
  %r = tt.addptr %p, %k : !tt.ptr<i32>, i32
  tt.store %r, %h : !tt.ptr<i32>
  tt.return
}

// -----

// To blame for an infinite number, or none, is an operation whose operands are
// better; the store shows it.
// CHECK-LABEL: tt.func @quotient(
// CHECK:         %[[Q:.*]] = arith.divf
// CHECK:         %[[BITS:.*]] = tt.bitcast %[[Q]] : f32 -> i32
// CHECK:         %[[RANK:.*]] = arith.andi %[[BITS]], %c2147483647
// CHECK:         %[[LEAST:.*]] = arith.minsi %[[RANK]], %c2139095041
// CHECK:         %[[BLAMED:.*]] = arith.cmpi sgt, %[[LEAST]]
// CHECK:         %[[C:.*]] = arith.select %[[BLAMED]]
// CHECK:         %[[WRONG:.*]] = arith.cmpi sgt, %{{.*}}, %c2139095039
// CHECK:         %[[FOUND:.*]] = arith.select %[[WRONG]], %[[C]]
// CHECK:         tts.note "{{.*}}not-finite{{.*}}floats{{.*}}arith.divf{{.*}}", %[[FOUND]], %[[Q]] : i32, f32
tt.func @quotient(%p: !tt.ptr<f32>, %a: f32, %b: f32) {
  %q = arith.divf %a, %b : f32
  tt.store %p, %q : !tt.ptr<f32>
  tt.return
}

// -----

// What gives back an operand is never to blame, nor a constant.
// CHECK-LABEL: tt.func @largest(
// CHECK-NOT:     tts.note
// CHECK:         tt.return
tt.func @largest(%p: !tt.ptr<f32>, %a: f32) {
  %inf = arith.constant 0x7F800000 : f32
  %q = arith.maxnumf %a, %inf : f32
  tt.store %p, %q : !tt.ptr<f32>
  tt.return
}

// -----

// Hints are looked at where they stand; arguments at the start. They go then.
// CHECK-LABEL: tt.func @hints(
// CHECK-SAME:    %{{[a-z0-9]+}}: !tt.ptr<f32>, %
// CHECK:         %[[ADDRESS:.*]] = tt.ptr_to_int
// CHECK:         arith.remsi %[[ADDRESS]]
// CHECK:         tts.note "{{.*}}false-hint{{.*}}a multiple of 16{{.*}}", %{{.*}}, %[[ADDRESS]] : i32, i64
// CHECK:         tts.note "{{.*}}tl.assume{{.*}}", %{{.*}} : i32
// CHECK-NOT:     llvm.intr.assume
// CHECK:         %[[I:.*]] = arith.addi %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<16xi32>
// CHECK:         tt.gather %[[I]]
// CHECK:         tts.note "{{.*}}tl.max_contiguous(8){{.*}}", %{{.*}}, %[[I]]
// CHECK:         tts.note "{{.*}}tl.multiple_of(4){{.*}}", %{{.*}}, %[[I]]
tt.func @hints(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: i1, %a: tensor<16xi32>) {
  llvm.intr.assume %c : i1
  %i = arith.addi %a, %a {tt.divisibility = dense<4> : tensor<1xi32>, tt.contiguity = dense<8> : tensor<1xi32>} : tensor<16xi32>
  tt.return
}
