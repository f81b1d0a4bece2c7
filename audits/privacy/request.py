"""What the user asks of a test, and what a test finds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from audits.privacy.datasets import Dataset
from audits.privacy.draws import Source
from audits.privacy.result import CurvePoint, Look, Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a method found, by default nothing; `audit_privacy` turns it into the result."""

    samples: int
    refuted: bool = False
    epsilon_lower: float = 0.0
    largest_e_value: float = 1.0
    pair_index: int = 0
    direction: str = "forward"
    event: str = "none"
    resolution: Resolution = field(default_factory=Resolution)
    trace: tuple[Look, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    note: str = ""
    undecided: bool = False
    epsilon_estimate: float = 0.0
    followed: int = 0


def nothing(samples: int, note: str = "") -> Finding:
    """That nothing was found, and why."""
    note = note or "No event was found: the outputs of both datasets are constant or too few."
    return Finding(samples=samples, note=note, undecided=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user asked for, checked; the defaults are an audit without further wishes."""

    drawer: Source
    pairs: Sequence[tuple[Dataset, Dataset]]
    epsilon: float
    delta: float
    alpha: float
    rng: np.random.Generator
    max_samples: int
    time_limit: float = math.inf
    resolution: float | None = None
    stop_early: bool = True
    user_score: bool = False
    footprints: bool = False
    precision: float | None = None
    confirm: bool = False
    partial: bool = False
    progress: Callable[[Look], None] | None = None
    seen: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Outputs on both datasets of a pair, by its place, that were drawn to test assumptions; they are learned
    from, and nothing is betted on them."""
    threads: ThreadpoolController = field(default_factory=ThreadpoolController)
    """Products of small matrices take longer on several threads, much longer beside other programs."""

    def timed(self) -> float:
        """Seconds that the time limit counts: since the first output, as the call that brings it may have to
        import a library."""
        first = self.drawer.first_output
        return 0.0 if first is None else time.perf_counter() - first
