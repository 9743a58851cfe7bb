"""Whether a GPU computes what the CPU does: every kernel of the corpus, of the examples and of the
tests. scripts/gpu-check packs it here and runs it on a machine with a GPU."""
