"""The privacy loss of each row of a trace: which pair of laws it is, at the real distance of its
arguments."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audits.trace.ledger.laws import Array, Moved, frozen, is_sampled, law_of, scaled
from audits.trace.ledger.losses import Loss, between, finite
from audits.trace.ledger.stated import mechanism
from audits.trace.record.session import ONE_SIDED
from audits.trace.records import Batch, Row, Where

APART = ("comparison", "enumerated", "own coins", "threshold", "filled")
"""Kinds of rows that are no draws."""
SHAPED = (
    "beta",
    "poisson",
    "geometric",
    "negative_binomial",
    "chisquare",
    "dirichlet",
    "binomial",
    "integers",
)
"""Laws that are drawn from as they are."""
ADDED = "a whole number of a range is added: it may be a part of noise that is made of more"
SIGN = "noise that is never negative is added: another draw may give it its sign"
NOT_WHOLE = (
    "whole noise is added to numbers that differ by a fraction: unless that is rounded away later, an output "
    "on one dataset is impossible on the other"
)
WHOLE = 1e-5
"""Relative difference up to which a number is whole: tensors have single precision."""
Reached = Mapping[tuple[str, int], float]
"""Lines whose draws the record reaches through one fresh coin alone, see `sampling.sampled_lines`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the ledger.

    where     file, line, function.
    law       in words; distance: how far the arguments are apart, in words.
    losses    None: the loss is not known, and `why` says so.
    sampled   the law was recognised from samples: its scale is known to about a hundredth.
    stated    the loss is what the library says of itself, and not what its noise has.
    draws     those whose noise it is.
    least     where the loss is no more than an upper bound, for which `why` has the reason, what it is at
              least; None elsewhere.
    """

    where: Where
    law: str
    distance: str
    losses: tuple[Loss, ...] | None
    why: str = ""
    sampled: bool = False
    stated: bool = False
    draws: tuple[int, ...] = ()
    least: tuple[Loss, ...] | None = None


def entries(
    rows: Sequence[Row], batches: Sequence[Batch] = (), reached: Reached | None = None
) -> list[Entry]:
    """The entries of all rows that cost something; batches: the random subsets of the records, in order."""
    from audits.trace.ledger.comparisons import comparisons, filled, threshold

    draws = {row.index: row for row in rows if row.kind not in APART}
    found: list[Entry] = []
    groups: dict[int, list[Entry]] = defaultdict(list)
    # What is added to data itself gives no other noise its sign.
    alone = all(row.shift is not None for row in draws.values())
    for row in draws.values():
        entry = _draw(row, alone)
        if entry is None:
            continue
        if row.bound and entry.losses is not None:
            entry = replace(entry, least=(), why=row.bound)
        stated = ", by its own " in entry.law
        entry = replace(entry, stated=stated, draws=(row.index, *row.parents))
        factor = (reached or {}).get(entry.where[:2])
        own = [k for k, batch in enumerate(batches) if batch.at <= row.at]
        if factor is None or not own or entry.losses is None:
            found.append(entry)
        else:
            groups[own[-1]].append(_moved_farther(entry, factor))
    for k, group in groups.items():
        found += _amplified(group, batches[k].rate)
    found += [replace(filled(row, draws), draws=(row.index,)) for row in rows if row.kind == "filled"]
    found += [threshold(row) for row in rows if row.kind == "threshold"]
    found += [replace(_enumerated(row), draws=(row.index,)) for row in rows if row.chances]
    return found + comparisons([row for row in rows if row.kind == "comparison"], draws)


def _amplified(group: Sequence[Entry], rate: float) -> list[Entry]:
    """The entries of all draws that depend on a record through one coin: it takes part in all of them, or in
    none.

    So it is the composition of the draws that is amplified: Gaussians compose to one Gaussian, and pure
    losses add up. What is composed of several kinds has its full cost.
    """
    losses = [loss for entry in group for loss in entry.losses or ()]
    if not 0.0 < rate < 1.0 or not losses or any(not math.isfinite(loss.ratio) for loss in losses):
        return list(group)
    if all(loss.kind == "gaussian" and loss.delta == 0.0 for loss in losses):
        whole = Loss("gaussian", math.sqrt(math.fsum(loss.ratio**2 for loss in losses)), rate=rate)
    elif len(losses) == 1:
        whole = replace(losses[0], rate=rate)
    elif all(loss.delta == 0.0 and loss.kind != "gaussian" for loss in losses):
        whole = Loss("pure", math.fsum(loss.largest for loss in losses), rate=rate)
    else:
        return list(group)
    words = f", record takes part with probability {rate:.4g}"
    first = replace(group[0], losses=(whole,), law=group[0].law + words)
    return [first, *(replace(e, losses=(), law=f"{e.law}, with the draw above") for e in group[1:])]


def _moved_farther(entry: Entry, factor: float) -> Entry:
    """An entry whose argument the record moves farther than it is moved between D and D′."""
    losses = entry.losses or ()
    if factor == 1.0:
        return entry
    factor = math.inf if any(loss.kind == "pair" for loss in losses) else factor
    return replace(entry, losses=tuple(replace(loss, ratio=loss.ratio * factor) for loss in losses))


def _enumerated(row: Row) -> Entry:
    """A program of coins, all paths of which were run: the laws of its output."""
    p, q = (np.asarray(chances, dtype=float) for chances in row.chances)
    what = "coins" if row.kind == "enumerated" else "coins of one record"
    entry = Entry(row.where, f"{what}, {p.size} outputs", _unlike(p, q), (finite(p, q),), row.bound)
    return replace(entry, least=()) if row.bound else entry


def _unlike(p: Array, q: Array) -> str:
    return f"probabilities differ by up to {float(np.max(np.abs(p - q))):.4g}"


def _draw(row: Row, alone: bool) -> Entry | None:
    """The entry of a draw; None where it costs nothing. alone: there is no draw that may give it a sign."""
    if row.unknown:
        return Entry(row.where, row.law, "", None, row.unknown)
    if row.kind == "mechanism":
        priced = mechanism(row)
        return None if priced is None else Entry(row.where, *priced)
    if row.factors:
        return Entry(row.where, f"{row.law} of two scales", "", scaled(row, row.factors))
    if row.unlike and (row.law in ("choice", "multinomial") or (row.law, row.unlike) == ("binomial", ("p",))):
        return _choice(row)
    if row.unlike and row.law in SHAPED:
        return _shaped(row)
    shift = np.asarray(0.0 if row.shift is None else row.shift, dtype=float)
    if not np.any(shift != 0.0):
        return None
    if not np.isfinite(shift).all():
        return Entry(row.where, row.law, "not finite", None, "the argument is not finite")
    return _additive(row, shift, alone)


def _additive(row: Row, shift: Array, alone: bool) -> Entry:
    """Noise of one law that is moved by `shift`, each entry independent of the others."""
    law, params = law_of(row)
    moved = shift[shift != 0.0]
    l1, l2 = float(np.abs(shift).sum()), float(np.sqrt((shift**2).sum()))
    distance = f"{l1:.6g}" if moved.size == 1 else f"L1 {l1:.6g}, L2 {l2:.6g}"
    entry = Entry(row.where, law, distance, None, sampled=is_sampled(row))
    if law in ("normal", "laplace"):
        scale = np.broadcast_to(np.asarray(params["scale"], dtype=float), shift.shape)
        with np.errstate(divide="ignore", invalid="ignore"):  # a scale of 0: the loss is infinite
            ratios = np.abs(shift / scale)[shift != 0.0]
        low, high = float(np.min(scale)), float(np.max(scale))
        width = f"{low:.6g}" if low == high else f"{low:.4g} to {high:.4g}"
        if law == "normal":
            loss = Loss("gaussian", float(np.sqrt(np.sum(ratios**2))))
            return replace(entry, law=f"normal, sd {width}", losses=(loss,))
        losses = tuple(Loss("laplace", float(r)) for r in ratios)
        return replace(entry, law=f"laplace, scale {width}", losses=losses)
    if law == "discrete laplace":
        if np.any(np.abs(moved - np.rint(moved)) > WHOLE * np.maximum(1.0, np.abs(moved))):
            return replace(entry, why=NOT_WHOLE)
        losses = tuple(Loss("pure", float(r)) for r in np.abs(moved) * params["rate"])
        return replace(entry, law=f"discrete laplace, rate {params['rate']:.4g}", losses=losses)
    if law == "gamma length":
        return replace(
            entry, law=f"{law}, scale {params['scale']:.6g}", losses=(Loss("pure", l2 / params["scale"]),)
        )
    if law == "multivariate_normal":
        ratio = math.sqrt(float(shift.ravel() @ np.linalg.solve(np.asarray(params["cov"]), shift.ravel())))
        return replace(entry, law="multivariate normal", losses=(Loss("gaussian", ratio),))
    if law == "integers":
        return replace(entry, why=ADDED)
    if law in ONE_SIDED and not (alone and np.all(moved == np.rint(moved))):
        return replace(entry, why=SIGN)
    pairs: list[Loss] = []
    for place, amount in zip(np.flatnonzero(shift).tolist(), moved.tolist(), strict=True):
        own = frozen(law, params, place, shift.shape)
        if own is None:
            return replace(entry, why=f"the law {law} is not one that the ledger knows")
        pairs.append(between(own, Moved(own, -amount)))
    return replace(entry, losses=tuple(pairs))


def _choice(row: Row) -> Entry:
    """A choice whose probabilities depend on the data."""
    name = "pvals" if row.law == "multinomial" else "p"
    p, q = (np.asarray(params.get(name), dtype=float) for params in (row.params, row.others))
    if p.shape != q.shape:
        return Entry(row.where, row.law, "other candidates", None, "the number of candidates differs")
    entry = Entry(row.where, row.law, _unlike(p, q), ())
    if row.law == "binomial":
        shape = p.shape if p.ndim else row.shape
        columns = np.broadcast_arrays(p, q, np.broadcast_to(np.asarray(row.params["n"], dtype=int), shape))
        losses: list[Loss] = []
        for a, b, n in zip(*(np.ravel(column).tolist() for column in columns), strict=True):
            losses += [finite([a, 1.0 - a], [b, 1.0 - b])] * (n if a != b else 0)
        return replace(entry, losses=tuple(losses))
    times = int(np.max(row.params["n"])) if row.law == "multinomial" else int(np.prod(row.shape, dtype=int))
    return replace(entry, losses=(finite(p, q),) * times)


def _shaped(row: Row) -> Entry:
    """A draw of a law whose shape depends on the data."""
    pairs = ((name, np.ravel(row.params[name])[0], np.ravel(row.others[name])[0]) for name in row.unlike)
    words = "; ".join(f"{name} {a:.6g} and {b:.6g}" for name, a, b in pairs)
    losses: list[Loss] = []
    for place in range(int(np.prod(row.shape or (1,)))):
        one, two = (frozen(row.law, params, place, row.shape) for params in (row.params, row.others))
        if one is None or two is None:
            return Entry(
                row.where, row.law, words, None, f"the law {row.law} is not one that the ledger knows"
            )
        losses.append(between(one, two))
    return Entry(row.where, row.law, words, tuple(losses))
