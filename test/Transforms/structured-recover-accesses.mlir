// RUN: triton-shared-opt %s --structured-recover-accesses --split-input-file | FileCheck %s

// Gathers whose offsets are a sum of one term per dimension become strided
// loads; what the mask says about one dimension becomes a bound of it.

// A block of consecutive elements with a ragged end; 'other' is one number.
// CHECK-LABEL: tt.func @tail(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %[[N:[^:]+]]: i32)
// CHECK-DAG:     %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK-DAG:     %[[HIGH:.*]] = arith.subi %[[WIDE]]
// CHECK-DAG:     %[[OTHER:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         tts.load %[[P]][%{{.*}}] strides [1] bounds [0] from(%{{.*}}) to(%[[HIGH]]) other %[[OTHER]] : f32
// CHECK-NOT:     tts.gather
tt.func @tail(%p: !tt.ptr<f32>, %n: i32) -> tensor<8xf32> {
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %x, %ns : tensor<8xi32>
  %other = arith.constant dense<2.0> : tensor<8xf32>
  %o = arith.extsi %x : tensor<8xi32> to tensor<8xi64>
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> other %other : tensor<8xf32> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// Two strides that are scalars of the kernel, stored transposed; the hints stay.
// CHECK-LABEL: tt.func @transposed(
// CHECK-SAME:    %{{[^:]+}}: tensor<4x8xf32>, %[[P:[^:]+]]: !tt.ptr<f32>, %[[S:[^:]+]]: i32)
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK:         tts.store %{{.*}} to %[[P]][%{{.*}}] strides [1, %[[WIDE]]] {evict = "evict_first"}
tt.func @transposed(%t: tensor<4x8xf32>, %p: !tt.ptr<f32>, %s: i32) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %strides = tt.splat %s : i32 -> tensor<8x1xi32>
  %scaled = arith.muli %rows, %strides : tensor<8x1xi32>
  %r = tt.broadcast %scaled : tensor<8x1xi32> -> tensor<8x4xi32>
  %cols = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %c = tt.broadcast %cols : tensor<1x4xi32> -> tensor<8x4xi32>
  %sum = arith.addi %r, %c : tensor<8x4xi32>
  %turned = tt.trans %sum {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
  %o = arith.extsi %turned : tensor<4x8xi32> to tensor<4x8xi64>
  tts.scatter %t to %p[%o] {evict = "evict_first"} : tensor<4x8xf32>, !tt.ptr<f32>, tensor<4x8xi64>
  tt.return
}

// -----

// A remainder of what is not negative wraps around, however often. By a
// negative number it is what it is by the absolute value.
// CHECK-LABEL: tt.func @wrapped(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %[[N:[^:]+]]: i32)
// CHECK:         %[[PID:.*]] = tt.get_program_id x : i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[PID]] : i32 to i64
// CHECK:         %[[START:.*]] = arith.muli %[[WIDE]], %{{.*}} : i64
// CHECK:         %[[DIVISOR:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[NEGATED:.*]] = arith.subi %{{.*}}, %[[DIVISOR]] : i64
// CHECK:         %[[SIZE:.*]] = arith.maxsi %[[DIVISOR]], %[[NEGATED]] : i64
// CHECK:         tts.load %[[P]][%{{.*}}] strides [1] wrap [0] from(%[[START]]) size(%[[SIZE]])
tt.func @wrapped(%p: !tt.ptr<f32>, %n: i32) -> tensor<8xf32> {
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %w = arith.remsi %x, %ns : tensor<8xi32>
  %o = arith.extsi %w : tensor<8xi32> to tensor<8xi64>
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// C's remainder of a negative number is negative: nothing to gain, all to lose.
// CHECK-LABEL: tt.func @perhaps_negative(
// CHECK:         tts.gather
tt.func @perhaps_negative(%p: !tt.ptr<f32>, %n: i32, %start: i32) -> tensor<8xf32> {
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %w = arith.remsi %x, %ns : tensor<8xi32>
  %o = arith.extsi %w : tensor<8xi32> to tensor<8xi64>
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// Rows by index, columns next to each other. A mask of both stays a tensor.
// CHECK-LABEL: tt.func @rows_by_index(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %[[ROWS:[^:]+]]: tensor<8xi32>, %[[S:[^:]+]]: i32, %[[MASK:[^:]+]]: tensor<8x4xi1>)
// CHECK-DAG:     %[[STRIDE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG:     %[[INDICES:.*]] = arith.extsi %[[ROWS]] : tensor<8xi32> to tensor<8xi64>
// CHECK:         tts.load %[[P]][%{{.*}}] strides [%[[STRIDE]], 1] gather [0] by(%[[INDICES]] : tensor<8xi64>) mask %[[MASK]] : tensor<8x4xi1>
tt.func @rows_by_index(%p: !tt.ptr<f32>, %index: tensor<8xi32>, %s: i32, %mask: tensor<8x4xi1>) -> tensor<8x4xf32> {
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %rows = tt.expand_dims %index {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %strides = tt.splat %s : i32 -> tensor<8x1xi32>
  %scaled = arith.muli %rows, %strides : tensor<8x1xi32>
  %r = tt.broadcast %scaled : tensor<8x1xi32> -> tensor<8x4xi32>
  %cols = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %c = tt.broadcast %cols : tensor<1x4xi32> -> tensor<8x4xi32>
  %sum = arith.addi %r, %c : tensor<8x4xi32>
  %o = arith.extsi %sum : tensor<8x4xi32> to tensor<8x4xi64>
  %t = tts.gather %p[%o] mask %mask : tensor<8x4xi1> : !tt.ptr<f32>, tensor<8x4xi64> -> tensor<8x4xf32>
  tt.return %t : tensor<8x4xf32>
}

// -----

// A condition on the whole block closes one of its bounds.
// CHECK-LABEL: tt.func @switched_off(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %[[LIVE:[^:]+]]: i1)
// CHECK:         %[[HIGH:.*]] = arith.select %[[LIVE]], %{{.*}}, %{{.*}} : i64
// CHECK:         tts.load %[[P]][%{{.*}}] strides [1] bounds [0] from(%{{.*}}) to(%[[HIGH]])
tt.func @switched_off(%p: !tt.ptr<f32>, %live: i1) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %mask = tt.splat %live : i1 -> tensor<8xi1>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// A mask that is always true is none, and then 'other' is of no use.
// CHECK-LABEL: tt.func @always(
// CHECK:         tts.load %{{.*}}[%{{.*}}] strides [1] : !tt.ptr<f32>
tt.func @always(%p: !tt.ptr<f32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %mask = arith.cmpi ult, %i, %eight : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> other %other : tensor<8xf32> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// A flattened index is a line in each of two dimensions; what is read takes the
// shape that the program knows, and its mask the other way round.
// CHECK-LABEL: tt.func @flattened(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %[[MASK:[^:]+]]: tensor<32xi1>)
// CHECK:         %[[TILE:.*]] = tt.reshape %[[MASK]] : tensor<32xi1> -> tensor<8x4xi1>
// CHECK:         %[[T:.*]] = tts.load %[[P]][%{{.*}}] strides [1, 8] mask %[[TILE]]
// CHECK:         tt.reshape %[[T]] : tensor<8x4xf32> -> tensor<32xf32>
tt.func @flattened(%p: !tt.ptr<f32>, %mask: tensor<32xi1>) -> tensor<32xf32> {
  %x = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %eight = arith.constant dense<8> : tensor<32xi32>
  %row = arith.divsi %x, %four : tensor<32xi32>
  %col = arith.remsi %x, %four : tensor<32xi32>
  %scaled = arith.muli %col, %eight : tensor<32xi32>
  %sum = arith.addi %scaled, %row : tensor<32xi32>
  %o = arith.extsi %sum : tensor<32xi32> to tensor<32xi64>
  %t = tts.gather %p[%o] mask %mask : tensor<32xi1> : !tt.ptr<f32>, tensor<32xi64> -> tensor<32xf32>
  tt.return %t : tensor<32xf32>
}

// -----

// A row of a table: where it begins is one index for the block, loaded once.
// CHECK-LABEL: tt.func @row_of_a_table(
// CHECK-SAME:    %[[T:[^:]+]]: !tt.ptr<f32>, %[[I:[^:]+]]: !tt.ptr<i64>)
// CHECK:         %[[ROW:.*]] = tts.load %[[I]][%{{.*}}] strides [] {{.*}}: !tt.ptr<i64> -> i64
// CHECK:         %[[AT:.*]] = arith.muli %[[ROW]]
// CHECK:         tts.load %[[T]][%[[AT]]] strides [1] : !tt.ptr<f32> -> tensor<8xf32>
// CHECK-NOT:     tts.gather
tt.func @row_of_a_table(%t: !tt.ptr<f32>, %i: !tt.ptr<i64>) -> tensor<8xf32> {
  %pid = tt.get_program_id x : i32
  %pids = tt.splat %pid : i32 -> tensor<8xi32>
  %at = arith.extsi %pids : tensor<8xi32> to tensor<8xi64>
  %rows = tts.gather %i[%at] {evict = "evict_last"} : !tt.ptr<i64>, tensor<8xi64> -> tensor<8xi64>
  %c8 = arith.constant dense<8> : tensor<8xi64>
  %first = arith.muli %rows, %c8 : tensor<8xi64>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %columns = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %o = arith.addi %first, %columns : tensor<8xi64>
  %v = tts.gather %t[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %v : tensor<8xf32>
}

// -----

// A volatile one stays what it is, and what it leads to a gather.
// CHECK-LABEL: tt.func @volatile_index(
// CHECK:         %[[ROWS:.*]] = tts.load {{.*}} strides [0] {{.*}}-> tensor<8xi64>
// CHECK:         tts.gather
tt.func @volatile_index(%t: !tt.ptr<f32>, %i: !tt.ptr<i64>) -> tensor<8xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %rows = tts.gather %i[%zero] {is_volatile} : !tt.ptr<i64>, tensor<8xi64> -> tensor<8xi64>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %columns = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %o = arith.addi %rows, %columns : tensor<8xi64>
  %v = tts.gather %t[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %v : tensor<8xf32>
}
