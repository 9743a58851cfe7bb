// A tensor map of the kernel's own: one thread writes it to a room of the module's memory, which it has taken for the block. What is known before is written by the first owner of a room.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s
// RUN: triton-shared-opt %s --target=cuda:90a --to-phase=ptx | FileCheck %s --check-prefix=PTX

// CHECK: llvm.mlir.global internal @make_tensor_map_rooms() {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
// CHECK: llvm.mlir.global internal @make_tensor_maps() {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<1048576 x i8>
// CHECK-LABEL: gpu.func @make(
// CHECK: scf.if
// CHECK: nvvm.read.ptx.sreg.smid
// CHECK: %[[TAKEN:.*]]:2 = scf.while (%[[TRIED:.*]] = %c1_i64{{.*}}) : (i64) -> (i64, i64) {
// CHECK: %[[HELD:.*]] = llvm.atomicrmw _or %{{.*}}, %[[TRIED]] monotonic
// CHECK: %[[SET:.*]] = arith.andi %[[HELD]], %[[TRIED]]
// CHECK: %[[LOST:.*]] = arith.cmpi ne, %[[SET]], %c0_i64
// CHECK: scf.condition(%[[LOST]]) %[[TRIED]], %[[HELD]]
// CHECK: llvm.fence syncscope("device") acquire
// CHECK: %[[BIT:.*]] = arith.shli %[[ROOM_OF:.*]]#1, %c32_i64
// CHECK: %[[HAD:.*]] = arith.andi %[[ROOM_OF]]#2, %[[BIT]]
// CHECK: %[[IS_NEW:.*]] = arith.cmpi eq, %[[HAD]]
// CHECK: %[[IS_OWNER:.*]] = arith.cmpi ne, %[[ROOM_OF]]#1
// CHECK: %[[IS_FIRST:.*]] = arith.andi %[[IS_OWNER]], %[[IS_NEW]]
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.box.dim"
// CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.swizzle.mode"
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: scf.if
// CHECK: "@$0 trap;"
// CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.address"(%[[ROOM:.*]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.stride"(%[[ROOM]], %{{.*}}, %[[BYTES]])
// CHECK: nvvm.fence.proxy.release <gpu>
// CHECK: nvvm.fence.proxy.acquire <gpu>
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.prefetch tensormap
// CHECK: llvm.fence syncscope("device") release
// CHECK: %[[CHANGES:.*]] = arith.ori %[[ROOM_OF]]#1, %{{.*}}
// CHECK: llvm.atomicrmw _xor %{{.*}}, %[[CHANGES]] monotonic

// PTX: .global .align 128 .b8 make_tensor_maps[1048576]
// PTX: .entry make(
// PTX: tensormap.replace.tile.swizzle_mode.global.b1024.b32 [{{.*}}], 3;
// PTX: tensormap.replace.tile.fill_mode.global.b1024.b32 [{{.*}}], 1;
// PTX: tensormap.replace.tile.global_address.global.b1024.b64
// PTX: fence.proxy.tensormap::generic.release.gpu
// PTX: fence.proxy.async.global
func.func @make(
    %p: memref<*xf16>, %m: i64, %n: i64, %stride: i64,
    %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"},
    %x: i32 {tts.parameter = "program.x"}, %y: i32 {tts.parameter = "program.y"}, %z: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 4 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %map = cta.make_tensor_map %p sizes[%m, %n] strides[%stride] box [16, 64] swizzle 128 nan : memref<*xf16> -> !llvm.ptr
  cta.publish_writes
  nvvm.prefetch tensormap, %map : !llvm.ptr
  return
}

// Maps that are made one after the other are written at once, and have one fence.
// CHECK-LABEL: gpu.func @make_two(
// CHECK: "llvm.nvvm.tensormap.replace.global.stride"(%[[FIRST:[0-9]*]],
// CHECK-NOT: scf.if
// CHECK-NOT: nvvm.fence.proxy.release
// CHECK: "llvm.nvvm.tensormap.replace.global.stride"(%[[SECOND:[0-9]*]],
// CHECK: nvvm.fence.proxy.release <gpu>
// CHECK: %[[PLACE:.*]] = llvm.addrspacecast %[[FIRST]]
// CHECK: nvvm.fence.proxy.acquire <gpu> %[[PLACE]]
// CHECK: %[[PLACE:.*]] = llvm.addrspacecast %[[SECOND]]
// CHECK: nvvm.fence.proxy.acquire <gpu> %[[PLACE]]
// CHECK-NOT: nvvm.fence.proxy.release
// CHECK-COUNT-2: nvvm.prefetch tensormap
func.func @make_two(
    %p: memref<*xf16>, %m: i64, %n: i64, %stride: i64,
    %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"},
    %x: i32 {tts.parameter = "program.x"}, %y: i32 {tts.parameter = "program.y"}, %z: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 4 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %first = cta.make_tensor_map %p sizes[%m, %n] strides[%stride] box [16, 64] swizzle 128 : memref<*xf16> -> !llvm.ptr
  %second = cta.make_tensor_map %p sizes[%n, %m] strides[%stride] box [16, 64] swizzle 128 : memref<*xf16> -> !llvm.ptr
  nvvm.prefetch tensormap, %first : !llvm.ptr
  nvvm.prefetch tensormap, %second : !llvm.ptr
  return
}

// What lies between reads the first.
// CHECK-LABEL: gpu.func @make_and_use(
// CHECK-COUNT-2: nvvm.fence.proxy.release <gpu>
func.func @make_and_use(
    %p: memref<*xf16>, %m: i64, %n: i64, %stride: i64, %is: i1,
    %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"},
    %x: i32 {tts.parameter = "program.x"}, %y: i32 {tts.parameter = "program.y"}, %z: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 4 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %first = cta.make_tensor_map %p sizes[%m, %n] strides[%stride] box [16, 64] swizzle 128 : memref<*xf16> -> !llvm.ptr
  scf.if %is {
    nvvm.prefetch tensormap, %first : !llvm.ptr
  }
  %second = cta.make_tensor_map %p sizes[%n, %m] strides[%stride] box [16, 64] swizzle 128 : memref<*xf16> -> !llvm.ptr
  nvvm.prefetch tensormap, %second : !llvm.ptr
  return
}
