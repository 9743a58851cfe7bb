"""flag-gems on CPU tensors: its kernels stand for PyTorch's operations, on PyTorch's samples.

flag-gems knows vendors, of which `triton_shared.run` stands in for one, and puts its kernels behind
PyTorch's operations for that vendor's device. Here that is the CPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import packages

OPERATIONS = (
    "T", "__getitem__", "__radd__", "__rdiv__", "__rmod__", "__rmul__", "__rpow__",
    "__rsub__", "_native_batch_norm_legit", "_segment_reduce lengths",
    "_softmax_backward_data", "_unsafe_masked_index", "_upsample_bilinear2d_aa", "abs",
    "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmm decomposed",
    "addmv", "addr", "alias_copy", "allclose", "aminmax", "angle", "arange",
    "as_strided partial_views", "as_strided_copy", "asinh", "atan", "atan2", "atleast_1d",
    "baddbmm", "bfloat16", "block_diag", "bmm", "broadcast_tensors", "broadcast_to", "byte",
    "cartesian_prod", "cat", "cauchy", "cdist", "ceil", "cholesky", "cholesky_inverse",
    "cholesky_solve", "clamp", "clamp_max", "clone", "combinations", "constant_pad_nd",
    "contiguous", "corrcoef", "cos", "cosh", "cov", "cross", "cummax", "cummin", "cumsum",
    "diag", "diag_embed", "diagflat", "diagonal_copy", "diagonal_scatter", "diff", "dist",
    "div floor_rounding", "div no_rounding_mode", "div trunc_rounding", "dot", "double",
    "dsplit", "dstack", "eq", "equal", "exp", "exp2", "expand_as", "expand_copy", "expm1",
    "fft.fft", "fft.fftshift", "fft.ihfftn", "fft.rfftn", "fill", "flip", "fliplr",
    "float_power", "fmin", "full", "ge", "geqrf", "gradient", "grid_sampler_3d", "gt", "half",
    "hstack", "index_fill", "index_reduce amin", "index_reduce mean", "isclose", "isfinite",
    "isin", "isinf", "isnan", "isneginf", "isreal", "kron", "ldexp", "le", "lerp",
    "linalg.cond", "linalg.cross", "linalg.eigvalsh", "linalg.ldl_solve", "linalg.lu_factor",
    "linalg.norm subgradients_at_zero", "linalg.qr", "linalg.solve",
    "linalg.solve_triangular", "linalg.vander", "log", "log10", "log_normal", "log_softmax",
    "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "long",
    "lt", "lu", "lu_solve", "masked_fill", "masked_scatter", "masked_select", "matmul",
    "max reduction_no_dim", "max reduction_with_dim", "min reduction_no_dim",
    "min reduction_with_dim", "movedim", "mul", "mvlgamma mvlgamma_p_1",
    "mvlgamma mvlgamma_p_3", "nan_to_num", "nanmean", "nanquantile", "narrow",
    "native_dropout_backward", "ne", "neg", "new_full", "new_zeros",
    "nn.functional.adaptive_avg_pool1d", "nn.functional.adaptive_avg_pool2d",
    "nn.functional.adaptive_avg_pool3d", "nn.functional.adaptive_max_pool1d",
    "nn.functional.adaptive_max_pool2d", "nn.functional.adaptive_max_pool3d",
    "nn.functional.avg_pool1d", "nn.functional.avg_pool2d", "nn.functional.avg_pool3d",
    "nn.functional.batch_norm", "nn.functional.binary_cross_entropy",
    "nn.functional.binary_cross_entropy_with_logits", "nn.functional.celu",
    "nn.functional.channel_shuffle", "nn.functional.conv_transpose1d",
    "nn.functional.conv_transpose2d", "nn.functional.conv_transpose3d",
    "nn.functional.cosine_similarity", "nn.functional.cross_entropy", "nn.functional.elu",
    "nn.functional.embedding_bag", "nn.functional.gaussian_nll_loss", "nn.functional.gelu",
    "nn.functional.glu", "nn.functional.grid_sample", "nn.functional.hardsigmoid",
    "nn.functional.instance_norm", "nn.functional.interpolate bilinear",
    "nn.functional.interpolate trilinear", "nn.functional.layer_norm", "nn.functional.linear",
    "nn.functional.linear_cross_entropy", "nn.functional.local_response_norm",
    "nn.functional.logsigmoid", "nn.functional.max_pool1d", "nn.functional.max_pool2d",
    "nn.functional.max_pool3d", "nn.functional.max_unpool1d",
    "nn.functional.max_unpool1d grad", "nn.functional.max_unpool2d",
    "nn.functional.max_unpool2d grad", "nn.functional.max_unpool3d",
    "nn.functional.max_unpool3d grad", "nn.functional.multilabel_margin_loss",
    "nn.functional.multilabel_soft_margin_loss", "nn.functional.normalize",
    "nn.functional.pad circular", "nn.functional.pad constant", "nn.functional.pad reflect",
    "nn.functional.pad replicate", "nn.functional.pad replicate_negative",
    "nn.functional.pixel_shuffle", "nn.functional.poisson_nll_loss", "nn.functional.relu",
    "nn.functional.relu6", "nn.functional.rms_norm", "nn.functional.selu",
    "nn.functional.silu", "nn.functional.softmin", "nn.functional.softmin with_dtype",
    "nn.functional.softplus", "nn.functional.softshrink", "nn.functional.softsign",
    "nn.functional.tanhshrink", "nn.functional.threshold",
    "nn.functional.triplet_margin_loss", "nn.functional.triplet_margin_with_distance_loss",
    "nonzero", "norm inf", "norm nuc", "ones", "ormqr", "outer", "permute", "permute_copy",
    "polar", "pow", "quantile", "reciprocal", "remainder", "repeat_interleave", "reshape",
    "rot90", "round", "round decimals_3", "rsqrt", "rsub", "scatter_reduce prod",
    "select_scatter", "signbit", "sin", "slice", "slice_scatter", "softmax",
    "softmax with_dtype", "sort", "sparse.mm reduce", "split_with_sizes_copy", "sqrt",
    "square", "squeeze multiple", "stack", "std unbiased", "stft", "sub", "sum_to_size",
    "take", "tan", "tanh", "tensor_split", "to", "trapezoid", "triangular_solve", "tril",
    "true_divide", "unbind_copy", "unflatten", "unfold_copy", "unique_consecutive",
    "unsqueeze", "var_mean", "var_mean unbiased", "vdot", "view_as_complex", "view_copy",
    "vsplit", "zeros_like",
)  # fmt: skip
"""Those whose first samples flag-gems 5.0.2 computes by a kernel, and as PyTorch does.

