"""vLLM's samplers and the bookkeeping round them: logits are changed, drafts taken or rejected."""

from __future__ import annotations

import torch
from vllm_cases import Run, case, normal, starts, vllm, whole

PICK = whole(2, 0, 2, 1)
"""The request of each row of logits."""


def changed(function: object, logits: torch.Tensor, *rest: object) -> Run:
    """What a function leaves in a copy of the logits."""

    def run() -> torch.Tensor:
        copy = logits.clone()
        function(copy, *rest)  # type: ignore[operator]
        return copy

    return run


@case("v1.worker.gpu.sample.gumbel", "_temperature_kernel")
def temperature() -> tuple[Run, Run]:
    function = vllm("v1.worker.gpu.sample.gumbel").apply_temperature
    logits, values = normal(4, 9000), torch.tensor([0.7, 1.0, 0.0])
    divisors = torch.where(values == 0, 1.0, values)[PICK]
    return changed(function, logits, PICK, values), lambda: logits / divisors[:, None]


@case("v1.worker.gpu.sample.min_p", "_min_p_kernel", tolerance=0)
def min_p() -> tuple[Run, Run]:
    function = vllm("v1.worker.gpu.sample.min_p").apply_min_p
    logits, least = normal(4, 3000), torch.tensor([0.2, 0.05, 0.0])

    def reference() -> torch.Tensor:
        limit = logits.amax(-1, keepdim=True) + least[PICK, None].log()
        return logits.masked_fill(logits < limit, float("-inf"))

    return changed(function, logits, PICK, least), reference


@case("v1.worker.gpu.sample.logprob", "_topk_log_softmax_kernel")
def token_logprobs() -> tuple[Run, Run]:
    function = vllm("v1.worker.gpu.sample.logprob").compute_token_logprobs
    logits = normal(5, 5000)
    tokens = torch.randint(0, 5000, (5, 7))
    return lambda: function(logits, tokens), lambda: logits.log_softmax(-1).gather(1, tokens)


