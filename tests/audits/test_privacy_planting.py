"""Planted leaks: they are draws of the laws that are said, and what is listed as caught is caught."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audits.privacy import AuditResult, audit_privacy, each
from audits.privacy.after import planting
from audits.privacy.after.leaks import PlantedLeak, battery, put
from audits.privacy.after.planting import Leaky, Passed, plant, size_for
from audits.privacy.claims import Approximate, Pure
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded
from audits.privacy.result import once_in

RNG = np.random.default_rng
ALPHA = 1e-6
"""False-alarm probability of each statistical test, its fixed seed aside."""


def audited(mechanism: Any, **options: Any) -> AuditResult:
    settings = {"epsilon": 1.0, "alpha": 0.001, "max_samples": 20_000, "planting": True, **options}
    return audit_privacy(mechanism, [(0.0, 1.0)], adjacency=lambda a, b: True, **settings)


def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


def columns(outputs: Any) -> Encoded:
    """Outputs as columns of numbers."""
    return Encoder().encode(np.asarray(outputs), "here")


def passed(run: Any = lambda *_: (True, True), **changes: Any) -> Passed:
    settings = {"samples": 60_000, "claim": Pure(1.0), "alpha": 0.001}
    return Passed(**{**settings, "run": run, **changes})


# --- The laws ----------------------------------------------------------------------------------------


def agrees(hits: Any, share: float) -> bool:
    """Whether a count of hits is one of this share, by the exact binomial test."""
    return bool(stats.binomtest(int(np.sum(hits)), len(hits), share).pvalue > ALPHA)


@pytest.mark.parametrize("size", [0.01, 0.3])
def test_a_chance_is_the_share_of_the_first_dataset_alone(size: float) -> None:
    outputs = RNG(0).normal(size=40_000)
    for leak, inside in ((PlantedLeak("value", "chance", put(7.25)), lambda x: x == 7.25),):
        p, q = leak.law(size, 1.0)
        assert (p, q) == (size, 0.0)
        assert agrees(inside(leak.plant(columns(outputs), 0, size, RNG(1)).values[:, 0]), p)
        assert not inside(leak.plant(columns(outputs), 1, size, RNG(2)).values).any()


def test_a_common_output_becomes_as_common_as_its_law_says() -> None:
    rng = RNG(3)
    first, second = rng.random(40_000) < 0.4, rng.random(40_000) < 0.3
    leak = PlantedLeak("more", "chance", put(True), (0.4, 0.3))
    p, q = leak.law(0.25, 1.0)
    assert p == pytest.approx(0.4 + 0.6 * 0.25)
    assert agrees(leak.plant(columns(first), 0, 0.25, RNG(4)).values[:, 0], p)
    assert agrees(leak.plant(columns(second), 1, 0.25, RNG(5)).values[:, 0], q)


def test_less_noise_is_laplace_noise_of_a_smaller_scale() -> None:
    outputs = [laplace(d, 20_000, RNG(11 + d)) for d in (0, 1)]
    kinds = battery(columns(outputs[0]), columns(outputs[1]), Encoder())
    noise = next(leak for leak in kinds if leak.measure == "noise")
    found = noise.plant(columns(outputs[1]), 1, 0.25, RNG(13)).values[:, 0]
    middle = float(np.median(outputs[1]))
    # Shrunk towards the median exactly, so its law is the one of a scale of three quarters.
    assert np.allclose(found - middle, 0.75 * (outputs[1] - middle))
    assert noise.law(0.25, 1.0) == pytest.approx((0.5, 0.5 * math.exp(-1.0 / 0.75)))


@pytest.mark.parametrize("samples", [500.0, 50_000.0])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.5, 1e-3)])
def test_the_size_is_that_at_which_log_wealth_reaches_the_bar(
    samples: float, epsilon: float, delta: float
) -> None:
    # One output on one dataset: the nearest law of the claim has q = (p − δ)·e^(−ε), found here by search.
    leak = PlantedLeak("value", "chance", put(0.0))
    audit = passed(claim=Approximate(epsilon, delta))
    size = size_for(leak, samples, audit)
    assert size is not None

    def growth(w: float) -> float:
        p0 = np.linspace(delta, min(1.0 - 1e-9, w + delta + 1e-9), 400_001)[1:]
        q0 = np.clip((p0 - delta) * math.exp(-epsilon), 1e-15, None)
        first = w * np.log(w / p0) + (1.0 - w) * np.log((1.0 - w) / (1.0 - p0))
        return float((first - np.log1p(-q0)).min())

    needed = math.log(1000.0) / samples
    assert growth(size) >= needed * (1.0 - 1e-3)
    assert growth(size / 1.01) <= needed * (1.0 + 1e-3)


def test_no_size_is_enough_where_there_are_too_few_samples() -> None:
    assert size_for(PlantedLeak("value", "chance", put(0.0)), 3.0, passed()) is None


def test_words_of_a_chance_are_rounded_towards_the_more_frequent() -> None:
    for chance in (0.3, 0.0123, 4.56e-5):
        said = 1.0 / float(once_in(chance).removeprefix("once in ").replace(",", ""))
        assert chance * (1.0 - 1e-9) <= said <= 1.2 * chance


# --- Runs --------------------------------------------------------------------------------------------


def test_a_run_uses_every_output_once_and_each_dataset_its_own() -> None:
    from audits.privacy.draw.datasets import Dataset

    pools = [columns(np.arange(0.0, 100.0)), columns(np.arange(1000.0, 1100.0))]
    nothing = PlantedLeak("nothing", "chance", put(-1.0))
    leaky = Leaky(pools, 70, nothing, 0.0, RNG(0))
    for side, pool in enumerate(pools):
        parts = [leaky.draw(Dataset(side), size, RNG(0), "here").values for size in (10, 50, 40)]
        assert sorted(np.concatenate(parts)[:, 0]) == pool.values[:, 0].tolist()


def test_an_audit_that_sees_nothing_lists_nothing_as_caught_and_says_so() -> None:
    outputs = [laplace(d, 20_000, RNG(d)) for d in (0, 1)]
    found = plant(passed(lambda *_: (False, True)), outputs, Encoder(), 60.0, RNG(0))
    assert found
    assert all(one.caught is None and one.missed is not None for one in found)
    # The largest sizes were tried before a kind is said to be missed.
    assert all(one.missed >= 0.05 for one in found if one.missed is not None)


def test_half_of_the_runs_are_not_enough() -> None:
    outputs = [laplace(d, 20_000, RNG(d)) for d in (0, 1)]
    turns = iter(range(10**6))
    found = plant(passed(lambda *_: (next(turns) % 2 == 0, True)), outputs, Encoder(), 60.0, RNG(0))
    assert all(one.caught is None for one in found)


def test_an_audit_that_is_cut_off_says_what_was_not_tried() -> None:
    outputs = [laplace(d, 20_000, RNG(d)) for d in (0, 1)]
    found = plant(passed(), outputs, Encoder(), 1e-9, RNG(0))
    assert all(one.caught is None and one.missed is None for one in found)


def test_the_text_of_a_pass_has_two_lines_and_its_json_the_sizes() -> None:
    result = audited(laplace)
    assert [label for label, _ in result.worth] == ["caught", "not caught"]
    assert "exactly once in" in result.worth[0][1]
    assert result.would_have_caught in result.summary()
    assert all(one.brief in result.would_have_caught for one in result.planted[:2])
    document = result.to_dict()["planted"]
    assert any(one["caught"] is not None for one in document)


def test_a_seed_plants_the_same_leaks_again_whatever_the_clock_says() -> None:
    first, second = (audited(laplace, seed=4).planted for _ in range(2))
    assert first == second


def test_planted_runs_take_no_more_samples_than_their_share() -> None:
    outputs = [laplace(d, 20_000, RNG(d)) for d in (0, 1)]
    drawn: list[int] = []

    def run(leaky: Leaky, samples: int, seconds: float, rng: Any) -> tuple[bool, bool]:
        leaky.samples += samples
        drawn.append(samples)
        return False, True

    plant(passed(run), outputs, Encoder(), 60.0, RNG(0))
    allowed = max(planting.SHARE * 60_000, planting.LEAST)
    assert allowed <= sum(drawn) < allowed + max(drawn)


def test_nothing_is_planted_where_it_was_not_asked_for_or_nothing_passed() -> None:
    assert audited(laplace, planting=False).planted == ()
    refuted = audited(lambda d, n, rng: d + rng.laplace(scale=0.3, size=n))
    assert refuted.verdict == "refuted"
    assert refuted.planted == ()


def mixed(data: float, rng: np.random.Generator) -> Any:
    return None if rng.random() < 0.3 else float(rng.normal())


def nested(data: float, rng: np.random.Generator) -> Any:
    return {"a": float(rng.normal()), "b": [1.0, "x" if rng.random() < 0.5 else "y"]}


RECORD = np.dtype([("x", "f8"), ("s", "U3")])


def records(data: float, size: int, rng: np.random.Generator) -> Any:
    found = np.zeros(size, RECORD)
    found["x"], found["s"] = rng.normal(size=size), np.where(rng.random(size) < 0.5, "aa", "b")
    return found


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (each(mixed), "output = None in place"),
        (each(nested), "output['a']"),
        (each(lambda data, rng: [float(rng.normal())] * int(rng.integers(1, 4))), "length of output = 4"),
        (each(lambda data, rng: f"{rng.integers(10**9):010d}"), "length of output = 11"),
        (records, "output.s = a symbol"),
        (lambda data, size, rng: rng.geometric(0.3, size), "output ="),
        (lambda data, size, rng: rng.normal(size=(size, 4)), "one certain vector"),
    ],
)
@pytest.mark.slow
def test_leaks_are_planted_into_every_kind_of_output_in_its_words(mechanism: Any, words: str) -> None:
    result = audited(mechanism, max_samples=3000, epsilon=0.3)
    assert any(words in one.leak for one in result.planted), result.planted
    assert any(one.caught is not None for one in result.planted)


@pytest.mark.slow
def test_what_is_listed_as_caught_is_caught() -> None:
    # Asked: 85 % of all runs. Of 12 runs at that share fewer than 4 would be caught with probability 1e-7.
    result = audited(laplace, max_samples=10_000)
    encoder = Encoder()
    looks = [encoder.encode(np.asarray(laplace(d, 4096, RNG(d + 1))), "here") for d in (0, 1)]
    known = {leak.words: leak for leak in battery(looks[0], looks[1], encoder)}
    caught = [one for one in result.planted if one.caught is not None]
    assert caught
    for one in caught:
        leak = next(found for words, found in known.items() if words.split()[0:2] == one.leak.split()[0:2])

        def leaky(
            data: float, size: int, rng: Any, leak: PlantedLeak = leak, leaked: Any = one.caught
        ) -> Any:
            planted = leak.plant(columns(laplace(data, size, rng)), int(data), leaked, rng)
            if planted.shape[1] == 0:
                return planted.values[:, 0]
            found = planted.values[:, 0].astype(object)
            found[planted.codes[:, 0] > 0] = None
            return found

        runs = [
            audited(leaky, max_samples=10_000, planting=False, seed=seed).verdict == "refuted"
            for seed in range(12)
        ]
        assert sum(runs) >= 4, (one, runs)
