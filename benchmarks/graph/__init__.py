"""Graphs of Mirage's benchmarks: what a search finds, against torch and inductor."""
