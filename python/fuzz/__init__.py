"""Fuzzers of the compiler: random programs with known results, and damaged texts."""
