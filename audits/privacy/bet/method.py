"""What a method of testing is given, and what it finds."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import Drawer
from audits.privacy.options import Options
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.score import View
from audits.privacy.result import CurvePoint, Look, Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a method found, by default nothing: what has the name of a field of the result becomes that."""

    samples: int
    refuted: bool = False
    lower: float = 0.0
    e_value: float = 1.0
    pair_index: int = 0
    direction: str = "forward"
    event: str = "none"
    resolution: Resolution = field(default_factory=Resolution)
    trace: tuple[Look, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    note: str = ""
    undecided: bool = False
    estimate: float = 0.0
    tested_at: float = math.nan
    encoder: Encoder | None = None
    """What turned the outputs of the pair into columns."""
    view: View | None = None
    """The number of an output that carried the bound, if there is one."""


def nothing(samples: int, note: str = "") -> Finding:
    """That nothing was found, and why."""
    note = note or "No event was found: the outputs of both datasets are constant or too few."
    return Finding(samples=samples, note=note, undecided=True)


def with_shares(words: str, direction: str, more: float, less: float) -> str:
    """The words of an event with its share on the dataset that has more in it, and on the other."""
    first, second = (more, less) if direction == "forward" else (less, more)
    return f"{words} (share {first:.4g} on the first dataset, {second:.4g} on the second)"


@dataclass(frozen=True, slots=True)
class Job:
    """The options of an audit with what it works on: outputs of a mechanism on pairs of datasets."""

    options: Options
    drawer: Drawer
    pairs: Sequence[tuple[Dataset, Dataset]]
    rng: np.random.Generator
    threads: ThreadpoolController = field(default_factory=ThreadpoolController)
    """Products of small matrices take longer on several threads, much longer beside other programs."""
    seen: dict[int, tuple[list[Any], list[Any]]] = field(default_factory=dict)
    """Outputs of calls on both datasets, by the place of the pair, that tested assumptions. They are
    learned from, and nothing is betted on them."""

    def timed(self) -> float:
        """Seconds that the time limit counts: since the first output, as the call that brings it may have to
        import a library."""
        first = self.drawer.first_output
        return 0.0 if first is None else time.perf_counter() - first

    def left(self) -> float:
        """Seconds left of the time limit; infinite without one."""
        limit = self.options.time_limit
        return math.inf if limit is None else limit - self.timed()
