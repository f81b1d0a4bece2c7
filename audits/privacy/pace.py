"""How many calls of which size the assumption tests can afford, from what calls are measured to cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from audits.privacy.draws import joined
from audits.privacy.outputs import Raw

PLANS = (32, 32), (16, 32), (8, 32), (32, 8), (4, 64)
"""Calls on each dataset and outputs of each of them, the best tests first."""
TRIED, SHARE = 32, 8
"""Outputs of the longest call that is timed; it takes about one of so many parts of the allowed time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is drawn on each dataset to test assumptions: calls of so many outputs; no calls where none of
    `PLANS` can be afforded. A call costs `fixed` seconds and `output` seconds an output.

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
    first = draw(0, 1)  # the first call may import a library
    start = time.perf_counter()
    second = draw(1, 1)
    one = time.perf_counter() - start
    size = int(min(max(seconds / SHARE / max(one, 1e-9), 1.0), TRIED))
    start = time.perf_counter()
    more = draw(0, size)
    several = time.perf_counter() - start
    seen = joined([first, more]), joined([second, draw(1, size)])
    output = max(several - one, 0.0) / (size - 1) if size > 1 else one
    fixed = max(one - output, 0.0)
    for calls, call in PLANS:
        if 2.0 * calls * (fixed + call * output) <= seconds:
            return Plan(calls, call, fixed, output, (calls, call) != PLANS[0]), seen
    return Plan(0, 0, fixed, output, True), seen
