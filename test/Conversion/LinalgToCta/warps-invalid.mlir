// The number of warps is a power of two that fits in a CTA.
// RUN: triton-shared-opt %s --linalg-to-cta=num-warps=3 --verify-diagnostics

// expected-error @below {{cannot run on 3 warps; use 1, 2, 4, 8, 16 or 32}}
module {
}
