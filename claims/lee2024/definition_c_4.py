r"""Definition C.4: Algorithm 2 is a fingerprinting code with security ξ: for every coalition S and
adversary, (completeness) a pirate word in F(C_S) is traced to nobody with probability at most ξ, and
(soundness) it is traced to a user outside S with probability at most ξ.

As printed, with d = 100n²·log(n/ξ) columns and accusation at S_i > Z/2 = 10n·log(n/ξ), soundness falls.
The score of an innocent user is a sum of centred terms of variance 1 over the columns with c = 1, so its
standard deviation is up to √d, and the threshold is √log(n/ξ) standard deviations: the tail is near
Φ(−√log(n/ξ)), about √(ξ/n)/12 at ξ = 10⁻⁸, not ξ/n. A coalition of n − 1 users who write a 1 wherever they
may has fewer than d ones, which makes it 3.7·10⁻⁷ at n = 20; even if Trace returns one of up to n accused
users at random, that is 1.9·10⁻⁸ > ξ. At ξ ≥ 10⁻⁷ this lower bound of what Trace does is below ξ: there the
printed threshold is not refuted for Trace, and is for the single user whom Trace′ accuses from 10⁻⁵ on
(2.3·10⁻⁵ there, 9.4·10⁻⁵ at 10⁻⁴).

With Tardos's own threshold Z (`:corrected`) both properties hold for every adversary, by two bounds that
`_scores` computes: given the means, the words of S and the pirate word, innocent bits are independent;
and the generating function of the total score of S factors over the columns, with the worst allowed c in
each.

How it is checked. Printed: the exact tail of an innocent score, inverted along the saddle point.
Corrected: the bounds for every adversary, n up to 60, ξ down to 1e-8, coalitions of all sizes; lengths
and thresholds are the implementation's and are compared with the printed formulas. `:scores` holds the
scores of real runs against their exact means and variances, twelve strategies, the one among them that
makes the coalition's total smallest in every column; `:histogram` holds the whole laws of a guilty and of an
innocent score against those that independent columns give; `:simulated` counts failures of real runs, also
of coalitions that write every column against one of their members in turn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from claims import (
    CONFIRMED,
    CONSISTENT,
    REFUTED,
    Budget,
    Claim,
    Evidence,
    Finding,
    Kind,
    Plot,
    Point,
    Weight,
    at_least,
    at_most,
    drawn_from,
    equals,
    grid,
    mean_at_most,
    mean_equals,
    reported,
)
from claims.lee2024 import PAPER, _scores
from implementations.lee2024 import coalitions, fingerprinting


def parameters(point: Point) -> Iterator[Evidence]:
    """The implementation's length, threshold and cutoff against the printed formulas."""
    n, security = point.n, point.security
    log = math.log(n / security)
    place = point.axes
    yield equals(
        "d", fingerprinting.length(n, security), math.ceil(100.0 * n**2 * log), point=place, decides=False
    )
    yield equals("Z", fingerprinting.score_scale(n, security), 20.0 * n * log, point=place, decides=False)
    yield equals("t", fingerprinting.cutoff(n), 1.0 / (300.0 * n), point=place, decides=False)


def check_printed(point: Point) -> Iterator[Evidence]:
    n, security = point.n, point.security
    d, z = fingerprinting.length(n, security), 0.5 * fingerprinting.score_scale(n, security)
    rule = coalitions.rules(n - 1)["all ones"]
    tail, error = _scores.innocent_tail(_scores.column(n), rule, d, z)
    yield reported("P(the innocent user is accused by Trace′)", tail, claimed=security, point=point.axes)
    yield at_most(
        "P(Trace returns the innocent user), at least", tail / n, security, error=(error + 1e-6) * tail / n,
        point=point.axes, decides=False, note="1/n of the accused users' draws at least",
    )  # fmt: skip


