// RUN: triton-shared-opt %s --triton-pointers-to-structured --canonicalize | FileCheck %s

// A block of pointers is an argument and a block of offsets.
// CHECK-LABEL: tt.func @block(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: tensor<8xi1>
// CHECK:         %[[I:.*]] = tt.make_range
// CHECK:         %[[O:.*]] = arith.extsi %[[I]] : tensor<8xi32> to tensor<8xi64>
// CHECK:         %[[V:.*]] = tts.gather %[[P]][%[[O]]] mask %[[M]] : tensor<8xi1>
// CHECK:         tts.scatter %[[V]] to %[[P]][%[[O]]] mask %[[M]]
tt.func @block(%p: !tt.ptr<f32>, %m: tensor<8xi1>) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %a = tt.addptr %s, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %a, %m : tensor<8x!tt.ptr<f32>>
  tt.store %a, %v, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// A scalar access keeps its mask and `other`.
// CHECK-LABEL: tt.func @scalar(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[O:.*]]: i64, %[[M:.*]]: i1, %[[X:.*]]: i32)
// CHECK:         %[[V:.*]] = tts.load %[[P]][%[[O]]] strides [] mask %[[M]] : i1 other %[[X]] : i32
// CHECK:         tts.store %[[V]] to %[[P]][%{{.*}}] strides [] mask %[[M]] : i1
tt.func @scalar(%p: !tt.ptr<i32>, %o: i64, %m: i1, %x: i32) {
  %a = tt.addptr %p, %o : !tt.ptr<i32>, i64
  %v = tt.load %a, %m, %x : !tt.ptr<i32>
  tt.store %p, %v, %m : !tt.ptr<i32>
  tt.return
}

// Each offset is extended to 64 bits before they are added.
// CHECK-LABEL: tt.func @offsets_add_up_in_64_bits(
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK-DAG:     %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-DAG:     %[[J64:.*]] = arith.extsi %[[J]] : i32 to i64
// CHECK:         arith.addi %[[I64]], %[[J64]] : i64
tt.func @offsets_add_up_in_64_bits(%p: !tt.ptr<f32>, %i: i32, %j: i32) -> f32 {
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i32
  %v = tt.load %b : !tt.ptr<f32>
  tt.return %v : f32
}

// A pointer carried by a loop can be cast: its type there is that of an offset already.
// CHECK-LABEL: tt.func @cast_in_loop(
// CHECK:         scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i64)
// CHECK:           tts.load %{{.*}}[%[[O]]] strides [] : !tt.ptr<i8> -> i8
tt.func @cast_in_loop(%p: !tt.ptr<i1>, %q: !tt.ptr<i8>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %p) -> (!tt.ptr<i1>) : i32 {
    %b = tt.bitcast %a : !tt.ptr<i1> -> !tt.ptr<i8>
    %v = tt.load %b : !tt.ptr<i8>
    tt.store %q, %v : !tt.ptr<i8>
    %next = tt.addptr %a, %c1 : !tt.ptr<i1>, i32
    scf.yield %next : !tt.ptr<i1>
  }
  tt.return
}

// A pointer carried by a loop is a carried offset.
// CHECK-LABEL: tt.func @loop(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>
// CHECK:         scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, f32)
// CHECK:           tts.load %[[P]][%[[O]]] strides []
// CHECK:           %[[N:.*]] = arith.addi %[[O]]
// CHECK:           scf.yield %[[N]]
tt.func @loop(%p: !tt.ptr<f32>, %n: i32, %step: i64) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %k = %c0 to %n step %c1
      iter_args(%a = %p, %sum = %zero) -> (!tt.ptr<f32>, f32) : i32 {
    %v = tt.load %a : !tt.ptr<f32>
    %t = arith.addf %sum, %v : f32
    %b = tt.addptr %a, %step : !tt.ptr<f32>, i64
    scf.yield %b, %t : !tt.ptr<f32>, f32
  }
  tt.return %r#1 : f32
}

