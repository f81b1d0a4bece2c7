r"""Preconditions: the programs of both algorithms and of the lower bounds refuse what their texts exclude,
and take what lies just inside.

A chain that is cut before it is near its law, a loss that is steeper than the rejection allows, a rule that
breaks the marking condition or a packing of a single dimension would give numbers that look like any other.
The statements rest on the precondition, so a program that drops it is as wrong as one with another formula.

How it is checked. Each program is called with one argument outside its range, all others inside, and must
raise ValueError; and with arguments at the last value inside, which it must take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid
from claims.lee2024 import PAPER
from implementations import domains
from implementations.lee2024 import (
    coalitions,
    fingerprinting,
    gopi_lee_liu_sampler,
    l1_instance,
    lipschitz_extension,
    low_rank,
    packing,
    product_sampler,
    proximal_sampler,
    regularised_exponential,
    subsampling,
)
from implementations.lee2024.proximal_sampler import Schedule

Call = Callable[[], Any]
Cases = tuple[list[Call], list[Call]]
"""Calls that must be refused, and calls that must be taken."""


def varied(function: Callable[..., Any], inside: Mapping[str, Any], **outside: Any) -> list[Call]:
    """One call for each value outside: all other arguments as inside; a list holds several values."""
    return [
        partial(function, **{**inside, name: value})
        for name, values in outside.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def of_parameters(_: np.random.Generator) -> Cases:
    inside = {
        "n": 3, "epsilon": 0.4, "delta": 0.1, "rank": 1, "lipschitz": 1.0, "radius": 1.0,
        "inverse_temperature": "log-above", "regulariser": "plain",
    }  # fmt: skip
    chosen = regularised_exponential.parameters(**inside)
    refused = varied(
        regularised_exponential.parameters, inside, n=0, epsilon=0.0, delta=[0.0, 1.0], rank=0, lipschitz=0.0,
        radius=0.0, inverse_temperature="log", regulariser="none",
    )  # fmt: skip
    refused += varied(chosen.gaussian_mu, {"n": 3, "lipschitz": 1.0}, n=0, lipschitz=0.0)
    return refused, [lambda: regularised_exponential.parameters(**{**inside, "n": 1, "delta": 0.999})]


def of_product(rng: np.random.Generator) -> Cases:
    law = product_sampler.potential(np.zeros((2, 1)), np.ones((2, 1)))
    refused = varied(
        product_sampler.potential, {"knots": np.zeros((2, 1)), "weights": np.ones((2, 1))},
        knots=[np.zeros((1, 2)), np.full((2, 1), math.nan), np.zeros(2), np.zeros((3, 1))],
        weights=[-np.ones((2, 1)), np.full((2, 1), math.inf), np.ones(2)],
        tilt=[np.zeros(3), np.array([math.nan, 0.0])],
    )  # fmt: skip
    refused.append(lambda: product_sampler.potential(np.zeros((2, 0)), np.zeros((2, 0))))
    refused.append(lambda: product_sampler.potential(np.zeros(3), np.ones(3)))
    refused += varied(
        product_sampler.sample,
        {"law": law, "size": 1, "rng": rng, "strength": 1.0},
        size=0,
        strength=[0.0, -1.0],
    )
    return refused, [lambda: product_sampler.potential(np.zeros((2, 1)), np.zeros((2, 1)))]


def of_proximal(rng: np.random.Generator) -> Cases:
    needed = proximal_sampler.steps_needed(lipschitz=1.0, strength=1.0, step_size=0.25, tolerance=0.1)

    def slope(steepness: float) -> proximal_sampler.Values:
        return lambda x: steepness * np.abs(x[:, 0] - 30.0)

    inside = {
        "values": slope(1.0), "size": 40, "rng": rng, "dimension": 1, "lipschitz": 1.0, "strength": 1.0,
        "schedule": Schedule(steps=needed, tolerance=0.1),
    }  # fmt: skip
    refused = varied(
        proximal_sampler.sample, inside, values=slope(1.5), size=0, dimension=0, lipschitz=0.0, strength=0.0,
        schedule=Schedule(steps=needed - 1, tolerance=0.1),
    )  # fmt: skip
    refused += varied(Schedule, {"steps": 1, "tolerance": 0.1}, steps=0, tolerance=0.0, step_size=0.0)
    scale = {"lipschitz": 1.0, "strength": 1.0, "step_size": 1.0, "tolerance": 0.1}
    refused += varied(
        proximal_sampler.steps_needed, scale, lipschitz=0.0, strength=0.0, step_size=0.0, tolerance=0.0
    )
    longer = {**inside, "schedule": Schedule(steps=needed + 1, tolerance=0.1, step_size=0.25)}
    return refused, [partial(proximal_sampler.sample, **case) for case in (inside, longer)]


def of_queried(rng: np.random.Generator) -> Cases:
    inside = {
        "losses": lambda x, index: np.abs(x[:, 0]), "count": 1, "size": 1, "rng": rng, "dimension": 1,
        "lipschitz": 1.0, "strength": 1.0, "tolerance": 0.1,
    }  # fmt: skip
    refused = varied(
        gopi_lee_liu_sampler.sample, inside, count=0, size=0, dimension=0, lipschitz=0.0, strength=0.0,
        tolerance=[0.0, 1.0],
    )  # fmt: skip
    return refused, [partial(gopi_lee_liu_sampler.sample, **inside)]


def of_completion(rng: np.random.Generator) -> Cases:
    inside = {"coordinates": np.zeros((3, 1)), "basis": np.array([[1.0], [0.0]]), "rng": rng, "strength": 1.0}
    bases = [np.array([[1.1], [0.0]]), np.zeros((2, 2)), np.array([1.0, 0.0])]
    refused = varied(
        low_rank.embed, inside, coordinates=[np.zeros(3), np.zeros((3, 2))], basis=bases, strength=0.0
    )
    refused.append(
        lambda: low_rank.embed(np.zeros((3, 2)), np.ones((2, 2)) / math.sqrt(2.0), rng, strength=1.0)
    )
    return refused, [partial(low_rank.embed, **inside)]


def of_code(rng: np.random.Generator) -> Cases:
    code = fingerprinting.generate(2, 0.5, rng)
    hidden = fingerprinting.generate_hidden(2, 0.5, rng)
    word, long_word = code.words[0], hidden.words[0]
    refused: list[Call] = []
    for function in (fingerprinting.length, fingerprinting.score_scale):
        refused += varied(function, {"n": 2, "security": 0.5}, n=0, security=[0.0, 1.0])
    refused += varied(fingerprinting.cutoff, {}, n=0)
    refused += varied(
        fingerprinting.scores, {"code": code}, pirate=[word[1:], 2 * np.ones_like(word), long_word]
    )
    refused += varied(fingerprinting.accused, {"code": code, "pirate": word}, threshold="none")
    refused += varied(fingerprinting.uncover, {"hidden": hidden}, pirate=[word, 2 * np.ones_like(long_word)])
    return refused, [
        lambda: fingerprinting.cutoff(1),
        lambda: fingerprinting.scores(code, np.zeros_like(word)),
    ]


def of_coalitions(rng: np.random.Generator) -> Cases:
    words = np.array([[0, 1, 0, 1], [0, 1, 1, 0]], dtype=np.int8)
    inside = {"words": words, "rule": np.array([0.0, 0.5, 1.0]), "rng": rng}
    rules = [[0.0, 1.0], [0.0, 1.5, 1.0], [0.0, -0.5, 1.0], [0.1, 0.5, 1.0], [0.0, 0.5, 0.9]]
    refused = varied(coalitions.by_count, inside, rule=[np.array(rule) for rule in rules])
    refused += varied(coalitions.rules, {}, members=0)
    broken = {"pirate": words[0], "words": words, "fraction": 0.5, "rng": rng}
    refused += varied(coalitions.break_columns, broken, fraction=[-0.1, 0.75, 1.1, math.nan])
    return refused, [partial(coalitions.by_count, **inside), partial(coalitions.break_columns, **broken)]


def of_instance(rng: np.random.Generator) -> Cases:
    data = np.zeros((2, 3))
    refused = varied(
        l1_instance.copy_and_append, {"data": data, "n": 5, "copies": 2}, n=[0, 4 - 1, 6], copies=0
    )
    refused += varied(l1_instance.pad, {"data": data, "n": 2}, n=1)
    private = {"n": 4, "size": 1, "rng": rng, "epsilon": 0.5, "delta": 0.1}
    for mechanism in (
        l1_instance.noisy_mean,
        l1_instance.noisy_median_sign,
        l1_instance.exponential_mechanism,
    ):
        inside = {**private, "ones": np.ones(2)}
        refused += varied(mechanism, inside, ones=np.array([1.0, math.nan]), epsilon=-0.1, delta=[0.0, 1.0])
    return refused, [lambda: l1_instance.pad(data, 2), lambda: l1_instance.copy_and_append(data, 5, 2)]


def of_extension(_: np.random.Generator) -> Cases:
    point, z = np.zeros((1, 2)), np.array([1.0, 0.0])
    refused = varied(
        lipschitz_extension.linear_on_ball, {"theta": point, "z": z}, theta=np.full((1, 2), math.nan),
        z=[1.001 * z, np.array([math.nan, 0.0])],
    )  # fmt: skip
    cover = {"values": np.zeros(1), "cover": point, "lipschitz": 1.0, "x": point}
    refused += varied(lipschitz_extension.on_cover, cover, lipschitz=0.0)
    refused += varied(lipschitz_extension.extended_risk, {"theta": point}, losses=[[]])
    reduction = {"outputs": point, "domain": domains.ball(1.0)}
    refused += varied(
        lipschitz_extension.unconstrained_reduction, reduction, outputs=np.full((1, 2), math.inf)
    )
    return refused, [lambda: lipschitz_extension.linear_on_ball(point, z)]


def of_packing(rng: np.random.Generator) -> Cases:
    refused = varied(packing.generator_matrix, {"rng": rng}, d=1)
    refused += varied(packing.words, {}, generator=np.zeros((21, 42), dtype=np.int8))
    refused += varied(packing.points, {}, code=np.array([[0, 2]], dtype=np.int8))
    refused += varied(packing.radius_count, {"d": 4, "epsilon": 1.0}, d=0, epsilon=0.0)
    refused += varied(packing.dataset, {"point": np.ones(2), "n": 2, "copies": 1}, n=0, copies=0)
    return refused, [lambda: packing.generator_matrix(2, rng)]


def of_subsampling(rng: np.random.Generator) -> Cases:
    def count(part: Any, _: np.random.Generator) -> int:
        return len(part)

    drawn = {"algorithm": count, "data": np.zeros(3), "rate": 0.5, "rng": rng}
    refused = varied(subsampling.subsampled, drawn, rate=[0.0, 1.1, math.nan])
    exact = {"law": lambda part: {len(part): 1.0}, "data": (0, 1), "rate": 0.5}
    refused += varied(subsampling.exact_law, exact, rate=[0.0, 1.1, math.nan])
    refused.append(lambda: subsampling.exact_law(lambda part: {0: 1.0}, (0,) * 21, 0.5))
    return refused, [lambda: subsampling.subsampled(count, np.zeros(3), 1.0, rng)]


PROGRAMS: dict[str, Callable[[np.random.Generator], Cases]] = {
    "parameters": of_parameters,
    "exact sampler": of_product,
    "proximal sampler": of_proximal,
    "sampler of Gopi, Lee and Liu": of_queried,
    "completion": of_completion,
    "code": of_code,
    "coalitions": of_coalitions,
    "instance": of_instance,
    "extension": of_extension,
    "packing": of_packing,
    "subsampling": of_subsampling,
}


def raises(call: Call) -> bool:
    """Whether a call ends in ValueError; another error is passed on."""
    try:
        call()
    except ValueError:
        return True
    return False


def check(point: Point) -> Iterator[Evidence]:
    refused, taken = PROGRAMS[point.program](np.random.default_rng(59))
    for i, call in enumerate(refused):
        yield equals(f"refusals of call {i + 1} outside its range", int(raises(call)), 1, point=point.axes)
    for i, call in enumerate(taken):
        yield equals(f"refusals of call {i + 1} inside its range", int(raises(call)), 0, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Preconditions",
    "algorithms 1 and 2, sections 2 and 3",
    kind=Kind.IDENTITY,
    title="What the programs refuse",
    statement=r"""The programs refuse arguments outside the ranges of their texts: $\delta\notin(0,1)$, chains
that are too short for their tolerance, losses steeper than $G$, rules against the marking condition, bases
that are not orthonormal, sampling rates outside $(0,1]$; and take the last values inside.""",
    role="program",
    expected=CONFIRMED,
    check=check,
    smoke=grid(program=tuple(PROGRAMS)),
    ci=grid(program=tuple(PROGRAMS)),
)