def thresholds(n: int, security: float, rng: np.random.Generator) -> Iterator[Evidence]:
    """A word whose copied part gives its owner a score between Z/2 and Z: traced at Z/2, not at Z."""
    hidden = fingerprinting.generate_hidden(n, security, rng)
    inner, z = hidden.inner, fingerprinting.score_scale(n, security)
    q = np.sqrt((1.0 - inner.means) / inner.means)
    reached = np.cumsum(np.where(inner.words[0] == 1, q, 0.0))
    columns = int(np.searchsorted(reached, 0.75 * z))  # ones of the first user up to here, and zeros
    bits = np.zeros_like(hidden.order, dtype=np.int8)
    bits[:columns] = inner.words[0, :columns]
    pirate = bits[hidden.order]
    found = [fingerprinting.trace(hidden, pirate, rng, threshold=name) for name in ("printed", "tardos")]
    yield equals(
        "user traced at Z/2 by a score of 3Z/4", -1 if found[0] is None else found[0], 0, decides=False
    )
    yield equals("users traced at Z by a score of 3Z/4", float(found[1] is not None), 0.0, decides=False)


def check_corrected(point: Point) -> Iterator[Evidence]:
    n, security = point.n, point.security
    law = _scores.column(n)
    d = fingerprinting.length(n, security)
    z = fingerprinting.THRESHOLDS["tardos"] * fingerprinting.score_scale(n, security)
    yield from parameters(point)
    if n == 8:
        yield from thresholds(n, security, point.rng)
    sound = (n - 1) * _scores.soundness_bound(law, d, z)
    yield at_most("P(an innocent user is accused), every adversary", sound, security, point=point.axes)
    if n == 20:  # where the printed threshold is too low: from ξ = 10⁻⁵ on
        rule = coalitions.rules(n - 1)["all ones"]
        half, _ = _scores.innocent_tail(law, rule, d, 0.5 * fingerprinting.score_scale(n, security))
        low = at_least if security <= 1e-5 else at_most
        yield low("P(accused at Z/2) over ξ", half / security, 1.0, point=point.axes, decides=False)
    for s in sorted({1, 2, 3, n // 2, n - 1, n} - {0}):
        if s <= n:
            silent = _scores.completeness_bound(law, s, d, z)
            yield at_most(f"P(nobody of {s} is accused), every adversary", silent, security, point=point.axes)


def check_scores(point: Point) -> Iterator[Evidence]:
    """Real codebooks and pirate words: mean of the innocent score, its variance, mean of the coalition's
    total."""
    n, s, rng = point.n, point.n - 1, point.rng
    law = _scores.column(n)
    d = _scores.length(n, point.security)
    rules = coalitions.rules(s)
    rules["cheapest"] = _scores.cheapest_rule(law, s)
    names = [*rules, "average then round", "copy"]
    levels = point.split(3 * len(names))
    for i, name in enumerate(names):
        innocent, total = np.empty(point.runs), np.empty(point.runs)
        for trial in range(point.runs):
            code = fingerprinting.generate(n, point.security, rng)
            members = code.words[:s]
            if name == "average then round":
                pirate = coalitions.average_then_round(members)
            elif name == "copy":
                pirate = coalitions.copy_member(members, rng)
            else:
                pirate = coalitions.by_count(members, rules[name], rng)
            values = fingerprinting.scores(code, pirate)
            innocent[trial], total[trial] = values[s], values[:s].sum()
        rule = rules.get(name, rules["majority" if name == "average then round" else "spread"])
        ones = _scores.share_of_ones(law, rule)
        place = {"n": n, "strategy": name}
        yield mean_equals("innocent score/√d", innocent / math.sqrt(d), 0.0, alpha=levels[3 * i], point=place)
        yield mean_equals(
            "squared innocent score/d", innocent**2 / d, ones, alpha=levels[3 * i + 1], point=place
        )
        yield mean_equals(
            "total score of the coalition/d", total / d, _scores.coalition_mean(law, rule),
            alpha=levels[3 * i + 2], point=place, largest_resolution=0.03,
        )  # fmt: skip


def check_simulated(point: Point) -> Iterator[Evidence]:
    n, rng = point.n, point.rng
    law = _scores.column(n)
    found: dict[str, list[float]] = {"nobody": [], "innocent": []}
    for trial in range(point.runs):
        s = int(rng.integers(1, n))
        hidden = fingerprinting.generate_hidden(n, point.security, rng)
        members = hidden.words[:s]
        rules = coalitions.rules(s)
        rules["cheapest"] = _scores.cheapest_rule(law, s)
        names = [*rules, "against members"]
        name = names[trial % len(names)]
        if name == "against members":
            pirate = coalitions.against_members(members)
        else:
            pirate = coalitions.by_count(members, rules[name], rng)
        traced = fingerprinting.trace(hidden, pirate, rng, threshold="tardos")
        found["nobody"].append(float(traced is None))
        found["innocent"].append(float(traced is not None and traced >= s))
    for (name, values), alpha in zip(found.items(), point.split(2), strict=True):
        yield mean_at_most(
            f"share of runs: {name} traced" if name == "innocent" else "share of runs: nobody traced",
            values, point.security, alpha=alpha, method="clopper-pearson", point=point.axes,
        )  # fmt: skip


BINS = np.linspace(-1.5, 3.5, 81)
"""Edges of the histogram of scores, in units of Z."""


def measure_histogram(point: Point) -> dict[str, Any]:
    """Shares of runs by bin of the score over Z, of one innocent user and of one member a run, and their
    laws."""
    n, s, rng = point.n, point.n - 1, point.rng
    law = _scores.column(n)
    d, z = _scores.length(n, point.security), _scores.scale(n, point.security)
    rule = (
        _scores.cheapest_rule(law, s) if point.strategy == "cheapest" else coalitions.rules(s)[point.strategy]
    )
    found = np.empty((2, point.runs))
    for trial in range(point.runs):
        code = fingerprinting.generate(n, point.security, rng)
        values = fingerprinting.scores(code, coalitions.by_count(code.words[:s], rule, rng)) / z
        found[:, trial] = values[s], values[0]
    columns: dict[str, list[Any]] = {"user": [], "score": [], "share": [], "law": []}
    for user, scores in zip(("innocent", "guilty"), found, strict=True):
        distribution = _scores.score_distribution(law, rule, d, member=user == "guilty")
        clipped = np.clip(scores, BINS[0], BINS[-1] * (1.0 - 1e-12))
        columns["user"] += [user] * (BINS.size - 1)
        columns["score"] += (0.5 * (BINS[1:] + BINS[:-1])).tolist()
        columns["share"] += (np.histogram(clipped, BINS)[0] / point.runs).tolist()
        below = distribution(BINS * z)
        below[0], below[-1] = 0.0, 1.0
        columns["law"] += np.diff(below).tolist()
    return columns


def judge_histogram(rows: Any, budget: Budget) -> Iterator[Evidence]:
    """Each histogram against its law, by Kolmogorov's test at the edges of the bins."""
    cells = list(rows.groupby(["n", "security", "strategy", "runs", "user"]))
    for ((n, security, strategy, runs, user), cell), alpha in zip(
        cells, budget.split(len(cells)), strict=True
    ):
        counts = np.rint(cell["share"].to_numpy() * runs).astype(int)
        below = np.concatenate([[0.0], np.cumsum(cell["law"].to_numpy())])
        # Within a bin both the counts and the law are spread evenly, so only the edges can differ.
        places = [
            BINS[i] + (BINS[i + 1] - BINS[i]) * (np.arange(c) + 0.5) / c for i, c in enumerate(counts) if c
        ]
        yield drawn_from(
            f"score of an {user} user over Z" if user == "innocent" else "score of a member over Z",
            np.concatenate(places), lambda x, below=below: np.interp(x, BINS, below), alpha=alpha,
            point={"n": n, "security": security, "strategy": strategy},
        )  # fmt: skip


_N, _SECURITY = (2, 4, 8, 20, 60), (1e-2, 1e-5, 1e-8)
CLAIM = Claim(
    PAPER,
    "Definition C.4",
    "appendix C.2",
    kind=Kind.BOUND,
    title="Security of the fingerprinting code",
    statement=r"""With $d=100n^2\log(n/\xi)$ and accusation at $S_i>Z/2$, $Z=20n\log(n/\xi)$, the
code of Algorithm 2
traces a pirate word to nobody with probability at most $\xi$, and to an innocent user with probability at
most $\xi$.""",
    expected=REFUTED,
    check=check_printed,
    smoke=grid(n=20, security=1e-8),
    ci=grid(n=(4, 8, 20), security=_SECURITY),
    finding=Finding(
        Weight.ALGORITHM,
        what=r"""Algorithm 2 accuses above $Z/2$. That is $\sqrt{\log(n/\xi)}$ standard deviations of an
innocent score at most, so the tail can be near $\sqrt{\xi/n}/12$ ($n=20$, $\xi=10^{-8}$) where $\xi/n$ is
needed. If $n-1$ of $n=20$ users write a 1 wherever they may, the last user is accused with probability
$3.7\cdot10^{-7}$ at $\xi=10^{-8}$, and returned with at least a twentieth of that, $1.9\cdot10^{-8}>\xi$. For
smaller $\xi$ the gap grows: at $\xi=10^{-12}$ it is at least $8.2\cdot10^{-11}$, 82 times $\xi$.""",
        favour=r"""With the threshold $Z$ of Tardos (2008) the code is sound, complete and robust against
every adversary: tail bounds of the scores, computed for coalitions of all sizes, $n\le60$ and
$\xi\ge10^{-8}$, stay below $\xi$ (`:corrected`). Theorem C.5 and Lemma G.2 ask for the
existence of a code only, and stand.""",
        survives=r"""Everything, with accusation at $S_i>Z$; completeness at $Z/2$ as well.""",
    ),
)
CORRECTED = CLAIM.reading(
    "corrected",
    statement="As printed, with accusation at $S_i>Z$ (Tardos 2008), for every adversary.",
    expected=CONFIRMED,
    check=check_corrected,
    smoke=grid(n=8, security=1e-5),
    ci=grid(n=_N, security=_SECURITY),
    summary="Holds with the threshold $Z$.",
)
SCORES = CLAIM.reading(
    "scores",
    kind=Kind.IDENTITY,
    title="Means and variances of the scores",
    statement=r"""Innocent scores have mean $0$ and variance $d\Pr[c=1]$, and the coalition's total has mean
$d\,\mathbb E[c\sum U]$.""",
    expected=CONSISTENT,
    check=check_scores,
    smoke=[{"n": 3, "security": 0.5, "runs": 200}],
    ci=[{"n": 5, "security": 0.5, "runs": 400}],
    largest_resolution=1.0,
)
SIMULATED = CLAIM.reading(
    "simulated",
    title="Runs of the fingerprinting code",
    statement="""As `corrected`, for eleven strategies, two of them chosen adversarially by column, and
coalitions of random size, with the columns hidden.""",
    expected=CONSISTENT,
    check=check_simulated,
    smoke=[{"n": 3, "security": 0.1, "runs": 200}],
    ci=[{"n": 6, "security": 0.02, "runs": 600}],
    largest_resolution=0.2,
)
HISTOGRAM = CLAIM.reading(
    "histogram",
    kind=Kind.IDENTITY,
    title="Scores of guilty and innocent users",
    statement=r"""The score of an innocent user and the score of a member of the coalition follow the laws
that independent columns give, for strategies by counts and for the one that makes the coalition's total
smallest.""",
    expected=CONSISTENT,
    measure=measure_histogram,
    judge=judge_histogram,
    smoke=grid(n=4, security=0.1, strategy=("majority", "cheapest"), runs=500),
    ci=grid(n=6, security=0.1, strategy=("majority", "all ones", "cheapest"), runs=2000),
    largest_resolution=0.2,
    plots=[
        Plot(
            kind="curve", title=title, x="score", y="share", x_label="score over Z",
            y_label="share of runs a bin", claimed="law", series="user", select={"strategy": strategy},
        )
        for title, strategy in (
            ("Scores of guilty and innocent users", "majority"),
            ("Scores under the strategy with the smallest total", "cheapest"),
        )
    ],
)  # fmt: skip
CLAIMS = [CORRECTED, SCORES, SIMULATED, HISTOGRAM]
