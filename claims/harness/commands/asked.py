"""The options of `dpclaims audit`, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ALPHA = 0.001
MAX_SAMPLES = 1_000_000
TIME_LIMIT = 300.0
METHODS = ("sequential", "clopper-pearson", "gdp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of an audit; ValueError, one sentence, for the first option that makes no sense.

    epsilon, delta  the claim; None takes what the module says, and 0 for δ where it says nothing.
    python          the Python that runs the file: a path or a version; None for the one that runs this.
    with_packages   packages of the environment that the file is run in, as for pip; envs is where it is kept.
    adjacency       "replace", "add", "remove" or "all", each an audit of its own at α; None: the file says.
    set_options     arguments of a library's function, "bounds=0,1"; schema: what its data look like.
    """

    epsilon: float | None = None
    delta: float | None = None
    alpha: float = ALPHA
    max_samples: int = MAX_SAMPLES
    time_limit: float | None = TIME_LIMIT
    resolution: float | None = None
    method: str = METHODS[0]
    seed: int = 0
    jobs: int = 1
    errors: str = "raise"
    python: str | None = None
    with_packages: Sequence[str] = ()
    envs: Path | None = None
    adjacency: str | None = None
    set_options: Sequence[str] = ()
    schema: str | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None and not 0.0 <= self.epsilon < math.inf:
            raise ValueError(f"--epsilon must be finite and ≥ 0, got {self.epsilon}")
        if self.delta is not None and not 0.0 <= self.delta < 1.0:
            raise ValueError(f"--delta must be in [0, 1), got {self.delta}")
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"--alpha must be in (0, 1), got {self.alpha}")
        if self.max_samples < 1:
            raise ValueError(f"--max-samples must be at least 1, got {self.max_samples}")
        if self.time_limit is not None and not 0.0 < self.time_limit < math.inf:
            raise ValueError(f"--time-limit must be a positive number of seconds, got {self.time_limit}")
        if self.method not in METHODS:
            raise ValueError(f"--method must be one of {', '.join(METHODS)}, got {self.method!r}")
        if self.seed < 0:
            raise ValueError(f"--seed must be ≥ 0, got {self.seed}")
        if self.jobs < 1:
            raise ValueError(f"--jobs must be at least 1, got {self.jobs}")
