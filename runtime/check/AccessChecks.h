//===- AccessChecks.h - What checked kernels call ---------------*- C++ -*-===//
//
// An access that may leave its tensor names its elements one after the other,
// and is told by how many elements to move: to memory of its own, which has
// what the tensor has there, and zeros where the tensor has nothing. A kernel
// with such an access runs on, reads zeros and writes nothing outside.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_ACCESSCHECKS_H
#define TRITON_SHARED_RUNTIME_CHECK_ACCESSCHECKS_H

#include <cstdint>

namespace mlir::triton_shared {

/// Begins an access to argument `argument` of the kernel, which lies at
/// `tensor`. `table` is the kernel's last argument, `flags` are AccessFlags;
/// offsets count from `base`, less than an element behind the tensor.
void beginAccess(int64_t table, const char *site, int64_t siteSize,
                 int64_t argument, int64_t flags, int64_t elementBytes,
                 int64_t tensor, int64_t base, int32_t x, int32_t y, int32_t z);

/// Names an element: where it lies from the base on, in elements, and which one
/// of the block it is.
void nameElement(int64_t offset, int64_t number);

/// Names `count` elements, from element `number` of the block on, the first of
/// which lies at `offset` and each of the others `stride` behind the last.
void nameRow(int64_t offset, int64_t number, int64_t count, int64_t stride);

/// By how many elements the access is to be moved. Leaves the programs if no
/// memory can stand for what lies that far outside.
int64_t endAccess();

/// Brings back what the access that was moved by `distance` has written. An
/// atomic access that acquires calls it with 0, too.
void finishAccess(int64_t distance);

/// After `endAccess`: not zero if elements of the store lie at one address, so
/// that their values are to be named when they are stored.
int64_t wantsValues();

/// Names the bits of the next element of the store that asked for `token`, in
/// the order of its elements.
void nameValue(int64_t token, int64_t bits);

/// Compares them.
void endValues(int64_t token);

/// Begins a note about values (triton-check-values); `site` says which.
void beginNote(int64_t table, const char *site, int64_t siteSize, int32_t x,
               int32_t y, int32_t z);

/// Names the cause of an element, 0 for none, and a value to show.
void nameCause(int32_t cause, int64_t number, int64_t value);

void endNote();

/// The threads of a program wait for each other.
void passBarrier(int64_t table, int32_t x, int32_t y, int32_t z);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_ACCESSCHECKS_H
