"""Kernels timed on a GPU, against Triton's own backend and torch; scripts/gpu-check runs them."""
