"""The entry point `cpu` of Triton: `compiler.py` and `driver.py` as Triton expects them.

Triton imports both while it is being imported itself, without a safety net. So nothing here loads
the native library or torch, and triton comes first: whoever imports this package before triton
would otherwise meet it half initialised.
"""

import triton  # noqa: F401
