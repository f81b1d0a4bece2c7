"""The kinds of claims and the names of the tiers."""

from __future__ import annotations

from enum import StrEnum

TIERS = ("smoke", "ci", "full")


class Kind(StrEnum):
    """What a claim is about; `dpclaims list --kind` selects by it."""

    PRIVACY = "privacy"
    RATE = "rate"
    BOUND = "bound"
    LOWER_BOUND = "lower-bound"
    IDENTITY = "identity"
    EXPERIMENT = "experiment"
