// RUN: triton-shared-opt %s --structured-check-accesses --split-input-file --verify-diagnostics | FileCheck %s

// A load compares its last element with the end of its tensor, asks the runtime
// row by row if that is too far, and goes where that says.
// CHECK-LABEL: func.func @load(
// CHECK-SAME:    %[[X:.*]]: memref<*xf32>, %[[N:.*]]: i64, %[[VIEWS:.*]]: memref<*xi64>, %{{.*}}: i32
// CHECK:         %[[FIRST:.*]] = arith.floordivsi
// CHECK:         %[[END:.*]] = arith.floordivsi
// CHECK:         %[[LAST:.*]] = arith.addi %[[LOW:.*]], %c7
// CHECK:         %[[STARTS:.*]] = arith.cmpi sge, %[[LOW]], %[[FIRST]]
// CHECK:         %[[ENDS:.*]] = arith.cmpi slt, %[[LAST]], %[[END]]
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[STARTS]], %[[ENDS]]
// CHECK:         %[[D:.*]] = scf.if %[[INSIDE]] -> (i64) {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:      scf.yield %[[ZERO]]
// CHECK:           call @tritonSharedCheckBegin(
// CHECK:           call @tritonSharedCheckRow(
// CHECK:           %[[MOVED:.*]] = func.call @tritonSharedCheckEnd()
// CHECK:           scf.yield %[[MOVED]]
// CHECK:         %[[O:.*]] = arith.addi %[[N]], %[[D]]
// CHECK:         tts.load %[[X]][%[[O]]] strides [1]
// CHECK-NEXT:    return
func.func @load(%x: memref<*xf32>, %n: i64, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> tensor<8xf32> {
  %t = tts.load %x[%n] strides [1] : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// The check of a store stands before what is stored is computed; what was
// written elsewhere comes back.
// CHECK-LABEL: func.func @store(
// CHECK:         scf.if
// CHECK:         linalg.fill
// CHECK:         tts.store
// CHECK:         %[[MOVED:.*]] = arith.cmpi ne
// CHECK:         scf.if %[[MOVED]] {
// CHECK-NEXT:      func.call @tritonSharedCheckFinish(
func.func @store(%x: memref<*xf32>, %f: f32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {
  %e = tensor.empty() : tensor<8xf32>
  %v = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %w = arith.extsi %px : i32 to i64
  %c8 = arith.constant 8 : i64
  %o = arith.muli %w, %c8 : i64
  tts.store %v to %x[%o] strides [1] : tensor<8xf32>, memref<*xf32>
  return
}

// -----

// A bound limits the footprint.
// CHECK-LABEL: func.func @bounded(
// CHECK:         arith.minsi
// CHECK:         arith.cmpi sge
// CHECK-NEXT:    arith.cmpi slt
// CHECK-NEXT:    %[[INSIDE:.*]] = arith.andi
// CHECK-NEXT:    %{{.*}} = scf.if %[[INSIDE]]
func.func @bounded(%x: memref<*xf32>, %n: i64, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %t = tts.load %x[%zero] strides [1] bounds [0] from (%zero) to (%n) : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// Offsets of a gather are reduced to the smallest and the largest that count.
// CHECK-LABEL: func.func @gather(
// CHECK:         linalg.generic
// CHECK:           arith.select
// CHECK:           arith.minsi
// CHECK:         linalg.generic
// CHECK:           arith.maxsi
// CHECK:         %[[D:.*]] = scf.if
// CHECK:           scf.for
// CHECK:             call @tritonSharedCheckElement(
// CHECK:         %[[O:.*]] = linalg.generic
// CHECK:           arith.addi %{{.*}}, %[[D]]
// CHECK:         tts.gather %{{.*}}[%[[O]]]
func.func @gather(%x: memref<*xf32>, %o: tensor<8xi64>, %m: tensor<8xi1>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> tensor<8xf32> {
  %t = tts.gather %x[%o] mask %m : tensor<8xi1> : memref<*xf32>, tensor<8xi64> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// Nobody knows what lies at an address.
// CHECK-LABEL: func.func @address(
// CHECK-NOT:     scf.if
func.func @address(%a: i64, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %x = tts.from_address %a : memref<*xf32>
  %t = tts.load %x[%zero] strides [1] : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// A load between the check and the store stays between them: programs have to
// be seen to read and write in their order.
// CHECK-LABEL: func.func @ordered(
// CHECK:         tts.load %{{.*}} strides [1] : memref<*xf32> -> tensor<8xf32>
// CHECK:         call @tritonSharedCheckBegin(
// CHECK:         linalg.fill
// CHECK:         tts.store
func.func @ordered(%x: memref<*xf32>, %a: i64, %f: f32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %y = tts.from_address %a : memref<*xf32>
  %t = tts.load %y[%zero] strides [1] : memref<*xf32> -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %v = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  tts.store %v to %x[%zero] strides [1] : tensor<8xf32>, memref<*xf32>
  return %t : tensor<8xf32>
}

// -----

// The runtime may ask for what is stored if elements may share an address.
// CHECK-LABEL: func.func @scatter(
// CHECK:         %[[TOKEN:.*]] = call @tritonSharedCheckWantsValues()
// CHECK:         %[[WANTED:.*]] = arith.cmpi ne, %[[TOKEN]]
// CHECK:         scf.if %[[WANTED]] {
// CHECK:           scf.for %[[I:.*]] =
// CHECK:             %[[F:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<8xf32>
// CHECK:             %[[BITS:.*]] = arith.bitcast %[[F]] : f32 to i32
// CHECK:             %[[WIDE:.*]] = arith.extui %[[BITS]]
// CHECK:             func.call @tritonSharedCheckValue(%[[TOKEN]], %[[WIDE]])
// CHECK:           func.call @tritonSharedCheckValuesEnd(%[[TOKEN]])
// CHECK:         tts.scatter
func.func @scatter(%x: memref<*xf32>, %v: tensor<8xf32>, %o: tensor<8xi64>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {
  tts.scatter %v to %x[%o] : tensor<8xf32>, memref<*xf32>, tensor<8xi64>
  return
}

// -----

// Once an atomic access of a number is made, the program knows what others have
// released there; nobody learns from one whose result is not used.
// CHECK-LABEL: func.func @lock(
// CHECK:         %[[OLD:.*]] = tts.atomic_cas
// CHECK-NEXT:    call @tritonSharedCheckFinish(
// CHECK:         tts.atomic_rmw
// CHECK-NEXT:    arith.constant 0
// CHECK-NEXT:    arith.cmpi ne
// CHECK-NEXT:    scf.if
func.func @lock(%x: memref<*xi32>, %a: i32, %b: i32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> i32 {
  %zero = arith.constant 0 : i64
  %old = tts.atomic_cas acq_rel gpu %a, %b at %x[%zero] : i32, memref<*xi32>, i64
  %unused = tts.atomic_rmw exchange acq_rel gpu %a at %x[%zero] : i32, memref<*xi32>, i64
  return %old : i32
}

// -----

// A note is a call for each element if any of them has a cause.
// CHECK-LABEL: func.func @note(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<8xi32>, %[[V:[a-z0-9]+]]: tensor<8xf16>
// CHECK:         linalg.generic
// CHECK:           arith.maxsi
// CHECK:         %[[ANY:.*]] = arith.cmpi ne
// CHECK:         scf.if %[[ANY]] {
// CHECK:           call @tritonSharedCheckNoteBegin(
// CHECK:           scf.for
// CHECK:             %[[CAUSE:.*]] = tensor.extract %[[C]]
// CHECK:             %[[X:.*]] = arith.extf %{{.*}} : f16 to f64
// CHECK:             %[[BITS:.*]] = arith.bitcast %[[X]] : f64 to i64
// CHECK:             func.call @tritonSharedCheckNote(%[[CAUSE]], %{{.*}}, %[[BITS]])
// CHECK:           call @tritonSharedCheckNoteEnd(
// CHECK-NOT:     tts.note
func.func @note(%c: tensor<8xi32>, %v: tensor<8xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {
  tts.note "{}", %c, %v : tensor<8xi32>, tensor<8xf16>
  return
}

// -----

// CHECK-LABEL: func.func @barrier(
// CHECK:         call @tritonSharedCheckBarrier(
// CHECK-NOT:     gpu.barrier
func.func @barrier(%gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {
  gpu.barrier
  return
}

// -----

// expected-error @below {{cannot be checked}}
// expected-note @below {{it lacks the program ids as its last arguments}}
// expected-note @below {{run 'triton-tensors-to-linalg' before this pass}}
func.func @no_kernel(%x: memref<*xf32>) {
  return
}

// -----

// What starts from an address that is computed of a tensor's is counted in
// elements from that tensor on, and ends later by one that it fills in part if
// it lies between two of them.
// CHECK-LABEL: func.func @cast_behind_a_sum(
// CHECK-SAME:    %[[X:.*]]: memref<*xi8>, %[[N:.*]]: i64,
// CHECK:         %[[TENSOR:.*]] = tts.to_address %[[X]]
// CHECK:         %[[SUM:.*]] = arith.addi %[[TENSOR]], %[[N]]
// CHECK:         %[[DISTANCE:.*]] = arith.subi
// CHECK:         %[[ELEMENTS:.*]] = arith.floordivsi %[[DISTANCE]], %c2
// CHECK:         %[[BASE:.*]] = tts.from_address
// CHECK:         %[[REST:.*]] = arith.subi %[[DISTANCE]], %{{.*}} : i64
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[PART:.*]] = arith.minsi %[[REST]], %[[ONE]]
// CHECK-NEXT:    %[[LATER:.*]] = arith.index_cast %[[PART]]
// CHECK-NEXT:    %[[END:.*]] = arith.subi %{{.*}}, %[[LATER]] : index
// CHECK:         arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK:         call @tritonSharedCheckBegin(
// CHECK:         tts.load %[[BASE]][
func.func @cast_behind_a_sum(%x: memref<*xi8>, %n: i64, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> tensor<8xf16> {
  %c0 = arith.constant 0 : i64
  %tensor = tts.to_address %x : memref<*xi8>
  %sum = arith.addi %tensor, %n : i64
  %base = tts.from_address %sum : memref<*xf16>
  %t = tts.load %base[%c0] strides [1] : memref<*xf16> -> tensor<8xf16>
  return %t : tensor<8xf16>
}

// -----

// What may be in either of two tensors is not checked.
// CHECK-LABEL: func.func @of_two(
// CHECK-NOT:     call
// CHECK:         return
func.func @of_two(%x: memref<*xi8>, %y: memref<*xi8>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) -> f16 {
  %c0 = arith.constant 0 : i64
  %first = tts.to_address %x : memref<*xi8>
  %second = tts.to_address %y : memref<*xi8>
  %sum = arith.addi %first, %second : i64
  %base = tts.from_address %sum : memref<*xf16>
  %t = tts.load %base[%c0] strides [] : memref<*xf16> -> f16
  return %t : f16
}
