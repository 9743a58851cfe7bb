# The two commands that matter: `make demo` and `make test`. Both set up what is missing first.

.PHONY: help setup demo test test-all check docs docs-site bench wheel

help:
	@echo 'make setup     Debian packages, .venv, build, editable install'
	@echo 'make demo      one kernel through its phases, then all examples against torch'
	@echo 'make test      set up, then everything that scripts/check runs'
	@echo 'make check     the same without set-up: before a commit'
	@echo 'make test-all  make test, the slow tests, sanitizers, and all sources inside of a Triton tree'
	@echo 'make docs      writes docs/generated and docs/supported-ops.md from the sources'
	@echo 'make docs-site a site of docs/ in build/site, with reports and the reference of Python'
	@echo 'make wheel     dist/: one wheel with LLVM inside, tested in fresh environments'
	@echo 'make bench     times kernels on this CPU against torch; writes docs/performance.md'

setup:
	@scripts/setup

demo: setup
	@cd python && ../.venv/bin/python -m examples.demo

test: setup
	@.venv/bin/python python/test/vllm_modules.py
	@scripts/check

check:
	@scripts/check

test-all: test
	@scripts/setup --browser
	@cd python && ../.venv/bin/python -m clients.packages
	@scripts/tidy --all
	@scripts/check-embedding subdirectory
	@scripts/check-embedding bundled
	@scripts/check nightly opinfo asan tsan wheels

docs: setup
	@cmake --build build --target triton-shared-docs

docs-site: setup
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

wheel: setup
	@scripts/check wheels

bench: setup
	@.venv/bin/python -m benchmarks.cpu --write
