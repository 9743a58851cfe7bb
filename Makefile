# The two commands that matter: `make demo` and `make test`. Both set up what is missing first.

.PHONY: help setup demo test test-all check docs bench

help:
	@echo 'make setup     Debian packages, .venv, build, editable install'
	@echo 'make demo      one kernel through its phases, then all examples against torch'
	@echo 'make test      build, lit, unit tests, and pytest on Triton 3.6.0 and 3.9.0'
	@echo 'make check     make test, with formatting, linters, types and fresh docs: before a commit'
	@echo 'make test-all  make check under its other name'
	@echo 'make docs      writes docs/generated from the .td files'
	@echo 'make bench     times launches and examples, as JSON'

setup:
	@scripts/setup

demo: setup
	@cd python && ../.venv/bin/python -m examples.demo

test: setup
	@scripts/check build lit unit pytest

check test-all: setup
	@scripts/check

docs: setup
	@scripts/update-docs

bench: setup
	@cd python && ../.venv/bin/python ../benchmarks/run.py
