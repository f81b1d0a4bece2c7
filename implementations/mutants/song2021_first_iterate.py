"""Private selection of song2021 that keeps what it should replace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from implementations.mutants._mutant import Mutant
from implementations.song2021 import stationary_point as module

_reference = module.stationary_point


def stationary_point(
    gradient: module.Gradient, start: module.Array, rng: np.random.Generator, **parameters: Any
) -> module.Selected:
    """The reference, with the first candidate reported whatever the others are."""
    found = _reference(gradient, start, rng, **parameters)
    norm = np.linalg.norm(gradient(np.asarray(start, dtype=float)), axis=-1)
    return replace(found, theta=np.array(start), index=np.zeros_like(found.index), norm=norm)


MUTANT = Mutant(
    name="song2021-first-iterate",
    bug="Starts the running minimum at 0 in the place of infinity, so that nothing is ever smaller.",
    replaces="implementations.song2021.stationary_point:stationary_point",
    by=stationary_point,
    caught_by=("song2021/theorem-4.1-utility:corrected",),
)
