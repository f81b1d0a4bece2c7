r"""Proposition 3: user-level DP with m Gaussian samples a user is item-level DP with variance σ²/m.

Each user contributes the sample mean, a sufficient statistic; conversely an item-level record of variance
σ²/m can be blown up to m samples of variance σ², so that a user-level mechanism becomes an item-level
mechanism with the same risk (Levy et al. 2021, section 5.2, Proposition 3).

The reduction as such is an argument, not a computation. The blown-up samples are a linear image of
independent normal variables; its covariance is σ²I, whatever the location, and their mean is the record. With
one source of randomness, replacing a record changes the samples of that user only, so neighbouring item-level
datasets become neighbouring user-level ones.

How it is checked. Exactly: the covariance, from the images of unit vectors. On drawn records, so that they
can only refute: the mean, and the users that change with one record. The two reductions themselves are run
with a mechanism that returns what it was given: from user level to item level and back it must see the
records in every run, and from item level the means of all samples; the samples that it is given must have the
covariance above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import reduction


class UnitDraw:
    """Stands in for a generator: its normal draws are the k-th unit vector along the samples."""

    def __init__(self, k: int) -> None:
        self.k = k

    def standard_normal(self, shape: tuple[int, ...]) -> np.ndarray:
        z = np.zeros(shape)
        z[..., self.k, :] = 1.0
        return z


def covariance_of_samples(m: int, sd: float) -> np.ndarray:
    """Covariance (m, m) of one user's samples: given the mean, plus the mean's own variance."""
    units = [cast(np.random.Generator, UnitDraw(k)) for k in range(m)]
    zero = np.zeros((1, 1))
    image = np.array([reduction.samples_given_means(zero, m, sd, unit)[0, :, 0] for unit in units])
    return image.T @ image + sd**2 / m * np.ones((m, m))


def check(point: Point) -> Iterator[Evidence]:
    m, sd = point.m, point.sd
    error = np.abs(covariance_of_samples(m, sd) / sd**2 - np.eye(m)).max()
    yield equals("largest error of the covariance, in σ²", float(error), 0.0, error=1e-12)
    records = point.rng.normal(size=(3, 2))
    changed = records.copy()
    changed[1] = 100.0
    seed = int(point.rng.integers(2**31))
    before, after = (
        reduction.samples_given_means(r, m, sd, np.random.default_rng(seed)) for r in (records, changed)
    )
    wrong = np.abs(reduction.user_means(before) - records).max()
    yield at_most("mean of the samples against the record", float(wrong), 1e-11, decides=False)
    if m > 1:  # every user of every dataset of a batch has noise of his own
        both = np.stack((records, records))
        noise = reduction.samples_given_means(both, m, sd, point.rng) - both[..., None, :]
        distinct = len(np.unique(noise.reshape(-1, 2 * m).round(12), axis=0))
        yield equals("users of two datasets with noise of their own", distinct, 6)
    users = int(np.any(before != after, axis=(1, 2)).sum())
    yield at_most("users that change with one record", users, 1, decides=False)
    yield from check_reductions(point, records)


def check_reductions(point: Point, records: np.ndarray) -> Iterator[Evidence]:
    """With a mechanism that returns its data."""
    m, sd = point.m, point.sd

    def given(data: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        return np.repeat(np.asarray(data)[None], size, axis=0)

    back = reduction.to_item_level(reduction.to_user_level(given), m, sd)(records, 4, point.rng)
    off = float(np.abs(back - records).max()) if back.shape == (4, *records.shape) else math.inf
    yield equals("records after both reductions, largest deviation", min(off, 1e300), 0.0, error=1e-11)
    samples = point.rng.normal(size=(3, m, 2))
    means = reduction.to_user_level(given)(samples, 1, point.rng)[0]
    off = float(np.abs(means - samples.sum(axis=1) / m).max())
    yield equals("user means, largest deviation", off, 0.0, error=1e-12)
    if m > 1:  # every output is that of samples of its own
        drawn = reduction.to_item_level(given, m, sd)(records, 4, point.rng)
        distinct = len(np.unique(drawn.reshape(4, -1).round(12), axis=0))
        yield equals("outputs of four runs with samples of their own", distinct, 4)
    units = [cast(np.random.Generator, UnitDraw(k)) for k in range(m)]
    item_level = reduction.to_item_level(given, m, sd)
    image = np.array([item_level(np.zeros((1, 1)), 1, unit)[0, 0, :, 0] for unit in units])
    error = np.abs((image.T @ image + sd**2 / m) / sd**2 - np.eye(m)).max()
    quantity = "covariance of the samples that a user-level mechanism is given, largest error in σ²"
    yield equals(quantity, float(error), 0.0, error=1e-12)


CLAIM = Claim(
    PAPER,
    "Proposition 3",
    "section 5.2",
    kind=Kind.IDENTITY,
    title="User level with m samples is item level with variance σ²/m",
    statement=r"For $N(\mu,\sigma^2I)$ samples, the least risk under $(\varepsilon,\delta)$-user-level DP "
    r"with $m$ samples per user equals that under $(\varepsilon,\delta)$-item-level DP with variance "
    r"$\sigma^2/m$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(m=(1, 2, 7, 64), sd=(0.1, 3.0)),
    ci=grid(m=(1, 2, 7, 64), sd=(0.1, 3.0)),
)
