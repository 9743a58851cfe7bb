// Loops of pointers whose loads are boxes of tensors under a condition get a form of their own for that.
// RUN: triton-shared-opt %s --cta-guard-boxes | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#columns = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#wide = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#deep = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #cta.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
#column = #cta.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// The rows of a are taken modulo m, the columns of b end by a bound, and K by another.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[M:[^:]*]]: i32 {tt.divisibility = 16 : i32}, %[[N:[^:]*]]: i32 {tt.divisibility = 16 : i32}, %[[K:[^:]*]]: i32
// CHECK-SAME: %[[MISSING:[^:]*]]: i32 {tts.parameter = "tensor_maps.missing"})
// CHECK: %[[SIZE:.*]] = arith.maxsi
// CHECK: %[[HAS:.*]] = arith.cmpi eq, %[[MISSING]], %{{.*}} : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[ROW:.*]], %c64{{.*}} : i64
// CHECK: %[[INSIDE:.*]] = arith.cmpi sle, %[[LAST]], %[[SIZE]] : i64
// CHECK: %[[BOTH:.*]] = arith.andi %[[HAS]], %[[INSIDE]]
// CHECK: scf.if %[[BOTH]]
// CHECK: scf.for
// CHECK: %[[HIGH:.*]] = arith.subi %{{.*}} : i64
// CHECK: %[[LOW_ROW:.*]] = arith.subi %{{.*}}, %[[ROW]] : i64
// CHECK: %[[HIGH_ROW:.*]] = arith.subi %{{.*}}, %[[ROW]] : i64
// CHECK: %[[START:.*]] = arith.subi %{{.*}}, %[[HIGH]] : i64
// CHECK: %[[LOW:.*]] = arith.subi %{{.*}}, %[[START]] : i64
// CHECK: tts.load %{{.*}} strides [%{{.*}}, 1] bounds [0, 1] from(%[[LOW_ROW]], %[[LOW]]) to(%[[HIGH_ROW]], %[[HIGH]]) other
// CHECK: tts.load %{{.*}} strides [%{{.*}}, 1] bounds [0, 1] from(%{{.*}}, %{{.*}}) to(%[[HIGH]], %{{.*}}) other
// CHECK: } else {
// CHECK: scf.for
// CHECK: tts.load %{{.*}} wrap [0] from(%[[ROW]]) size(%[[SIZE]]) bounds [1] from(%{{.*}}) to(%{{.*}})
// CHECK: tts.load %{{.*}} bounds [0, 1] from(%c0{{.*}}, %c0{{.*}}) to(
func.func @product(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %height = arith.constant 64 : i64
  %px64 = arith.extsi %px : i32 to i64
  %row = arith.muli %px64, %height : i64
  %rows = arith.extsi %m : i32 to i64
  %negative = arith.subi %none, %rows : i64
  %size = arith.maxsi %rows, %negative : i64
  %columns = arith.extsi %n : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %down = arith.muli %sb, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %none, %at_b = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] wrap [0] from(%row) size(%size) bounds [1] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [%sb, 1] bounds [0, 1] from(%none, %none) to(%high, %columns) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// The offset of b does not follow the bound along K: it steps by one row less.