// Where two arguments meet, both count from address zero.
// CHECK-LABEL: tt.func @two_bases(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[Q:.*]]: !tt.ptr<f32>
// CHECK-DAG:     %[[ZERO:.*]] = tts.from_address %{{.*}} : !tt.ptr<f32>
// CHECK-DAG:     tts.to_address %[[P]]
// CHECK-DAG:     tts.to_address %[[Q]]
// CHECK:         %[[O:.*]] = scf.if %{{.*}} -> (i64)
// CHECK:         tts.load %[[ZERO]][%[[O]]] strides []
tt.func @two_bases(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1, %i: i32) -> f32 {
  %a = scf.if %c -> !tt.ptr<f32> {
    %b = tt.addptr %p, %i : !tt.ptr<f32>, i32
    scf.yield %b : !tt.ptr<f32>
  } else {
    scf.yield %q : !tt.ptr<f32>
  }
  %v = tt.load %a : !tt.ptr<f32>
  tt.return %v : f32
}

// Pointers lie in memory as addresses.
// CHECK-LABEL: tt.func @pointer_to_pointer(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<!tt.ptr<f32>>)
// CHECK:         %[[A:.*]] = tts.to_address %[[P]]
// CHECK:         %[[B:.*]] = tts.from_address %[[A]] : !tt.ptr<i64>
// CHECK:         tts.load %[[B]][%{{.*}}] strides [] : !tt.ptr<i64> -> i64
tt.func @pointer_to_pointer(%p: !tt.ptr<!tt.ptr<f32>>) -> f32 {
  %a = tt.load %p : !tt.ptr<!tt.ptr<f32>>
  %v = tt.load %a : !tt.ptr<f32>
  tt.return %v : f32
}

// Booleans lie in memory as bytes.
// CHECK-LABEL: tt.func @bool(
// CHECK:         %[[B:.*]] = tts.from_address %{{.*}} : !tt.ptr<i8>
// CHECK:         %[[V:.*]] = tts.load %[[B]][%{{.*}}] strides [] : !tt.ptr<i8> -> i8
// CHECK:         arith.cmpi ne, %[[V]]
tt.func @bool(%p: !tt.ptr<i1>) -> i1 {
  %v = tt.load %p : !tt.ptr<i1>
  tt.return %v : i1
}

// A pointer to elements of another size counts in these.
// CHECK-LABEL: tt.func @bitcast(
// CHECK-SAME:    %{{.*}}: !tt.ptr<i32>, %[[I:.*]]: i64)
// CHECK:         %[[TWO:.*]] = arith.shli %[[I]]
// CHECK:         tts.load %{{.*}}[%[[TWO]]] strides [] : !tt.ptr<f16> -> f16
tt.func @bitcast(%p: !tt.ptr<i32>, %i: i64) -> f16 {
  %a = tt.addptr %p, %i : !tt.ptr<i32>, i64
  %b = tt.bitcast %a : !tt.ptr<i32> -> !tt.ptr<f16>
  %v = tt.load %b : !tt.ptr<f16>
  tt.return %v : f16
}

// A scalar pointer to wider elements is a base of its own: what was added before may be no multiple of them.
// CHECK-LABEL: tt.func @widened(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i8>, %[[I:.*]]: i64, %[[J:.*]]: i64)
// CHECK:         %[[START:.*]] = tts.to_address %[[P]]
// CHECK:         %[[A:.*]] = arith.addi %[[START]], %[[I]]
// CHECK-DAG:     %[[BASE:.*]] = tts.from_address %[[A]] : !tt.ptr<i32>
// CHECK-DAG:     %[[BACK:.*]] = tts.from_address %[[A]] : !tt.ptr<i8>
// CHECK:         tts.load %[[BASE]][%[[J]]] strides []
// CHECK:         %[[BYTES:.*]] = arith.shli %[[J]], %c2
// CHECK:         tts.load %[[BACK]][%[[BYTES]]] strides []
tt.func @widened(%p: !tt.ptr<i8>, %i: i64, %j: i64) -> (i32, i8) {
  %a = tt.addptr %p, %i : !tt.ptr<i8>, i64
  %b = tt.bitcast %a : !tt.ptr<i8> -> !tt.ptr<i32>
  %c = tt.addptr %b, %j : !tt.ptr<i32>, i64
  %v = tt.load %c : !tt.ptr<i32>
  %d = tt.bitcast %c : !tt.ptr<i32> -> !tt.ptr<i8>
  %w = tt.load %d : !tt.ptr<i8>
  tt.return %v, %w : i32, i8
}

