// What loops of well-known kernels exchange between threads, besides operands
// of products: nothing.
// RUN: triton-shared-opt --to-phase=cta --target=cuda:90a %S/../corpus/ttir/matmul_grouped-3.6.0.mlir | FileCheck %s --check-prefix=MATMUL
// RUN: triton-shared-opt --to-phase=cta --target=cuda:90a %S/../corpus/ttir/attention_fwd-3.6.0.mlir | FileCheck %s --check-prefix=ATTENTION
// RUN: triton-shared-opt --to-phase=cta --target=cuda:90a %S/../corpus/ttir/softmax_row-3.6.0.mlir | FileCheck %s --check-prefix=SOFTMAX

// Operands go through buffers: without hints at how rows begin, nothing can be
// copied ahead.
// MATMUL: scf.for
// MATMUL-NOT: cta.convert_layout
// MATMUL: cta.write
// MATMUL-NOT: cta.convert_layout
// MATMUL: cta.dot
// MATMUL-NOT: cta.convert_layout
// MATMUL: scf.yield

// Scores stay where the product has left them: maxima and sums are those of a
// warp, and probabilities are the left operand of the second product.
// ATTENTION: scf.for
// ATTENTION-NOT: cta.convert_layout
// ATTENTION: cta.reduce
// ATTENTION-NOT: cta.convert_layout
// ATTENTION: cta.dot %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} by #cta.wgmma<m64n64k16, registers>
// ATTENTION-NOT: cta.convert_layout
// ATTENTION: scf.yield

// A row of a program needs no exchange at all.
// SOFTMAX-NOT: cta.convert_layout
// SOFTMAX: return
