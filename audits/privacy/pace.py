"""How many calls of which size the assumption tests can afford, from what calls are measured to cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from audits.privacy.draws import joined
from audits.privacy.outputs import Raw

PLANS = (32, 32), (16, 32), (8, 32), (32, 8), (4, 64), (2, 64)
"""Calls on each dataset and outputs of each of them, the best tests first."""
TRIED, SHARE = 32, 4
"""Outputs of the longest call that is timed; on each dataset it takes one of so many parts of the time."""
DEAR = 8.0
"""A call that by itself costs as much as so many outputs is not made for each output: then the last plan is
kept to, whatever it takes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is drawn on each dataset to test assumptions: calls of so many outputs; no calls where none of
    `PLANS` can be afforded and outputs are what is dear. A call costs `fixed` seconds and each of its outputs
    `output` seconds.

    learn  whether outputs are so dear that the audit learns from those of its tests.
    """

    calls: int
    call: int
    fixed: float
    output: float
    learn: bool

    def affordable(self, calls: int, seconds: float) -> int:
        """Outputs of each of so many calls on both datasets that take so many seconds."""
        return int((seconds / (2.0 * calls) - self.fixed) / max(self.output, 1e-12))


def planned(draw: Callable[[int, int], Raw], seconds: float) -> tuple[Plan, tuple[Raw, Raw]]:
    """The plan for a test of so many seconds, and the outputs on both datasets that were drawn to measure.

    draw  ``draw(dataset, size)``: outputs of a call on the first dataset, 0, or the second, 1.
    """
    seen: tuple[list[Raw], list[Raw]] = ([], [])

    def timed(side: int, size: int) -> float:
        start = time.perf_counter()
        seen[side].append(draw(side, size))
        return time.perf_counter() - start

    timed(0, 1)  # the first call may import a library
    one = timed(1, 1)
    if one < seconds / (2 * SHARE):
        # Beside other programs a call may take long by chance, but hardly two.
        one = min(one, timed(0, 1), timed(1, 1))
    size = int(min(max(seconds / SHARE / max(one, 1e-9), 1.0), TRIED))
    several = min(timed(0, size), timed(1, size))
    output = max(several - one, 0.0) / (size - 1) if size > 1 else one
    fixed = max(one - output, 0.0)
    found = Plan(0, 0, fixed, output, True)
    for calls, call in PLANS:
        if 2.0 * calls * (fixed + call * output) <= seconds:
            found = Plan(calls, call, fixed, output, (calls, call) != PLANS[0])
            break
    else:
        if fixed > DEAR * output:
            found = Plan(*PLANS[-1], fixed, output, True)
    return found, (joined(seen[0]), joined(seen[1]))
