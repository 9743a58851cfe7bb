"""Configuration of the lit tests.

Run them with `lit build/test`. With TRITON_SHARED_ROUNDTRIP=1 every run of
triton-shared-opt also checks that its input survives printing and parsing.
"""

import os

import lit.formats

config.name = "triton-shared"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["corpus", "embedding"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.triton_shared_build, "test")

if config.triton_shared_sanitize:
    config.available_features.add("sanitized")

opt = os.path.join(config.triton_shared_build, "bin", "triton-shared-opt")
if os.environ.get("TRITON_SHARED_ROUNDTRIP"):
    opt += " --verify-roundtrip"
config.substitutions.append((r"\btriton-shared-opt\b", opt))
unit_tests = os.path.join(config.triton_shared_build, "bin", "TritonSharedUnitTests")
config.substitutions.append(("%unit-tests", unit_tests))
config.substitutions.append(("%corpus", os.path.join(config.test_source_root, "corpus")))
config.environment["PATH"] = os.pathsep.join([config.llvm_tools, os.environ["PATH"]])
