"""Whether programs refuse what their text excludes."""

from __future__ import annotations

from collections.abc import Callable


def accepted(*calls: Callable[[], object]) -> int:
    """How many of these calls, each outside what the text admits, raise no ValueError."""
    passed = 0
    for call in calls:
        try:
            call()
        except ValueError:
            continue
        passed += 1
    return passed
