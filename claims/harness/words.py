"""The kinds of claims, the names of the tiers, and how many claims a run takes."""

from __future__ import annotations

from enum import StrEnum

TIERS = ("smoke", "ci", "full")
ROOM = 1000
"""How many claims a run has room for: each may spend this part of the error budget. More can be listed."""


class Kind(StrEnum):
    """What a claim is about; `dpclaims list --kind` selects by it."""

    PRIVACY = "privacy"
    RATE = "rate"
    BOUND = "bound"
    LOWER_BOUND = "lower-bound"
    IDENTITY = "identity"
    EXPERIMENT = "experiment"
