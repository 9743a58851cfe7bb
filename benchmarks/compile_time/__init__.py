"""What compiling for a GPU takes, by this compiler and by Triton's own."""
