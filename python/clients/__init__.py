"""Suites of other projects, run on CPU tensors: PyTorch's own samples of its operations."""
