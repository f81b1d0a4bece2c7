r"""Algorithm 2, the programs: Gen draws the code that is printed, Trace computes the printed scores and
returns one of the accused users at random; the coalitions do what their names say.

The security of the code (`definition-c.4`) is decided from formulas for its law. A program that draws another
code, flips its bits, leaves the cut-off out or scores without normalising would leave those formulas as they
are; so the programs are held against the text here. Printed are the length d = 100n²·log(n/ξ), t = 1/(300n),
sin²t′ = t, r uniform on [t′, π/2 − t′], p = sin²r, Z = 20n·log(n/ξ), q = √((1 − p)/p), scores Σ c_j·U_ij,
2d columns of zeros and 2d of ones, a uniform permutation. Left open is what a non-integral d means (it is
rounded up here), and the threshold: Z/2 as printed and Z of Tardos are both there, by name.

How it is checked. Exactly (`algorithm-2`): d, t and Z; scores against a double sum; users accused just below
and just above each threshold, for pirate words that are cut off where a score has reached a wanted value;
dummy columns and their removal; the rules of the coalitions. By sampling (`:laws`): the angles of the means,
bits given the means, all pairs of users, neighbouring columns, the places that the permutation gives, who
is returned, what a rule writes, whom a copier copies and which columns are broken."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from audits.judge import at_least
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, drawn_from, equals, grid, mean_equals
from claims.lee2024 import PAPER
from claims.lee2024.algorithm_1 import Draw, uniform
from implementations.lee2024 import coalitions, fingerprinting

Array = np.ndarray


# --- Exactly -------------------------------------------------------------------------------------------


def numbers(point: Point) -> Iterator[Evidence]:
    n, security = point.n, point.security
    log = math.log(n / security)
    d, z, t = fingerprinting.length(n, security), fingerprinting.score_scale(n, security), 300.0 * n
    yield equals("d", d, math.ceil(100.0 * n**2 * log), point=point.axes)
    yield equals("Z", z, 20.0 * n * log, point=point.axes)
    yield equals("1/t", 1.0 / fingerprinting.cutoff(n), t, point=point.axes)
    yield equals("threshold “printed” over Z", fingerprinting.THRESHOLDS["printed"], 0.5)
    yield equals("threshold “tardos” over Z", fingerprinting.THRESHOLDS["tardos"], 1.0)


def weights(code: fingerprinting.Codebook) -> Array:
    """U_ij: q_j = √((1 − p_j)/p_j) for a 1, −1/q_j for a 0, (n, d)."""
    q = np.sqrt((1.0 - code.means) / code.means)
    return np.where(code.words == 1, q, -1.0 / q)


def score_values(code: fingerprinting.Codebook, rng: np.random.Generator) -> Iterator[Evidence]:
    u = weights(code)
    for share in (0.0, 0.2, 1.0):
        pirate = (rng.random(code.means.size) < share).astype(np.int8)
        expected = (pirate * u).sum(axis=1)
        error = float(np.abs(fingerprinting.scores(code, pirate) - expected).max())
        size = 1.0 + float(np.abs(u).sum(axis=1).max())
        yield equals(f"largest error of a score, share {share:g} of ones", error / size, 0.0, error=1e-12)


def accusations(code: fingerprinting.Codebook, security: float) -> Iterator[Evidence]:
    """A word that copies one user until his score passes a multiple of Z, and is zero from there on."""
    u = weights(code)
    z = 20.0 * len(code.words) * math.log(len(code.words) / security)
    for user in (0, len(code.words) - 1):
        running = np.cumsum(code.words[user] * u[user])
        for wanted in (0.4, 0.6, 0.9, 1.1):
            last = int(np.argmax(running > wanted * z))
            pirate = code.words[user].copy()
            pirate[last + 1 :] = 0
            totals = (pirate * u).sum(axis=1)
            for threshold, factor in (("printed", 0.5), ("tardos", 1.0)):
                found = fingerprinting.accused(code, pirate, threshold=threshold)
                wrong = int((found != (totals > factor * z)).sum())
                yield equals(f"wrong accusations at {wanted:g} Z, {threshold}", wrong, 0)
        opposite = (1 - code.words[user]).astype(np.int8)
        found = fingerprinting.accused(code, opposite, threshold="tardos")[user]
        yield equals("a user accused of the opposite of his word", int(found), 0)


def dummies(n: int, security: float, rng: np.random.Generator) -> Iterator[Evidence]:
    hidden = fingerprinting.generate_hidden(n, security, rng)
    d = hidden.inner.means.size
    straight = np.empty_like(hidden.words)
    straight[:, hidden.order] = hidden.words
    wrong = int((straight[:, :d] != hidden.inner.words).sum())
    wrong += int(straight[:, d : 3 * d].sum()) + int((straight[:, 3 * d :] != 1).sum())
    yield equals("columns of the hidden code", hidden.words.shape[1], 5 * d)
    yield equals("wrong bits of the hidden code", wrong, 0)
    uncovered = sum(
        int((fingerprinting.uncover(hidden, hidden.words[i]) != hidden.inner.words[i]).sum())
        for i in range(n)
    )
    yield equals("bits of an uncovered word that differ from the code", uncovered, 0)
    silent = np.zeros(5 * d, dtype=np.int8)
    for threshold in fingerprinting.THRESHOLDS:
        nobody = fingerprinting.trace(hidden, silent, rng, threshold=threshold) is None
        yield equals(f"a word of zeros is traced to nobody, {threshold}", int(nobody), 1)


def rule_by_name(name: str, count: int, members: int) -> Fraction:
    """What a named strategy writes where `count` of the members have a 1, as a probability."""
    share = Fraction(count, members)
    if count in (0, members):
        return share
    return {
        "majority": Fraction(int(2 * count >= members)),
        "minority": Fraction(int(2 * count < members)),
        "random": Fraction(1, 2),
        "all ones": Fraction(1),
        "all zeros": Fraction(0),
        "spread": share,
        "against the mean": 1 - share,
        "odd counts": Fraction(count % 2),
        "even counts": Fraction(1 - count % 2),
    }[name]


def strategies(rng: np.random.Generator) -> Iterator[Evidence]:
    yield at_least("strategies by name", len(coalitions.rules(3)), 7)
    for s in range(1, 7):
        for name, rule in coalitions.rules(s).items():
            wrong = max(abs(float(rule[k]) - float(rule_by_name(name, k, s))) for k in range(s + 1))
            yield equals(f"largest error of the rule “{name}”, {s} members", wrong, 0.0, error=1e-12)
        words = rng.integers(0, 2, (s, 400), dtype=np.int8)
        counts = words.sum(axis=0)
        sure = np.asarray(np.arange(s + 1) % 2, dtype=np.float64)
        sure[0], sure[-1] = 0.0, 1.0
        written = coalitions.by_count(words, sure, rng)
        yield equals("columns against a rule without chance", int((written != sure[counts]).sum()), 0)
        rounded = coalitions.average_then_round(words)
        yield equals("errors of the rounded average", int((rounded != (2 * counts >= s)).sum()), 0)
        chosen = coalitions.against_members(words)
        free = (counts > 0) & (counts < s)
        turns = words[np.arange(400) % s, np.arange(400)]
        wrong = int((chosen[free] == turns[free]).sum()) + int((chosen[~free] != words[0][~free]).sum())
        yield equals("columns not written against the member whose turn it is", wrong, 0)
        copied = coalitions.copy_member(words, rng)
        yield equals("a copier copies somebody’s word", int((words == copied).all(axis=1).any()), 1)
        agreed = (counts == 0) | (counts == s)
        fraction = 0.5 * float(agreed.mean())
        flipped = coalitions.break_columns(rounded, words, fraction, rng) != rounded
        yield equals("columns that were broken", int(flipped.sum()), math.floor(fraction * 400))
        yield equals("broken columns where the members differ", int(flipped[~agreed].sum()), 0)


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(43)
    yield from numbers(point)
    if point.n <= 8:
        code = fingerprinting.generate(point.n, point.security, rng)
        yield equals("users of the code", code.words.shape[0], point.n)
        t = (1.0 - 1e-9) / (300.0 * point.n)
        outside = int(((code.means < t) | (code.means > 1.0 - t)).sum())
        yield equals("means outside [t, 1 − t]", outside, 0)
        yield equals("columns of the code", code.words.shape[1], math.ceil(
            100.0 * point.n**2 * math.log(point.n / point.security)))  # fmt: skip
        yield from score_values(code, rng)
        yield from accusations(code, point.security)
        yield from dummies(point.n, point.security, rng)
        yield from strategies(rng)


# --- Laws ----------------------------------------------------------------------------------------------


def of_bits(bits: Array, p: Array, rng: np.random.Generator) -> Array:
    """Ranks of bits: uniform where a bit is 1 with probability p, whatever p is."""
    spread = rng.random(bits.shape)
    return np.where(bits == 1, 1.0 - p + p * spread, (1.0 - p) * spread)


def of_code(point: Point) -> Iterator[Draw]:
    n, rng = point.n, point.rng
    code = fingerprinting.generate(n, point.security, rng)
    angle = np.arcsin(np.sqrt(code.means))
    edge = math.asin(math.sqrt(1.0 / (300.0 * n)))
    yield "angle of a mean", (angle - edge) / (0.5 * math.pi - 2.0 * edge), uniform
    ranks = of_bits(code.words, code.means, rng)
    for name, some in (("small", code.means < 0.2), ("large", code.means > 0.8), ("other", code.means > 0.0)):
        yield f"ranks of the first user’s bits, {name} means", ranks[0, some], uniform
    yield "ranks of neighbouring columns, added modulo 1", (ranks[0, 1:] + ranks[0, :-1])[::2] % 1.0, uniform


def of_order(point: Point) -> Iterator[Draw]:
    """The places of a column of the code, of the dummies, and how far neighbours are from each other."""
    orders = [fingerprinting.generate_hidden(2, 0.5, point.rng).order for _ in range(point.runs)]
    table = np.array(orders, dtype=float)
    columns = table.shape[1]
    spread = point.rng.random(table.shape)
    places = (table + spread) / columns
    for name, column in (("a column of the code", 0), ("a dummy of zeros", columns // 2), ("of ones", -1)):
        yield f"place of {name}", places[:, column], uniform
    yield "distance of two columns, modulo the length", (places[:, 1] - places[:, 0]) % 1.0, uniform


def of_choices(point: Point) -> Iterator[Draw]:
    rng = point.rng
    words = rng.integers(0, 2, (4, 6 * point.runs), dtype=np.int8)
    rule = np.array([0.0, 0.15, 0.5, 0.8, 1.0])
    written = coalitions.by_count(words, rule, rng)
    yield "what a rule writes", of_bits(written, rule[words.sum(axis=0)], rng), uniform
    copied = []
    for _ in range(point.runs):
        word = coalitions.copy_member(words[:, :40], rng)
        copied.append(int(np.argmax((words[:, :40] == word).all(axis=1))))
    yield "who is copied", (np.array(copied) + rng.random(point.runs)) / 4.0, uniform
    agreed = np.zeros((3, 30 * point.runs), dtype=np.int8)
    flipped = np.flatnonzero(coalitions.break_columns(agreed[0], agreed, 0.05, rng))
    yield "places of broken columns", (flipped + rng.random(flipped.size)) / agreed.shape[1], uniform


def rare_bits(rng: np.random.Generator, alpha: float) -> Iterator[Evidence]:
    """The ones of 20 users in the columns of the least means, from t = 1/6000 to 1/2000: about 26 in all."""
    code = fingerprinting.generate(20, 1e-6, rng)
    rare = code.means < 5e-4
    bits, wanted = code.words[:, rare].ravel().astype(float), float(code.means[rare].mean())
    # Of independent bits with one average of the means, equal means have the widest law (Hoeffding 1956).
    yield mean_equals(
        "share of ones where the mean is below 1/2000",
        bits,
        wanted,
        alpha=alpha,
        method="clopper-pearson",
        largest_resolution=2.0 * wanted,
    )


def check_laws(point: Point) -> Iterator[Evidence]:
    found = [draw for part in (of_code, of_order, of_choices) for draw in part(point)]
    n, rng = point.n, point.rng
    hidden = fingerprinting.generate_hidden(n, point.security, rng)
    everybody = coalitions.by_count(hidden.words, coalitions.rules(n)["spread"], rng)
    totals = fingerprinting.uncover(hidden, everybody) @ weights(hidden.inner).T
    guilty = np.flatnonzero(totals > 20.0 * n * math.log(n / point.security))
    pairs = list(itertools.combinations(range(n), 2))
    levels = point.split(len(found) + guilty.size + len(pairs) + 1)
    yield from rare_bits(rng, levels.pop())
    for alpha, (quantity, draws, distribution) in zip(levels, found, strict=False):
        yield drawn_from(quantity, draws, distribution, alpha=alpha)
    returned = np.array(
        [fingerprinting.trace(hidden, everybody, rng, threshold="tardos") for _ in range(point.runs)]
    )
    yield at_least("users above the threshold", guilty.size, 2, note="so that Trace has a choice")
    code = hidden.inner
    for alpha, (i, j) in zip(levels[len(found) + guilty.size :], pairs, strict=True):
        agree = (code.words[i] == code.words[j]) - (code.means**2 + (1.0 - code.means) ** 2)
        yield mean_equals(
            f"bits of users {i + 1} and {j + 1} that agree, less their share", agree, 0.0, alpha=alpha,
            largest_resolution=0.1,
        )  # fmt: skip
    for alpha, user in zip(levels[len(found) : len(found) + guilty.size], guilty, strict=True):
        yield mean_equals(
            f"share of runs that return user {user}", (returned == user).astype(float), 1.0 / guilty.size,
            alpha=alpha, method="clopper-pearson", largest_resolution=0.3,
        )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Algorithm 2",
    "appendix C.2",
    kind=Kind.IDENTITY,
    title="Lengths, scores, thresholds and dummy columns of the code",
    statement=r"""The implementation has $d=\lceil100n^2\log(n/\xi)\rceil$, $t=1/(300n)$,
$Z=20n\log(n/\xi)$, scores $S_i=\sum_jc_jU_{ij}$, accusations above $Z/2$ and above $Z$, $2d$ columns of
zeros and $2d$ of ones, and coalitions that write what their names say.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=4, security=0.1),
    ci=grid(n=(2, 3, 8, 60), security=(0.5, 1e-3)),
)
LAWS = CLAIM.reading(
    "laws",
    title="The code and its coalitions follow their laws",
    statement=r"""Means are $\sin^2r$ with $r$ uniform on $[t',\frac\pi2-t']$, bits are independent given
the means, the permutation is uniform, Trace returns each accused user equally often, and the coalitions
write, copy and break with the stated probabilities.""",
    expected=CONSISTENT,
    check=check_laws,
    smoke=grid(n=3, security=0.1, runs=400),
    ci=grid(n=5, security=0.1, runs=1500),
    largest_resolution=0.35,
)
CLAIMS = [LAWS]
