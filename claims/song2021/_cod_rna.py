"""The Cod-RNA data of the experiment in section 6: reading, preprocessing, and a synthetic stand-in."""

from __future__ import annotations

import gzip
import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from implementations.interfaces import Array

if TYPE_CHECKING:
    from pathlib import Path

RECORDS, FEATURES = 59_535, 8
"""Size of the training set of the paper."""
STAND_IN = "synthetic stand-in of the size and shape of Cod-RNA"
APART = 3.3
"""Distance of the class means of the stand-in in units of the common covariance (Mahalanobis)."""
RADIUS, CONSTANT = math.sqrt(8.0) / 3.0, 1.0 / 3.0
"""Samples are projected to the ball of this radius, then get this constant feature: their norm is at most
1.
"""


@dataclass(frozen=True, slots=True)
class Records:
    """features (n, 8) and labels (n,) of ±1, unprocessed; `source` names where they come from."""

    features: Array
    labels: Array
    source: str


def load(path: Path | None, rng: np.random.Generator) -> Records:
    """The user's file or folder, or the stand-in drawn with `rng` where there is none."""
    return stand_in(rng) if path is None else read(path)


def read(path: Path) -> Records:
    """Read Cod-RNA from a text file, plain or gzip, or from a folder that holds one file cod-rna*.

    One record a line: the label, −1 or +1, then 8 features, either as plain numbers in order or in LIBSVM's
    notation index:value with increasing indices 1..8, absent ones 0. Blank lines are skipped.
    Raises ValueError, naming file and line, for a missing, unreadable, empty, truncated or malformed file,
    another number of features, another label, or a value that is not finite.
    """
    file = _find(path)
    lines = [(i, line) for i, line in enumerate(_lines(file), start=1) if line.strip()]
    if not lines:
        raise ValueError(f"{file}: no records; expected lines of a label and {FEATURES} features")
    table = _fast(lines)
    if table is None:
        table = np.array([_record(file, i, line) for i, line in lines])
    features, labels = table[:, 1:], table[:, 0]
    if np.unique(labels).size < 2:
        raise ValueError(f"{file}: all {len(labels)} labels are {labels[0]:+g}; expected both −1 and +1")
    flat = np.ptp(features, axis=0) == 0.0
    if flat.any():
        raise ValueError(
            f"{file}: feature {int(np.argmax(flat)) + 1} has one value only and cannot be normalised"
        )
    return Records(features, labels, f"Cod-RNA, {len(labels):,} records from {file.name}")


def _find(path: Path) -> Path:
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.name.lower().startswith("cod-rna") and p.is_file())
        if len(found) != 1:
            names = ", ".join(p.name for p in found) or "none"
            raise ValueError(f"{path}: expected one file cod-rna* in this folder, found {names}")
        return found[0]
    if not path.is_file():
        raise ValueError(f"{path}: no such file or folder")
    return path


def _lines(file: Path) -> list[str]:
    try:
        raw = file.read_bytes()
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
        return raw.decode("ascii").splitlines()
    except EOFError:
        raise ValueError(f"{file}: the gzip file is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{file}: not a readable gzip file ({error})") from None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ValueError(f"{file}, line {line}: not a text file of numbers") from None
    except OSError as error:
        raise ValueError(f"{file}: cannot be read ({error.strerror})") from None


def _fast(lines: list[tuple[int, str]]) -> Array | None:
    """The table where every line is plain and sound; None where a line needs a closer look."""
    try:
        table = np.array([line.split() for _, line in lines], dtype=np.float64)
    except ValueError:
        return None
    sound = table.ndim == 2 and table.shape[1] == FEATURES + 1 and np.isfinite(table).all()
    return table if sound and np.isin(table[:, 0], (-1.0, 1.0)).all() else None


def _record(file: Path, number: int, line: str) -> list[float]:
    """Label and features of one line, or the ValueError that says what is wrong with it."""
    where = f"{file}, line {number}"
    label, *fields = line.split()
    if _number(where, label) not in (-1.0, 1.0):
        raise ValueError(f"{where}: the label must be -1 or +1, got {label!r}")
    values = [0.0] * FEATURES
    if any(":" in field for field in fields):
        last = 0
        for field in fields:
            index, colon, value = field.partition(":")
            if not colon or not index.isdigit() or not last < int(index) <= FEATURES:
                raise ValueError(
                    f"{where}: expected index:value with increasing indices 1..{FEATURES}, got {field!r}"
                )
            last = int(index)
            values[last - 1] = _number(where, value)
    else:
        if len(fields) != FEATURES:
            raise ValueError(f"{where}: expected {FEATURES} features, got {len(fields)}")
        values = [_number(where, field) for field in fields]
    return [float(label), *values]


def _number(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{where}: not a number: {text!r}") from None
    if not math.isfinite(value):
        raise ValueError(f"{where}: not a finite number: {text!r}")
    return value


def stand_in(rng: np.random.Generator) -> Records:
    """A synthetic data set of the size and shape of Cod-RNA.

    59,535 records, a third of them positive, 8 features of very different scales, correlated, normal given
    the label, with class means so far apart that a linear classifier is right on about 95 % of the records.
    """
    labels = np.where(np.arange(RECORDS) % 3 == 0, 1.0, -1.0)
    mixing = np.eye(FEATURES) + 0.1 * rng.standard_normal((FEATURES, FEATURES))
    direction = np.linalg.solve(mixing @ mixing.T, np.ones(FEATURES))
    shift = np.ones(FEATURES) * APART / math.sqrt(float(direction.sum()))
    scales = np.geomspace(0.05, 200.0, FEATURES)
    noise = rng.standard_normal((RECORDS, FEATURES)) @ mixing.T
    features = scales * (noise + 0.5 * labels[:, None] * shift)
    return Records(features, labels, STAND_IN)


def best_accuracy() -> float:
    """The largest accuracy, in per cent, that any classifier has on the laws of the stand-in.

    Normal laws with a common covariance, means APART of its units from each other, shares 1/3 and 2/3.
    """
    from scipy.special import ndtr

    threshold = math.log(2.0) / APART
    larger, smaller = ndtr(0.5 * APART + threshold), ndtr(0.5 * APART - threshold)
    return 100.0 * float(2.0 * larger + smaller) / 3.0


def split(records: Records, rng: np.random.Generator, share: float = 0.2) -> tuple[Records, Records]:
    """A random (training, held-out) split; the test set of the paper is another file, which is not read
    here.
    """
    order = rng.permutation(len(records.labels))
    held = max(1, round(share * len(order)))
    parts = (order[held:], order[:held])
    return tuple(  # type: ignore[return-value]
        Records(records.features[rows], records.labels[rows], records.source) for rows in parts
    )


def preprocess(training: Records, other: Records) -> tuple[Array, Array]:
    """Appendix E: scale each feature to [−1/2, 1/2] by its range in the training set, project each sample to
    the ball of radius √8/3, append the constant 1/3; (n, 9) for both."""
    low, high = training.features.min(axis=0), training.features.max(axis=0)
    if (low == high).any():
        raise ValueError(f"feature {int(np.argmax(low == high)) + 1} has one value only in the training part")

    def scaled(features: Array) -> Array:
        x = (features - low) / (high - low) - 0.5
        norms = np.linalg.norm(x, axis=1, keepdims=True)
        x = x * np.minimum(1.0, RADIUS / np.maximum(norms, RADIUS))
        return np.hstack([x, np.full((len(x), 1), CONSTANT)])

    return scaled(training.features), scaled(other.features)
