# The two commands that matter: `make demo` and `make test`. Both set up what is missing first.

.PHONY: help setup demo test test-all check docs bench

help:
	@echo 'make setup     Debian packages, .venv, build, editable install'
	@echo 'make demo      one kernel through its phases, then all examples against torch'
	@echo 'make test      build, lit, unit tests, and pytest on Triton 3.6.0 and 3.9.0'
	@echo 'make check     make test, with formatting, linters, types and fresh docs: before a commit'
	@echo 'make test-all  make check, and all sources compiled inside of a Triton tree'
	@echo 'make docs      writes docs/generated and docs/supported-ops.md from the sources'
	@echo 'make bench     times launches and examples, as JSON'

setup:
	@scripts/setup

demo: setup
	@cd python && ../.venv/bin/python -m examples.demo

test: setup
	@scripts/check build lit unit pytest

check: setup
	@scripts/check

test-all: check
	@scripts/check-embedding subdirectory

docs: setup
	@ninja -C build triton-shared-docs

bench: setup
	@cd python && ../.venv/bin/python ../benchmarks/run.py
