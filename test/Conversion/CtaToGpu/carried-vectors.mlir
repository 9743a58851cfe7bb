// Blocks take the elements of a vector one by one where nothing is done with it but to put it together and to take it apart.
// RUN: triton-shared-opt %s --gpu-to-nvvm --canonicalize | FileCheck %s

// A loop that begins with a constant and hands on elements; what leaves it is taken apart, too.
// CHECK-LABEL: llvm.func @elements(
// CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}}, %{{.*}} : i32, f32, f32)
// CHECK: ^[[HEAD]](%{{.*}}: i32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NOT: vector
// CHECK: llvm.fadd %[[A]], %[[B]] : f32
// CHECK-NOT: vector
// CHECK: llvm.return

// Where it is used as one, it stays one.
// CHECK-LABEL: llvm.func @vector(
// CHECK: ^{{.*}}(%{{.*}}: i32, %[[V:.*]]: vector<2xf32>):
// CHECK: llvm.fadd %[[V]], %[[V]] : vector<2xf32>

// And where its elements are not known.
// CHECK-LABEL: llvm.func @unknown(
// CHECK: ^{{.*}}(%{{.*}}: i32, %{{.*}}: vector<2xf32>):
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @elements(%out: !llvm.ptr<1>, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    cf.br ^head(%zero, %start : i32, vector<2xf32>)
  ^head(%i: i32, %v: vector<2xf32>):
    %a = vector.extract %v[0] : f32 from vector<2xf32>
    %b = vector.extract %v[1] : f32 from vector<2xf32>
    %again = arith.cmpi slt, %i, %n : i32
    cf.cond_br %again, ^body, ^end(%v : vector<2xf32>)
  ^body:
    %sum = arith.addf %a, %b : f32
    %next = vector.from_elements %b, %sum : vector<2xf32>
    %j = arith.addi %i, %one : i32
    cf.br ^head(%j, %next : i32, vector<2xf32>)
  ^end(%w: vector<2xf32>):
    %c = vector.extract %w[1] : f32 from vector<2xf32>
    llvm.store %c, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  gpu.func @vector(%out: !llvm.ptr<1>, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = arith.constant dense<1.0> : vector<2xf32>
    cf.br ^head(%zero, %start : i32, vector<2xf32>)
  ^head(%i: i32, %v: vector<2xf32>):
    %again = arith.cmpi slt, %i, %n : i32
    cf.cond_br %again, ^body, ^end
  ^body:
    %next = arith.addf %v, %v : vector<2xf32>
    %j = arith.addi %i, %one : i32
    cf.br ^head(%j, %next : i32, vector<2xf32>)
  ^end:
    %c = vector.extract %v[1] : f32 from vector<2xf32>
    llvm.store %c, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  gpu.func @unknown(%out: !llvm.ptr<1>, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = llvm.load %out : !llvm.ptr<1> -> vector<2xf32>
    cf.br ^head(%zero, %start : i32, vector<2xf32>)
  ^head(%i: i32, %v: vector<2xf32>):
    %a = vector.extract %v[0] : f32 from vector<2xf32>
    %again = arith.cmpi slt, %i, %n : i32
    cf.cond_br %again, ^body, ^end
  ^body:
    %next = vector.from_elements %a, %a : vector<2xf32>
    %j = arith.addi %i, %one : i32
    cf.br ^head(%j, %next : i32, vector<2xf32>)
  ^end:
    llvm.store %a, %out : f32, !llvm.ptr<1>
    gpu.return
  }
}
}
