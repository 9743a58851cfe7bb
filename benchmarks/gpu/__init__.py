"""What scripts/gpu-check runs on a machine with a GPU: correctness first, then speed."""