// CHECK-LABEL: func.func @other_steps(
// CHECK-NOT: scf.if
func.func @other_steps(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %less = arith.constant 31 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %down = arith.muli %sb, %less : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %none, %at_b = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] bounds [0, 1] from(%none, %none) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [%sb, 1] bounds [0, 1] from(%none, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Where a turn is, and where its offset is, grow by another number in each turn: nothing says that they belong together.
// CHECK-LABEL: func.func @uneven_turns(
// CHECK-NOT: scf.if
func.func @uneven_turns(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at = %none, %begin = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at] strides [%sa, 1] bounds [0, 1] from(%none, %none) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at] strides [%sb, 1] bounds [0, 1] from(%none, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %turn = arith.extsi %t : i32 to i64
    %turns = arith.muli %turn, %width : i64
    %next = arith.addi %at, %turns : i64
    %next_begin = arith.addi %begin, %turn : i64
    scf.yield %d, %next, %next_begin : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Nobody says where the rows end, and each program has matrices of its own: the tensor goes on and on, and the offset counts its rows.
// CHECK-LABEL: func.func @batch(
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %{{.*}}, %c1073741824_i64{{.*}} : i64
// CHECK: arith.andi %{{.*}}, %[[FIRST]]
// CHECK: arith.divsi
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %c32_i64{{.*}} : i64
// CHECK: arith.cmpi sle, %[[END]], %{{.*}} : i64
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tts.load %{{.*}} strides [%{{.*}}, 1] bounds [0, 1] from(%{{.*}}, %{{.*}}) to(%{{.*}}, %{{.*}}) other
// CHECK: tts.load %{{.*}} strides [16, 1] bounds [0, 1] from(%{{.*}}, %{{.*}}) to(%{{.*}}, %{{.*}}) other
// CHECK: } else {
// CHECK: tts.load %{{.*}} strides [%{{.*}}, 1] bounds [1] from
// CHECK: tts.load %{{.*}} strides [16, 1] bounds [0] from
func.func @batch(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %line = arith.constant 16 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %program = arith.extsi %px : i32 to i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %matrix_row = arith.muli %program, %rows : i64
  %begin_a = arith.muli %matrix_row, %sa : i64
  %matrix_k = arith.muli %program, %depth : i64
  %begin_b = arith.muli %matrix_k, %line : i64
  %down = arith.muli %line, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %begin_a, %at_b = %begin_b) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] bounds [1] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [16, 1] bounds [0] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// A row before the first one: the copy engine would read zeros there, so the guard asks for what is never so.
// CHECK-LABEL: func.func @before(
// CHECK: %{{.*}} = arith.constant -1 : i64
// CHECK: %[[BASE:.*]] = arith.constant -1 : i64
// CHECK: %[[START:.*]] = arith.addi %[[BASE]], %{{.*}} : i64
// CHECK: arith.cmpi ult, %[[START]], %c1073741824_i64{{.*}} : i64
// CHECK: scf.if
func.func @before(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %line = arith.constant 16 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %program = arith.extsi %px : i32 to i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %back = arith.constant -1 : i64
  %begin_a = arith.muli %back, %sa : i64
  %matrix_k = arith.muli %program, %depth : i64
  %begin_b = arith.muli %matrix_k, %line : i64
  %down = arith.muli %line, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %begin_a, %at_b = %begin_b) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] bounds [1] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [16, 1] bounds [0] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Rows of numbers beside the matrices are copied by threads, in both loops.
// CHECK-LABEL: func.func @beside_rows(
// CHECK: scf.if
// CHECK: tts.load %{{.*}} strides [16, 1] bounds [0, 1]
// CHECK: tts.load %{{.*}} strides [1] :
// CHECK: } else {
// CHECK: tts.load %{{.*}} strides [16, 1] :
// CHECK: tts.load %{{.*}} strides [1] :
func.func @beside_rows(%a: tensor<64x64xf16, #wide>, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %v: memref<*xf32> {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %line = arith.constant 16 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r = scf.for %t = %first to %k step %step iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %at = arith.muli %begin, %line : i64
    %y = tts.load %b[%at] strides [16, 1] : memref<*xf16> -> tensor<64x16xf16, #deep>
    %row = tts.load %v[%begin] strides [1] : memref<*xf32> -> tensor<64xf32, #row>
    %all = cta.reshape %row : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %scale = cta.broadcast %all : tensor<64x1xf32, #column> -> tensor<64x16xf32, #c>
    %scaled = arith.mulf %sum, %scale : tensor<64x16xf32, #c>
    %d = cta.dot %a, %y, %scaled : tensor<64x64xf16, #wide>, tensor<64x16xf16, #deep> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tts.store %r to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Boxes of fewer rows are copied by threads, too: they wait for copies of their own anyway.
// CHECK-LABEL: func.func @small_beside_rows(
// CHECK-NOT: scf.if
// CHECK: return
func.func @small_beside_rows(%a: tensor<64x32xf16, #rows>, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %v: memref<*xf32> {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %line = arith.constant 16 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r = scf.for %t = %first to %k step %step iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %at = arith.muli %begin, %line : i64
    %y = tts.load %b[%at] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #columns>
    %row = tts.load %v[%begin] strides [1] : memref<*xf32> -> tensor<64xf32, #row>
    %all = cta.reshape %row : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %scale = cta.broadcast %all : tensor<64x1xf32, #column> -> tensor<64x16xf32, #c>
    %scaled = arith.mulf %sum, %scale : tensor<64x16xf32, #c>
    %d = cta.dot %a, %y, %scaled : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tts.store %r to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
