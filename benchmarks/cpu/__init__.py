"""Kernels timed on a CPU, against torch; `python -m benchmarks.cpu`."""