For the others it has no kernel, takes CUDA tensors alone, or is wrong whoever compiles it: it takes
views for contiguous tensors (fill_, zero_, sqrt) and groups for powers of two (group_norm), refuses
dimensions that are negative, and reads before matrices without columns (mm).
"""

ONLY_IN_F32 = ("div floor_rounding", "div trunc_rounding", "sort")
"""Those whose kernels divide as Triton does f32 alone, or whose order of equal numbers, of which
small floats have many, is another one than PyTorch's."""


@contextmanager
def session() -> Iterator[Any]:
    """Inside the block the package can be used; gives it."""
    from triton_shared.run import cuda_means_cpu

    packages.use()
    os.environ["GEMS_VENDOR"] = "nvidia"
    # Where it writes the kernels that it makes.
    os.environ["FLAGGEMS_CACHE_DIR"] = str(packages.FOLDER / "flag_gems_cache")
    with cuda_means_cpu():
        import flag_gems

        flag_gems.runtime.device.dispatch_key = "CPU"
        yield flag_gems


@contextmanager
def counted_launches() -> Iterator[list[str]]:
    """Inside the block, the list has the name of every kernel that was launched."""
    from triton import knobs

    names: list[str] = []

    def note(metadata: Any) -> None:
        names.append(metadata.get()["name"])

    knobs.runtime.launch_enter_hook.add(note)
    try:
        yield names
    finally:
        knobs.runtime.launch_enter_hook.remove(note)
