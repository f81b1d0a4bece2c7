"""Random subsets of the records, and what they make of the losses of draws on them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audits.trace.ledger.comparisons import bits_of, is_same, laws_in, probability
from audits.trace.ledger.entries import Entry
from audits.trace.ledger.losses import Loss
from audits.trace.records import Row, Where


@dataclass(frozen=True, slots=True)
class Coin:
    """From draw `at` on, the record takes part with probability `rate`, until the next coin."""

    at: int
    rate: float


def coins_of(
    rows: Sequence[Row], draws: Mapping[int, Row], place: int | None, records: int | None
) -> list[Coin]:
    """Random subsets of the records: a comparison of a uniform number for each record with one rate."""
    found: list[Coin] = []
    if place is None or records is None:
        return found
    single: dict[Where, list[Row]] = defaultdict(list)
    for row in (row for row in rows if row.kind == "comparison" and row.compared is not None):
        if row.compared is not None and np.shape(row.compared.outcome)[:1] == (records,):
            rate = _rate(row, draws, place)
            found += [] if rate is None else [Coin(row.at, rate)]
        elif row.law == "compare" and row.compared is not None and np.shape(row.compared.outcome) == ():
            single[row.where].append(row)
    for unordered in single.values():
        # A uniform number for each record that is compared with one rate in a loop over the records.
        group = sorted(unordered, key=lambda row: row.at)
        for k in range(0, len(group) - records + 1, records):
            rates = {_rate(row, draws) for row in group[k : k + records]}
            rate = rates.pop()
            if not rates and rate is not None:
                found.append(Coin(group[k].at, rate))
    for row in draws.values():
        params = row.params
        places = row.law == "choice" and params.get("a") == records and params.get("p") is None
        if places and params.get("replace") is False and row.shape:
            found.append(Coin(row.index + 1, row.shape[0] / records))
        bits = row.law == "binomial" and row.shape[:1] == (records,) and not row.unlike
        if bits and np.ndim(params["p"]) == 0 and params["n"] == 1:
            found.append(Coin(row.index + 1, float(params["p"])))
    return sorted(found, key=lambda coin: coin.at)


def _rate(row: Row, draws: Mapping[int, Row], place: int = 0) -> float | None:
    """With what probability a comparison of a uniform number shows "takes part"; None for any other."""
    bits = bits_of(row) if row.law == "compare" else []
    if not bits or row.compared is None:
        return None
    bit = bits[min(place, len(bits) - 1)]
    laws = laws_in([bit], draws)
    if len(bit.noises) != 1 or laws is None or not all(is_same(b) for b in bits):
        return None
    chance = probability(replace(bit, above=True), laws, 0)
    # True is "takes part": of u < rate that is the second being the larger.
    return chance if row.compared.name.startswith("greater") else 1.0 - chance


def amplified(group: Sequence[Entry], rate: float) -> list[Entry]:
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
