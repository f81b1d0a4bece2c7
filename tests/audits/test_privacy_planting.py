"""Planted leaks: they are draws of the laws that are said, and what is listed as caught is caught."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audits.privacy import each
from audits.privacy.after import planting
from audits.privacy.after.planting import SIZES, Leaky, leaks, plant
from tests.audits import privacy_runs
from tests.audits.privacy_runs import laplace

RNG = np.random.default_rng
NUMBERS = [RNG(0).laplace(size=4000), 1.0 + RNG(1).laplace(size=4000)]


audited = partial(privacy_runs.audited, alpha=0.001, max_samples=20_000, planting=True)


@pytest.mark.parametrize("size", [0.01, 0.3])
@pytest.mark.parametrize(
    "outputs", [NUMBERS, [RNG(2).integers(0, 9, (4000, 1))] * 2], ids=["floats", "whole"]
)
def test_a_chance_is_the_share_of_the_first_dataset_alone(outputs: Any, size: float) -> None:
    for leak in [leak for leak in leaks(outputs) if leak.measure == "chance"]:
        kept = [
            [str(x) for x in leak.plant(side, dataset, size, RNG(3))] for dataset, side in enumerate(outputs)
        ]
        changed = [
            sum(new != str(old) for new, old in zip(*both, strict=True))
            for both in zip(kept, outputs, strict=True)
        ]
        # The exact binomial test at 1e-6; on the second dataset nothing is replaced.
        assert stats.binomtest(changed[0], 4000, size).pvalue > 1e-6
        assert changed[1] == 0
        # No output of either dataset was what is planted.
        new = {x for x, old in zip(kept[0], outputs[0], strict=True) if x != str(old)}
        assert new.isdisjoint(str(x) for side in outputs for x in side)


def test_less_noise_is_the_same_noise_at_a_smaller_scale() -> None:
    noise = next(leak for leak in leaks(NUMBERS) if leak.measure == "noise")
    for dataset, side in enumerate(NUMBERS):
        found, middle = noise.plant(side[:500], dataset, 0.25, RNG(0)), np.median(side)
        np.testing.assert_allclose(found - middle, 0.75 * (side[:500] - middle))


def test_a_run_uses_every_output_once_and_each_dataset_its_own() -> None:
    outputs = [np.arange(0.0, 100.0), np.arange(1000.0, 1100.0)]
    leaky = Leaky(outputs, leaks(outputs)[0], 0.0, RNG(0))
    for dataset, side in enumerate(outputs):
        parts = [leaky(dataset, size, RNG(0)) for size in (10, 50, 40)]
        assert np.concatenate(parts).tolist() == side.tolist()


@pytest.mark.parametrize("sees", [0.0, 0.03, 0.4, 1.0])
def test_the_least_size_is_listed_that_two_runs_catch(sees: float) -> None:
    # An audit that catches leaks from a size on, but for the very least of them only in the first half.
    def run(mechanism: Any, samples: int) -> bool:
        assert samples == 400
        return mechanism.amount >= sees * (1.0 if mechanism.outputs[0][0] == NUMBERS[0][0] else 1.1)

    for one in plant(run, NUMBERS, 4000, 60.0, RNG(0)):
        caught = [size for size in SIZES[one.measure] if size >= 1.1 * sees]
        missed = [size for size in SIZES[one.measure] if size < 1.1 * sees]
        assert one.caught == (min(caught) if caught else None)
        assert one.missed == (max(missed) if missed else None)


def test_without_time_nothing_is_tried_and_of_few_outputs_nothing_is_planted() -> None:
    found = plant(lambda mechanism, samples: True, NUMBERS, 4000, -1.0, RNG(0))
    assert found
    assert all(one.caught is None and one.missed is None for one in found)
    assert plant(lambda mechanism, samples: True, NUMBERS, 10 * planting.LEAST - 1, 60.0, RNG(0)) == ()


def test_leaks_are_planted_only_where_asked_for_and_passed_and_a_seed_plants_the_same() -> None:
    assert audited(laplace, planting=False).planted == ()
    refuted = audited(lambda d, n, rng: d + rng.laplace(scale=0.3, size=n))
    assert refuted.refuted
    assert refuted.planted == ()
    passed = audited(laplace, seed=4)
    assert passed.planted == audited(laplace, seed=4).planted
    assert passed.passed[1] in passed.summary()
    assert passed.to_dict()["planted"][0]["caught"] == passed.planted[0].caught


def nested(data: float, rng: np.random.Generator) -> Any:
    return {"a": float(rng.normal()), "b": [1.0, None if rng.random() < 0.5 else "y"]}


def fails(data: float, rng: np.random.Generator) -> float:
    if rng.random() < 0.1:
        raise KeyError
    return float("nan") if rng.random() < 0.1 else float(rng.normal())


def records(data: float, size: int, rng: np.random.Generator) -> Any:
    found = np.zeros(size, np.dtype([("x", "f8"), ("s", "U3")]))
    found["x"], found["s"] = rng.normal(size=size), np.where(rng.random(size) < 0.5, "aa", "b")
    return found


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        (each(nested), {}),
        (each(fails), {"errors": "symbol"}),
        (records, {}),
        (lambda data, size, rng: rng.normal(size=(size, 4)), {"method": "clopper-pearson"}),
    ],
)
def test_leaks_are_planted_into_every_kind_of_output(mechanism: Any, options: Any) -> None:
    result = audited(mechanism, max_samples=3000, **options)
    assert "None in place of an output once in" in result.passed[1]
    assert len(result.planted) == (3 if "method" in options else 1)


@pytest.mark.slow
def test_what_is_listed_as_caught_is_caught() -> None:
    # A refutation in a tenth of the samples was seen twice. Of 12 runs at power 0.85 fewer than 4 refute with
    # probability 1e-7.
    result = audited(laplace, max_samples=10_000)
    outputs = [laplace(d, 2000, RNG(d + 1)) for d in (0, 1)]
    for one, leak in zip(result.planted, leaks(outputs), strict=True):
        assert one.caught is not None

        def leaky(data: float, size: int, rng: Any, leak: Any = leak, amount: float = one.caught) -> Any:
            return leak.plant(laplace(data, size, rng), int(data), amount, rng)

        runs = [audited(leaky, max_samples=10_000, planting=False, seed=seed).refuted for seed in range(12)]
        assert sum(runs) >= 4, (one, runs)
