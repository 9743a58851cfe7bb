// RUN: triton-shared-opt %s --triton-combine | FileCheck %s

// What is loaded whole is not loaded again behind a mask.
// CHECK-LABEL: tt.func @share(
// CHECK-SAME:    %[[P:[^:]*]]: tensor<8x!tt.ptr<f32>>, %[[M:[^:]*]]: tensor<8xi1>, %[[O:.*]]: tensor<8xf32>)
// CHECK-NEXT:    %[[X:.*]] = tt.load %[[P]] evictionPolicy = evict_first :
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[M]], %[[X]], %[[O]] :
// CHECK-NEXT:    tt.return %[[X]], %[[Y]], %[[X]]
tt.func @share(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %x = tt.load %p evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  %y = tt.load %p, %m, %o evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>
  %z = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return %x, %y, %z : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Memory may have changed, is to be read again, or is read only behind a mask.
// CHECK-LABEL: tt.func @share_not(
// CHECK:         tt.load {{.*}} :
// CHECK:         tt.store
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK:         tt.load %{{.*}} :
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} {isVolatile = true}
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cv
// CHECK:         scf.if
// CHECK:           tt.load %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} :
tt.func @share_not(%p: tensor<8x!tt.ptr<f32>>, %q: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %x = tt.load %p : tensor<8x!tt.ptr<f32>>
  tt.store %q, %x : tensor<8x!tt.ptr<f32>>
  %a = tt.load %p, %m, %o : tensor<8x!tt.ptr<f32>>
  %y = tt.load %p : tensor<8x!tt.ptr<f32>>
  %b = tt.load %p, %m, %o {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %d = tt.load %p, %m, %o cacheModifier = cv : tensor<8x!tt.ptr<f32>>
  %e = scf.if %c -> tensor<8xf32> {
    %inner = tt.load %p, %m, %o : tensor<8x!tt.ptr<f32>>
    scf.yield %inner : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  }
  %f = tt.load %q, %m, %o : tensor<8x!tt.ptr<f32>>
  tt.return %a, %b, %d, %e, %f : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What a mask has chosen before, it need not choose again.
// CHECK-LABEL: tt.func @assume(
// CHECK-SAME:    %[[M:[^:]*]]: tensor<8xi1>, %[[A:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>)
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[A]], %[[C]]
// CHECK-NEXT:    %[[S:.*]] = math.sin %[[P]]
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[B]]
// CHECK-NEXT:    arith.select %[[M]], %[[S]], %[[E]]
tt.func @assume(%m: tensor<8xi1>, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %x = arith.select %m, %a, %b : tensor<8xi1>, tensor<8xf32>
  %p = arith.mulf %x, %c : tensor<8xf32>
  %s = math.sin %p : tensor<8xf32>
  %e = math.exp %x : tensor<8xf32>
  %r = arith.select %m, %s, %e : tensor<8xi1>, tensor<8xf32>
  tt.return %r : tensor<8xf32>
}

// Somebody else needs it, the mask is another one, or the choice keeps a
// division from failing.
// CHECK-LABEL: tt.func @assume_not(
// CHECK-COUNT-3: arith.select {{.*}} : tensor<8xi1>, tensor<8xf32>
// CHECK:         %[[D:.*]] = arith.select {{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK:         arith.divsi %{{.*}}, %[[D]]
tt.func @assume_not(%m: tensor<8xi1>, %n: tensor<8xi1>, %a: tensor<8xf32>, %b: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) {
  %x = arith.select %m, %a, %b : tensor<8xi1>, tensor<8xf32>
  %e = math.exp %x : tensor<8xf32>
  %r = arith.select %m, %e, %b : tensor<8xi1>, tensor<8xf32>
  %f = math.sin %x : tensor<8xf32>
  %t = arith.select %n, %f, %b : tensor<8xi1>, tensor<8xf32>
  %one = arith.constant dense<1> : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %d = arith.select %m, %i, %one : tensor<8xi1>, tensor<8xi32>
  %q = arith.divsi %one, %d : tensor<8xi32>
  %u = arith.select %m, %q, %zero : tensor<8xi1>, tensor<8xi32>
  tt.return %r, %e, %t, %u : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
}
