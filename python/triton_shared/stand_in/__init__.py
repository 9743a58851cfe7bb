"""What `triton_shared.run` puts in the place of torch's device "cuda": the CPU, under its names."""
