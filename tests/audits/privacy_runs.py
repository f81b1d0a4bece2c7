"""What several tests of audits begin with: an adjacency, outputs as columns, a run that has drawn nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.privacy import AuditResult, audit_privacy
from audits.privacy.bet.method import Job
from audits.privacy.bet.sequential import Sequential
from audits.privacy.draw.datasets import kept_apart
from audits.privacy.draw.draws import Drawer
from audits.privacy.options import Options
from audits.privacy.outputs.outputs import Encoded


def anything(a: Any, b: Any) -> bool:
    return True


def laplace(data: Any, size: int, rng: np.random.Generator) -> Any:
    """ε = 1 for numbers that differ by 1."""
    return data + rng.laplace(size=size)


def audited(mechanism: Any, pairs: Any = ((0.0, 1.0),), **options: Any) -> AuditResult:
    """An audit of ε = 1 on pairs that are neighbours whatever they are, unless the options say otherwise."""
    return audit_privacy(mechanism, pairs, **({"epsilon": 1.0, "adjacency": anything} | options))


def encoded(values: Any, codes: Any = None) -> Encoded:
    """Numbers as columns, with symbols where there are `codes`."""
    columns = np.asarray(values, dtype=np.float64)
    columns = columns[:, None] if columns.ndim == 1 else columns
    symbols = np.zeros((len(columns), 1)) if codes is None else np.asarray(codes).reshape(len(columns), -1)
    return Encoded(columns, symbols.astype(np.int64))


def unbegun(mechanism: Any, *pairs: Any, seed: int = 0, **options: Any) -> Sequential:
    """A sequential run with α = 0.05 that does not stop early."""
    asked = Options(alpha=0.05, stop_early=False, **options)
    kept = [kept_apart(pair) for pair in pairs]
    return Sequential(Job(asked, Drawer(mechanism), kept, np.random.default_rng(seed)))
