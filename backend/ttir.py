"""What the backends have in common: the wheel's clean-up of TTIR, and answers to the front end."""

from __future__ import annotations

from typing import Any

import triton
from triton._C.libtriton import ir, passes
from triton_shared import columns, frontend, knobs, library
from triton_shared.lowering import Metadata
from triton_shared.versions import read_version


def make_ttir(module: Any, metadata: Metadata) -> Any:
    """Runs the passes of the wheel that are the same in all versions and lose nothing.

    The rewriting of block pointers and descriptors is left out: they carry shapes and strides. So
    is the unrolling of loops, which is wrong where a loop ends before it starts: ours is not.
    """
    manager = ir.pass_manager(module.context)
    name = module.get_entry_func_name()
    # Both would write to the file MLIR_DUMP_PATH, and the wheel's passes show what has not changed.
    if not knobs.shows_changes(name):
        manager.enable_debug()
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    passes.common.add_symbol_dce(manager)
    version = read_version(triton.__version__)
    # The wheel's LLVM would handle SIGTERM, SIGUSR1 and others from now on.
    with library.kept_signal_handlers():
        manager.run(module) if version < (3, 6) else manager.run(module, "make_ttir")
    metadata["name"] = name
    if columns.counts_from_zero(triton.__version__):
        return frontend.parse(columns.of_files(str(module)), module.context)
    return module


def codegen_implementation() -> dict[str, Any]:
    """What the front end asks a target: its smallest dot, and its own float formats."""
    from . import fp8e4b15

    return {
        "min_dot_size": lambda lhs, rhs: (1, 1, 1),
        "convert_custom_types": fp8e4b15.convert,
    }
