// Which products are for tensor cores, and by which instruction.
// RUN: triton-shared-opt %s --cta-choose-instructions | FileCheck %s

// CHECK-LABEL: func.func @types(
func.func @types(%h: tensor<16x32xf16>, %hb: tensor<32x16xf16>, %b: tensor<16x32xbf16>, %bb: tensor<32x16xbf16>,
                 %i: tensor<16x32xi8>, %ib: tensor<32x16xi8>, %f: tensor<16x32xf32>, %fb: tensor<32x16xf32>,
                 %d: tensor<16x32xf64>, %db: tensor<32x16xf64>,
                 %sf: tensor<16x16xf32>, %si: tensor<16x16xi32>, %sd: tensor<16x16xf64>, %sh: tensor<16x16xf16>) {
  // CHECK: cta.dot {{.*}} : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32> by #cta.mma<m16n8k16, f16>
  %0 = cta.dot %h, %hb, %sf : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  // CHECK: cta.dot {{.*}} by #cta.mma<m16n8k16, bf16>
  %1 = cta.dot %b, %bb, %sf : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32>
  // CHECK: cta.dot {{.*}} by #cta.mma<m16n8k32, i8>
  %2 = cta.dot %i, %ib, %si : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  // CHECK: cta.dot {{.*}} precision "tf32" : {{.*}} by #cta.mma<m16n8k8, tf32>
  %3 = cta.dot %f, %fb, %sf precision "tf32" : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: cta.dot {{.*}} by #cta.mma<m8n8k4, f64>
  %4 = cta.dot %d, %db, %sd : tensor<16x32xf64>, tensor<32x16xf64> -> tensor<16x16xf64>
  // As exact as asked for, a sum that no instruction has, and mixed operands.
  // CHECK: cta.dot {{.*}} -> tensor<16x16xf32>{{$}}
  %5 = cta.dot %f, %fb, %sf : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: cta.dot {{.*}} -> tensor<16x16xf16>{{$}}
  %6 = cta.dot %h, %hb, %sh : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf16>
  // CHECK: cta.dot {{.*}} -> tensor<16x16xf32>{{$}}
  %7 = cta.dot %h, %bb, %sf : tensor<16x32xf16>, tensor<32x16xbf16> -> tensor<16x16xf32>
  return
}

// Smaller than the instruction, or in batches.
// CHECK-LABEL: func.func @shapes(
// CHECK-NOT: by #cta.mma
// CHECK: return
func.func @shapes(%rows: tensor<8x16xf16>, %right: tensor<16x16xf16>, %sum: tensor<8x16xf32>,
                  %left: tensor<16x8xf16>, %deep: tensor<8x8xf16>, %c: tensor<16x8xf32>,
                  %x: tensor<2x16x16xf16>, %z: tensor<2x16x16xf32>) {
  %0 = cta.dot %rows, %right, %sum : tensor<8x16xf16>, tensor<16x16xf16> -> tensor<8x16xf32>
  %1 = cta.dot %left, %deep, %c : tensor<16x8xf16>, tensor<8x8xf16> -> tensor<16x8xf32>
  %2 = cta.dot %x, %x, %z : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  return
}
