"""Campaigns: many cases of `check`, `diff` and random programs, over processes or a cluster.

`python -m triton_shared.campaign` runs them and keeps what came of each in one file.
"""

from .case import Case, Outcome
from .results import CampaignError, Results

__all__ = ["CampaignError", "Case", "Outcome", "Results"]
