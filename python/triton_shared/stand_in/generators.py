"""Generators of random numbers that torch.cuda has, one a device: a seed, and how far it has come.

Kernels that make random numbers (Philox) take both from `torch.cuda.default_generators`, and say
how many numbers they have used by setting the state.
"""

from __future__ import annotations

import secrets

import torch


class PhiloxGenerator:
    """State of a counter-based generator, as that of a CUDA device; nothing is drawn from it."""

    device = torch.device("cpu")

    def __init__(self) -> None:
        self._state = torch.zeros(2, dtype=torch.int64)

    def get_state(self) -> torch.Tensor:
        """Sixteen bytes (uint8): the seed and the offset, each an int64. A copy."""
        return self._state.clone().view(torch.uint8)

    def set_state(self, state: torch.Tensor) -> PhiloxGenerator:
        """Takes what `get_state` gives; ValueError if it has another size."""
        if state.dtype != torch.uint8 or state.numel() != 16:
            raise ValueError("the state of a generator is 16 elements of torch.uint8")
        self._state = state.clone().view(torch.int64)
        return self

    def manual_seed(self, seed: int) -> PhiloxGenerator:
        """Begins anew with this seed, of which the low 64 bits count."""
        signed = (int(seed) + 2**63) % 2**64 - 2**63
        self._state = torch.tensor([signed, 0], dtype=torch.int64)
        return self

    def seed(self) -> int:
        """Begins anew with a seed that nobody knows, and gives it."""
        chosen = secrets.randbits(63)
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed with which it has begun."""
        return int(self._state[0])

    def get_offset(self) -> int:
        """How many numbers have been used."""
        return int(self._state[1])

    def set_offset(self, offset: int) -> None:
        """Goes on behind so many numbers."""
        self._state[1] = offset
