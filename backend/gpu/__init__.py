"""The entry point `shared_cuda` of Triton: NVIDIA GPUs by way of our own lowering.

It lives beside Triton's own backend for the same GPUs and never takes its place by itself:
`triton_shared.device("cuda")` chooses it. As in the package above, nothing here loads the native
library or torch, and triton comes first.
"""

import triton  # noqa: F401
