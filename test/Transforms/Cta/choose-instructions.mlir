// Which products are for tensor cores, and by which instruction.
// RUN: triton-shared-opt %s --cta-choose-instructions | FileCheck %s

#hopper = #cta.target<"sm_90a">
#ampere = #cta.target<"sm_80">

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

// f64 in matrices of 16 rows, where they are as fast as the GPU: as deep as K, up to 16. Fewer rows, and other GPUs.
// CHECK-LABEL: func.func @large_f64(
// CHECK: cta.dot {{.*}} by #cta.mma<m16n8k16, f64>
// CHECK: cta.dot {{.*}} by #cta.mma<m16n8k8, f64>
// CHECK: cta.dot {{.*}} by #cta.mma<m8n8k4, f64>
// CHECK-LABEL: func.func @older_f64(
// CHECK: cta.dot {{.*}} by #cta.mma<m8n8k4, f64>
func.func @large_f64(%a: tensor<16x32xf64>, %b: tensor<32x16xf64>, %c: tensor<16x8xf64>, %d: tensor<8x16xf64>,
                     %e: tensor<8x32xf64>, %few: tensor<8x16xf64>, %sum: tensor<16x16xf64>)
    attributes {cta.num_warps = 1 : i32, cta.target = #hopper} {
  %0 = cta.dot %a, %b, %sum : tensor<16x32xf64>, tensor<32x16xf64> -> tensor<16x16xf64>
  %1 = cta.dot %c, %d, %sum : tensor<16x8xf64>, tensor<8x16xf64> -> tensor<16x16xf64>
  %2 = cta.dot %e, %b, %few : tensor<8x32xf64>, tensor<32x16xf64> -> tensor<8x16xf64>
  return
}
func.func @older_f64(%a: tensor<16x32xf64>, %b: tensor<32x16xf64>, %sum: tensor<16x16xf64>)
    attributes {cta.num_warps = 1 : i32, cta.target = #ampere} {
  %0 = cta.dot %a, %b, %sum : tensor<16x32xf64>, tensor<32x16xf64> -> tensor<16x16xf64>
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

// On Hopper, groups of four warps multiply what lies in shared memory: as many
// columns as a group has, of no fewer than 64 rows.
// CHECK-LABEL: func.func @warpgroups(
// CHECK: cta.dot {{.*}} -> tensor<128x256xf32> by #cta.wgmma<m64n256k16>
// CHECK: cta.dot {{.*}} -> tensor<64x256xf32> by #cta.wgmma<m64n128k16>
// CHECK: cta.dot {{.*}} -> tensor<32x256xf32> by #cta.mma<m16n8k16, bf16>
// CHECK: cta.dot {{.*}} -> tensor<128x256xf32> by #cta.wgmma<m64n256k8>
func.func @warpgroups(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>, %ab: tensor<128x256xf32>,
                      %d: tensor<64x64xbf16>, %s: tensor<32x64xbf16>, %e: tensor<64x256xbf16>, %de: tensor<64x256xf32>,
                      %se: tensor<32x256xf32>, %f: tensor<128x64xf32>, %g: tensor<64x256xf32>)
    attributes {cta.num_warps = 8 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = cta.dot %a, %b, %ab : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
  %1 = cta.dot %d, %e, %de : tensor<64x64xbf16>, tensor<64x256xbf16> -> tensor<64x256xf32>
  %2 = cta.dot %s, %e, %se : tensor<32x64xbf16>, tensor<64x256xbf16> -> tensor<32x256xf32>
  %3 = cta.dot %f, %g, %ab precision "tf32" : tensor<128x64xf32>, tensor<64x256xf32> -> tensor<128x256xf32>
  return
}

// What is computed of a product stays where that one left it.
// CHECK-LABEL: func.func @chain(
// CHECK: by #cta.wgmma<m64n64k16>
// CHECK: by #cta.wgmma<m64n32k16, registers>
func.func @chain(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %zero: tensor<64x64xf32>, %v: tensor<64x32xf16>, %c: tensor<64x32xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %s = cta.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  %e = math.exp2 %s : tensor<64x64xf32>
  %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
  %o = cta.dot %p, %v, %c : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
  return
}

// Other GPUs, and two warps, have none.
// CHECK-LABEL: func.func @older(
// CHECK: by #cta.mma<m16n8k16, f16>
func.func @older(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %0 = cta.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  return
}

// CHECK-LABEL: func.func @two_warps(
// CHECK: by #cta.mma<m16n8k16, f16>
func.func @two_warps(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>)
    attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = cta.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  return
}

// Elements that are not of 16 bits, too, are read from shared memory, however they were loaded.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[ALONG:.*]] = tts.load {{.*}} strides [1, 64]
// CHECK: %[[ACROSS:.*]] = tts.load {{.*}} strides [64, 1]
// CHECK: cta.dot %{{.*}}, %[[ALONG]], {{.*}} by #cta.wgmma<m64n64k32>
// CHECK: cta.dot %{{.*}}, %[[ACROSS]], {{.*}} by #cta.wgmma<m64n64k32>
func.func @bytes(%a: tensor<64x64xi8>, %p: memref<*xi8>, %c: tensor<64x64xi32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i64
  %along = tts.load %p[%zero] strides [1, 64] : memref<*xi8> -> tensor<64x64xi8>
  %across = tts.load %p[%zero] strides [64, 1] : memref<*xi8> -> tensor<64x64xi8>
  %0 = cta.dot %a, %along, %c : tensor<64x64xi8>, tensor<64x64xi8> -> tensor<64x64xi32>
  %1 = cta.dot %a, %across, %c : tensor<64x64xi8>, tensor<64x64xi8> -> tensor<64x64xi32>
  return
}

// A message is a call, and in a function with calls no product goes on.
// CHECK-LABEL: func.func @says(
// CHECK: by #cta.mma<m16n8k16, f16>
func.func @says(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>, %holds: i1)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  tts.assert %holds, "of the author" : i1
  %0 = cta.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  return
}

// CHECK-LABEL: func.func @checks(
// CHECK: by #cta.wgmma<m64n64k16>
func.func @checks(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>, %holds: i1)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  tts.assert %holds, "of the compiler" {tts.own_check} : i1
  %0 = cta.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  return
}
