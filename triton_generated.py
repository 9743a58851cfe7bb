"""A graph of tensors

Written by triton_shared.graph 0.1.0. `execute_mugraph` runs it; `python` with this file checks it.

%0 = input(index=0) : [16, 4096] float16
%1 = input(index=1) : [4096, 6144] float16
%2 = rms_norm(%0, eps=0.0) : [16, 4096] float16
%3 = matmul(%2, %1) : [16, 6144] float16
return %3
"""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel_0(
    t0,
    t1,
    t2,
    t0_s0,
    t0_s1,
    t1_s0,
    t1_s1,
    t2_s0,
    t2_s1,
    size_d1,
    size_d2,
    BLOCK_column: tl.constexpr,
    BLOCK_d1_1: tl.constexpr,
    BLOCK_row: tl.constexpr,
):
    program = tl.program_id(0)
    i_column = (program % tl.cdiv(size_d2, BLOCK_column)) * BLOCK_column + tl.arange(
        0, BLOCK_column
    )
    program = program // tl.cdiv(size_d2, BLOCK_column)
    i_row = program * BLOCK_row + tl.arange(0, BLOCK_row)
    sum1 = tl.full([BLOCK_row, BLOCK_column], 0.0, tl.float32)
    sum2 = tl.full([BLOCK_row, 1], 0.0, tl.float32)
    for at_d1_1 in range(0, size_d1, BLOCK_d1_1):
        i_d1_1 = at_d1_1 + tl.arange(0, BLOCK_d1_1)
        x3 = tl.load(t0 + i_row[:, None] * t0_s0 + i_d1_1[None, :] * t0_s1)
        x4 = tl.load(t1 + i_d1_1[:, None] * t1_s0 + i_column[None, :] * t1_s1)
        sum1 = tl.dot(x3, x4, sum1)
        v5 = x3.to(tl.float32)
        v6 = v5 * v5
        v7 = tl.sum(v6, axis=1, keep_dims=True) / size_d1
        sum2 = sum2 + v7
    v8 = 1.0 / tl.sqrt(sum2)
    v9 = sum1 * v8
    tl.store(t2 + i_row[:, None] * t2_s0 + i_column[None, :] * t2_s1, (v9).to(tl.float16))


def execute_mugraph(x0, x1, outputs=None):
    """Computes the graph's outputs, a list; into the tensors `outputs`, if these are given."""
    d0 = x0.shape[0]
    d1 = x0.shape[1]
    d2 = x1.shape[1]
    if (
        x0.shape
        != (
            d0,
            d1,
        )
        or x0.dtype != torch.float16
    ):
        raise ValueError(
            f"x0 is a torch.float16 of {(d0, d1)}, not {x0.dtype} of {tuple(x0.shape)}"
        )
    if (
        x1.shape
        != (
            d1,
            d2,
        )
        or x1.dtype != torch.float16
    ):
        raise ValueError(
            f"x1 is a torch.float16 of {(d1, d2)}, not {x1.dtype} of {tuple(x1.shape)}"
        )
    if d0 % 16 != 0:
        raise ValueError("this file was made for a size d0 that is a multiple of 16")
    if d2 % 256 != 0:
        raise ValueError("this file was made for a size d2 that is a multiple of 256")
    if d1 % 64 != 0:
        raise ValueError("this file was made for a size d1 that is a multiple of 64")
    if max(d0 * d1, d1 * d2, d0 * d2) >= 2**31:
        raise ValueError(
            "offsets of these kernels have 32 bits: the largest tensor has 2^31 elements"
        )
    device = x0.device
    if outputs is None:
        outputs = [
            torch.empty(
                (
                    d0,
                    d2,
                ),
                dtype=torch.float16,
                device=device,
            ),
        ]
    (y0,) = outputs
    kernel_0[(triton.cdiv(d0, 16) * triton.cdiv(d2, 256),)](
        x0,
        x1,
        y0,
        x0.stride(0),
        x0.stride(1),
        x1.stride(0),
        x1.stride(1),
        y0.stride(0),
        y0.stride(1),
        d1,
        d2,
        BLOCK_column=256,
        BLOCK_d1_1=64,
        BLOCK_row=16,
        num_warps=4,
        num_stages=3,
    )
    return outputs


def reference(x0, x1):
    """The graph as it was given, in torch."""
    v2 = x0 / (x0.square().mean(-1, keepdim=True) + 0.0).sqrt()
    v3 = v2 @ x1
    return [v3]


def check(device):
    """Runs on random inputs; of each output the largest error, and the largest part of a bound.

    The bound is what rounding the inputs may change, four times, and 6 units in the last place.
    """
    torch.manual_seed(0)
    given = [
        torch.randn([16, 4096]).to(torch.float16).to(device),
        torch.randn([4096, 6144]).to(torch.float16).to(device),
    ]
    found = execute_mugraph(*given)
    exact = [tensor.cpu().double() for tensor in given]
    rounded = [
        one * (1 + torch.finfo(tensor.dtype).eps * (torch.rand_like(one) - 0.5))
        for one, tensor in zip(exact, given)
    ]
    for one, right, moved in zip(found, reference(*exact), reference(*rounded)):
        error = (one.cpu().double() - right).abs()
        bound = 4 * (moved - right).abs().max() + 6 * torch.finfo(one.dtype).eps * right.abs()
        yield error.max().item(), (error / bound).max().item()


if __name__ == "__main__":
    right = True
    for number, (error, part) in enumerate(check("cuda" if torch.cuda.is_available() else "cpu")):
        right = right and part <= 1
        print(f"output {number}: largest error {error:.3g}, {part:.2f} of what is allowed")
    raise SystemExit(0 if right else 1)
