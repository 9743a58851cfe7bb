// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// What a type can not be.

// expected-error @below {{the address space of a pointer is -1, which is negative}}
tt.func private @f(!tt.ptr<f32, -1>)

// -----

// expected-error @below {{unknown address space "local"; known are "global", "constant" and "descriptor"}}
tt.func private @f(!tt.ptr<f32, "local">)

// -----

// expected-error @below {{a pointer can not point to 'vector<4xf32>'; it points to a number, a pointer or a block}}
tt.func private @f(!tt.ptr<vector<4xf32>>)

// -----

// expected-error @below {{a pointer can not point to 'tensor<*xf32>'; it points to a number, a pointer or a block}}
tt.func private @f(!tt.ptr<tensor<*xf32>>)

// -----

// expected-error @below {{a pointer can not point to 'index'; it points to a number, a pointer or a block}}
tt.func private @f(!tt.ptr<index>)

// -----

// expected-error @below {{a descriptor has blocks, but got 'f32'}}
tt.func private @f(!tt.tensordesc<f32>)

// -----

// expected-error @below {{the block of a descriptor needs one or more static dimensions, but is 'tensor<?xf32>'}}
tt.func private @f(!tt.tensordesc<tensor<?xf32>>)

// -----

// expected-error @below {{the block of a descriptor needs one or more static dimensions, but is 'tensor<f32>'}}
tt.func private @f(!tt.tensordesc<tensor<f32>>)

// -----

// expected-error @below {{a descriptor can not have elements of type '!tt.ptr<f32>'}}
tt.func private @f(!tt.tensordesc<4x!tt.ptr<f32>>)

// -----

// expected-error @below {{a descriptor can not have elements of type 'none'}}
tt.func private @f(!tt.tensordesc<4x8xnone>)

// -----

// expected-error @below {{expected static shape}}
tt.func private @f(!tt.tensordesc<?xf32>)

// -----

// expected-error @below {{unknown  type `pointer` in dialect `tt`}}
tt.func private @f(!tt.pointer<f32>)