@case("v1.worker.gpu.sample.penalties", "_penalties_kernel")
def penalties() -> tuple[Run, Run]:
    function = vllm("v1.worker.gpu.sample.penalties").apply_penalties
    size = 900
    logits, at = normal(4, size), whole(0, 0, 1, 2)
    ids = torch.randint(0, size, (8,))
    again, often, there = (torch.tensor(x) for x in ([1.3, 1, 0.8], [0.0, 0.5, 0.2], [0, 0, 0.4]))
    prompt = torch.randint(-(2**31), 2**31 - 1, (3, -(-size // 32)), dtype=torch.int32)
    counts = torch.randint(0, 3, (3, size), dtype=torch.int32)
    pick = whole(2, 1, 0, 0)

    def reference() -> torch.Tensor:
        out = []
        for row, (request, position) in enumerate(zip(pick.tolist(), at.tolist(), strict=True)):
            seen = counts[request].clone()
            for token in ids[row - position + 1 : row + 1].tolist():
                seen[token] += 1
            bits = (prompt[request][:, None] >> torch.arange(32)) & 1
            known = bits.flatten()[:size].bool() | (seen > 0)
            factor = torch.where(known, again[request], 1.0)
            new = logits[row] * torch.where(logits[row] > 0, 1 / factor, factor)
            out.append(new - often[request] * seen - there[request] * (seen > 0))
        return torch.stack(out)

    run = changed(
        function, logits, pick, ids, at, again.float(), often.float(), there.float(), prompt, counts
    )
    return run, reference


@case("v1.worker.gpu.sample.penalties", "_bincount_kernel", tolerance=0)
def token_counts() -> tuple[Run, Run]:
    function = vllm("v1.worker.gpu.sample.penalties").bincount
    tokens = torch.randint(0, 100, (3, 2500))
    prompt, both = whole(1200, 0, 30), whole(2300, 500, 30)

    def run() -> tuple[torch.Tensor, ...]:
        bits, counts = torch.zeros(3, 4, dtype=torch.int32), torch.ones(3, 100, dtype=torch.int32)
        function(whole(0, 2), tokens, prompt, both, bits, counts, 2300)
        return bits, counts

    def reference() -> tuple[torch.Tensor, ...]:
        bits, counts = torch.zeros(3, 4, dtype=torch.int32), torch.ones(3, 100, dtype=torch.int32)
        for row in (0, 2):
            line = tokens[row]
            counts[row] = torch.bincount(line[prompt[row] : both[row]], minlength=100)
            for token in line[: prompt[row]].tolist():
                word = int(bits[row, token // 32]) | (1 << token % 32)
                bits[row, token // 32] = word - 2**32 if word >= 2**31 else word
        return bits, counts

    return run, reference


def top(k: torch.Tensor | None, p: torch.Tensor | None, rows: int, size: int) -> tuple[Run, Run]:
    """The logits that are not among the first k, or the likeliest that make up p, are masked."""
    function = vllm("v1.sample.ops.topk_topp_triton").apply_top_k_top_p_triton
    logits = normal(rows, size) * 3

    def reference() -> torch.Tensor:
        ordered, order = logits.sort(descending=True)
        if k is not None:
            ordered = ordered.masked_fill(torch.arange(size) >= k[:, None], float("-inf"))
        if p is not None:
            likely = ordered.softmax(-1)
            before = likely.cumsum(-1) - likely
            ordered = ordered.masked_fill(before >= p[:, None], float("-inf"))
        return torch.empty_like(logits).scatter(1, order, ordered)

    return lambda: function(logits.clone(), k, p), reference


TOP = "v1.sample.ops.topk_topp_triton"


@case(TOP, "_topk_topp_kernel", tolerance=0)
def top_k() -> tuple[Run, Run]:
    return top(whole(5, 1, 400, 2000), None, 4, 2000)


@case(TOP, "_topk_topp_kernel", tolerance=0)
def top_k_and_top_p() -> tuple[Run, Run]:
    return top(whole(50, 700, 20, 2000), torch.tensor([0.9, 0.5, 0.99, 0.7]), 4, 2000)


@case(TOP, "_topp_sb_stats_kernel", "_topp_sb_step_kernel", "_topp_sb_mask_kernel", tolerance=0)
def top_p() -> tuple[Run, Run]:
    return top(None, torch.tensor([0.9, 0.3]), 2, 3000)


REJECT = "v1.sample.rejection_sampler"


@case(REJECT, "expand_kernel", tolerance=0)
def expand_batch_to_tokens() -> tuple[Run, Run]:
    function = vllm(REJECT).expand_batch_to_tokens
    x, ends = whole(3, 0, 7), whole(2, 5, 6)
    return (
        lambda: function(x, ends, 6, 0, 9),
        lambda: torch.where(x == 0, 9, x).repeat_interleave(whole(2, 3, 1)),
    )


@case(REJECT, "rejection_greedy_sample_kernel", tolerance=0)
def greedy_rejection() -> tuple[Run, Run]:
    function = vllm(REJECT)._rejection_greedy_sample
    drafts, targets = whole(3, 4, 5, 6, 7), whole(3, 8, 5, 6, 7, dtype=torch.int64)
    ends, bonus = whole(3, 3, 5), whole(10, 11, 12)[:, None]

    def run() -> torch.Tensor:
        out = torch.full((3, 4), -1, dtype=torch.int32)
        function(out, ends, drafts, targets, bonus, None, 3, None, None)
        return out

    return run, lambda: torch.tensor(
        [[3, 8, -1, -1], [11, -1, -1, -1], [6, 7, 12, -1]], dtype=torch.int32
    )


@case(REJECT, "rejection_random_sample_kernel", tolerance=0)
def random_rejection() -> tuple[Run, Run]:
    function = vllm(REJECT)._rejection_random_sample
    ends, drafts = whole(2, 5), whole(1, 2, 3, -1, 0)
    bonus, recovered = whole(20, 21)[:, None], whole(30, 31, 32, 33, 34)
    guessed, wanted = (normal(5, 6).softmax(-1) for _ in range(2))
    chances, greedy = torch.rand(5), torch.tensor([False, False])

    def run() -> torch.Tensor:
        out = torch.full((2, 4), -1, dtype=torch.int32)
        function(out, ends, drafts, guessed, wanted, bonus, recovered, chances, greedy, 3, None)
        return out

    def reference() -> torch.Tensor:
        out = torch.full((2, 4), -1, dtype=torch.int32)
        for request, (start, end) in enumerate(((0, 2), (2, 5))):
            for at in range(start, end):
                token = int(drafts[at])
                ratio = wanted[at, token] / guessed[at, token]
                taken = token >= 0 and bool(ratio >= chances[at])
                out[request, at - start] = token if taken else recovered[at]
                if not taken:
                    break
            else:
                out[request, end - start] = bonus[request, 0]
        return out

    return run, reference


BATCH = "v1.worker.gpu.input_batch"


@case(BATCH, "_prepare_pos_seq_lens_kernel", tolerance=0)
def positions_and_lengths() -> tuple[Run, Run]:
    function = vllm(BATCH).prepare_pos_seq_lens
    lengths, before = whole(3, 1, 1500), whole(10, 0, 7, 3)
    requests = whole(3, 0, 1)

    def run() -> tuple[torch.Tensor, ...]:
        positions, sizes = torch.empty(1504, dtype=torch.int64), whole(9, 9, 9, 9, 9)
        function(requests, starts(lengths), before, positions, sizes)
        return positions, sizes

    def reference() -> tuple[torch.Tensor, ...]:
        first = before[requests]
        parts = [torch.arange(a, a + n) for a, n in zip(first, lengths, strict=True)]
        return torch.cat(parts), torch.cat((first + lengths, whole(0, 0)))

    return run, reference


@case(BATCH, "_expand_idx_mapping_kernel", tolerance=0)
def expand_request_numbers() -> tuple[Run, Run]:
    function = vllm(BATCH).expand_idx_mapping
    requests, lengths = whole(4, 0, 2), whole(2, 5, 1)
    return lambda: function(requests, 8, starts(lengths), 5), lambda: (
        requests.repeat_interleave(lengths),
        torch.cat([torch.arange(n, dtype=torch.int32) for n in lengths]),
    )