// A block of such pointers goes on to count bytes; an access needs elements from address zero.
// CHECK-LABEL: tt.func @widened_block(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i8>, %[[I:.*]]: tensor<8xi64>, %[[J:.*]]: tensor<8xi64>)
// CHECK-DAG:     %[[ZERO:.*]] = tts.from_address %c0{{.*}} : !tt.ptr<i32>
// CHECK-DAG:     %[[START:.*]] = tts.to_address %[[P]]
// CHECK-DAG:     %[[STEPS:.*]] = arith.shli %[[J]], %cst
// CHECK:         %[[BYTES:.*]] = arith.addi %[[I]], %[[STEPS]]
// CHECK:         %[[A:.*]] = arith.addi %{{.*}}, %[[BYTES]]
// CHECK:         %[[O:.*]] = arith.shrsi %[[A]], %cst
// CHECK:         tts.gather %[[ZERO]][%[[O]]]
// CHECK:         tts.gather %[[P]][%[[BYTES]]]
tt.func @widened_block(%p: !tt.ptr<i8>, %i: tensor<8xi64>, %j: tensor<8xi64>) -> (tensor<8xi32>, tensor<8xi8>) {
  %s = tt.splat %p : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  %a = tt.addptr %s, %i : tensor<8x!tt.ptr<i8>>, tensor<8xi64>
  %b = tt.bitcast %a : tensor<8x!tt.ptr<i8>> -> tensor<8x!tt.ptr<i32>>
  %c = tt.addptr %b, %j : tensor<8x!tt.ptr<i32>>, tensor<8xi64>
  %v = tt.load %c : tensor<8x!tt.ptr<i32>>
  %d = tt.bitcast %c : tensor<8x!tt.ptr<i32>> -> tensor<8x!tt.ptr<i8>>
  %w = tt.load %d : tensor<8x!tt.ptr<i8>>
  tt.return %v, %w : tensor<8xi32>, tensor<8xi8>
}

// A pointer that a loop carries counts what every step is a multiple of: here bytes.
// CHECK-LABEL: tt.func @carried_bytes(
// CHECK:         scf.for {{.*}} iter_args(%[[O:.*]] = %c0
// CHECK:           %[[BYTE:.*]] = arith.addi %[[O]], %c1
// CHECK:           tts.load %{{.*}}[%[[BYTE]]] strides [] : !tt.ptr<i8> -> i8
// CHECK:           %[[NEXT:.*]] = arith.addi %[[O]], %c5
// CHECK:           scf.yield %[[NEXT]]
tt.func @carried_bytes(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %start = tt.bitcast %p : !tt.ptr<i32> -> !tt.ptr<i8>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %start) -> (!tt.ptr<i8>) : i32 {
    %b = tt.addptr %a, %c1 : !tt.ptr<i8>, i32
    %v = tt.load %b : !tt.ptr<i8>
    tt.store %b, %v : !tt.ptr<i8>
    %four = arith.constant 4 : i32
    %next = tt.addptr %b, %four : !tt.ptr<i8>, i32
    scf.yield %next : !tt.ptr<i8>
  }
  tt.return
}

// Hints stay with the access.
// CHECK-LABEL: tt.func @hints(
// CHECK:         tts.load {{.*}} {cache = "cg", evict = "evict_first", is_volatile}
tt.func @hints(%p: !tt.ptr<f32>) -> f32 {
  %v = tt.load %p cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>
  tt.return %v : f32
}
