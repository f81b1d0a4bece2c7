"""`check_map` on objects with the attributes of OpenDP's, of which every true distance is known."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audits.maps import assert_map, check_map
from audits.maps.distances import gap
from audits.maps.domains import Atom, Margin, Row, Vector
from audits.maps.from_opendp import domain_of
from audits.maps.neighbours import pairs
from claims.harness.commands.map import loaded

INTEGERS = "VectorDomain(AtomDomain(bounds=[0, 10], T=i32))"
SIZED = "VectorDomain(AtomDomain(T=i32), size=3)"
FLOATS = "VectorDomain(AtomDomain(bounds=[0.0, 1.0], T=f64))"
NUMBER = "AtomDomain(T=i32)"
ABSOLUTE = "AbsoluteDistance(i32)"
RNG = np.random.default_rng(0)


@dataclass
class Fake:
    """A transformation as OpenDP has it, with domains and metrics as it prints them."""

    input_domain: str
    input_metric: str
    output_metric: str
    invoke: Callable[[Any], Any]
    map: Callable[[Any], Any]
    output_domain: str = INTEGERS
    __opendp_dict__: ClassVar[Any] = {"__module__": "transformations", "__function__": "make_fake"}


def shuffled(records: list[int]) -> list[int]:
    return [int(v) for v in RNG.permutation(records)]


def resized(records: list[int]) -> list[int]:
    """Three records: shuffled where there are at most three, the first three otherwise."""
    return shuffled((records + [0] * 3)[:3]) if len(records) <= 3 else records[:3]


@dataclass(repr=False)
class Core:
    """A transformation, a domain, a metric or an exact number, as Tumult Core has them."""

    result: Any = None
    factor: int = 1
    allow_null = is_interactive = False
    length = None
    is_finite = is_integer = True

    @property
    def expr(self) -> int:
        return self.factor

    def stability_function(self, d_in: Any) -> Core:
        return Core(factor=self.factor * d_in)

    def __call__(self, data: Any) -> Any:
        return self.result(data)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def core(result: Any, factor: int, **names: str) -> Any:
    """A transformation of lists whose parts have the names of classes of Tumult Core."""
    found = Core(result, factor)
    element = type("NumpyIntegerDomain", (Core,), {})()
    found.input_domain = type("ListDomain", (Core,), {"element_domain": element})()  # type: ignore
    for name, kind in names.items():
        setattr(found, name, type(kind, (Core,), {})())
    return found


SYMMETRIC, ORDERED = "SymmetricDistance()", "InsertDeleteDistance()"
SOUND = {
    "sum": Fake(INTEGERS, SYMMETRIC, ABSOLUTE, sum, lambda d: 10 * d, NUMBER),
    "exact mean": Fake(SIZED, "ChangeOneDistance()", "DiscreteDistance()", sum, lambda d: 1, NUMBER),
    "clamp": Fake(SIZED, "HammingDistance()", "HammingDistance()", lambda x: [min(v, 3) for v in x], int),
    "shuffle": Fake(INTEGERS, SYMMETRIC, ORDERED, shuffled, lambda d: d),
    "halved": Fake(NUMBER, ABSOLUTE, ABSOLUTE, lambda v: v // 2, lambda d: (d + 1) // 2, NUMBER),
    "shares": Fake(
        "VectorDomain(AtomDomain(T=i32))", "L1Distance(i32)", "L2Distance(f64)", lambda x: x, float, NUMBER
    ),
    "counts": Fake(
        INTEGERS, SYMMETRIC, "L1Distance(i32)", lambda x: {v: x.count(v) for v in x}, lambda d: d, NUMBER
    ),
}
UNSOUND = {
    "sum without its last record's bound": Fake(INTEGERS, SYMMETRIC, ABSOLUTE, sum, lambda d: 9 * d, NUMBER),
    "pairs of records": Fake(
        INTEGERS, SYMMETRIC, SYMMETRIC, lambda x: x[: len(x) // 2 * 2], lambda d: d
    ),
    "an order that moves": Fake(SIZED, ORDERED, "HammingDistance()", lambda x: x, lambda d: d // 2, SIZED),
    "a size that is not kept": Fake(INTEGERS, ORDERED, ORDERED, resized, lambda d: 2 * d),
    "an overflow": Fake(
        "AtomDomain(T=i32)", ABSOLUTE, ABSOLUTE, lambda v: (v + 2**31 + 1) % 2**32, lambda d: d, NUMBER
    ),
    "a rounded mean": Fake(
        FLOATS, SYMMETRIC, "AbsoluteDistance(f64)", lambda x: float(np.float32(sum(x))), lambda d: d, NUMBER
    ),
    "NaN": Fake(
        "VectorDomain(AtomDomain(bounds=[0.0, 1.0], nan=true, T=f64))", SYMMETRIC, "AbsoluteDistance(f64)",
        lambda x: math.fsum(x), lambda d: float(d), NUMBER,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_a_true_map_is_not_accused(name: str) -> None:
    for seed in range(2):
        result = check_map(SOUND[name], max_pairs=60, seed=seed)
        assert result.verdict == "no-pair-found", result.summary()
        assert result.pairs >= 60


@pytest.mark.parametrize("name", UNSOUND)
def test_a_violation_is_found_and_is_one(name: str) -> None:
    subject = UNSOUND[name]
    result = check_map(subject, seed=1)
    assert result.verdict == "refuted", result.summary()
    first, second = result.pair or ([], [])
    domain: Any = domain_of(subject.input_domain)
    metric = {SYMMETRIC: "symmetric", ORDERED: "insert-delete", ABSOLUTE: "absolute"}[subject.input_metric]
    assert domain.holds(first)
    assert domain.holds(second)
    assert not gap(metric, first, second).exceeds(result.d_in)
    assert result.certain == (name != "a size that is not kept")
    if isinstance(first, list):
        # It was shrunk: how far depends on where Hypothesis begins, which takes constants of loaded modules.
        assert len(first) + len(second) <= 15


def test_the_stability_of_tumult_is_read_off_the_object() -> None:
    metrics = {"input_metric": "SymmetricDifference", "output_metric": "AbsoluteDifference"}
    assert check_map(core(len, 1, **metrics), max_pairs=200).verdict == "no-pair-found"
    twice = check_map(core(lambda x: 2 * len(x), 1, **metrics))
    assert (twice.verdict, twice.certain, twice.stated) == ("refuted", True, 1)
    assert "ExactNumber" in twice.program
    unknown = check_map(core(len, 1, input_metric="AddRemoveIDs", output_metric="AbsoluteDifference"))
    assert unknown.verdict == "undecided"
    assert "AddRemoveIDs" in unknown.found


def test_rounding_under_idealised_numerics_is_no_accusation() -> None:
    @dataclass
    class Own(Fake):
        __opendp_dict__: ClassVar[Any] = None

    slow = Own(FLOATS, SYMMETRIC, "AbsoluteDistance(f64)", lambda x: sum(x) * 0.1, lambda d: 0.1 * d, NUMBER)
    assert check_map(slow, max_pairs=200).verdict in ("rounding", "no-pair-found")
    wrong = Own(FLOATS, SYMMETRIC, "AbsoluteDistance(f64)", lambda x: sum(x) * 0.2, lambda d: 0.1 * d, NUMBER)
    assert check_map(wrong).verdict == "refuted"


def test_what_is_no_claim_or_cannot_be_driven_is_undecided() -> None:
    infinite = Fake(INTEGERS, SYMMETRIC, ABSOLUTE, sum, lambda d: math.inf, NUMBER)
    assert "no finite claim" in check_map(infinite, max_pairs=100).summary()

    def refuses(d: int) -> int:
        raise ArithmeticError("too far")

    assert "too far" in check_map(Fake(INTEGERS, SYMMETRIC, ABSOLUTE, sum, refuses), max_pairs=100).summary()
    hidden = Fake(INTEGERS, SYMMETRIC, SYMMETRIC, sum, lambda d: d, "SSCPDomain(2)")
    assert "does not show" in check_map(hidden, max_pairs=100).found
    raising = Fake(INTEGERS, SYMMETRIC, ABSOLUTE, max, lambda d: 10 * d, NUMBER)
    result = check_map(raising, max_pairs=100)
    assert result.verdict == "undecided"
    assert "raises" in result.found


def clipped_sum(records: list[float]) -> float:
    return sum(min(max(value, 0.0), 1.0) for value in records)


def test_functions_of_ones_own_state_their_map_as_attributes_or_sensitivity() -> None:
    lists = st.lists(st.integers(-5, 5).map(float), max_size=6)
    given: dict[str, Any] = {"domain": lists, "output": "absolute", "max_pairs": 300}
    assert check_map(clipped_sum, stability=1, **given).verdict == "no-pair-found"
    assert check_map(clipped_sum, stability=lambda d: d / 2, **given).verdict == "refuted"
    with pytest.raises(ValueError, match="domain must be a Hypothesis strategy"):
        check_map(clipped_sum, stability=1)

    class Clipped:
        domain = lists

        def __call__(self, records: list[float]) -> list[float]:
            return [clipped_sum(records), clipped_sum(records)]

        def sensitivity(self) -> float:
            return 1.0

    result = check_map(Clipped())
    assert result.verdict == "refuted"
    assert float(result.found) == pytest.approx(math.sqrt(2.0))


def test_assert_map_raises_where_a_map_is_refuted() -> None:
    assert assert_map(SOUND["sum"], max_pairs=100).verdict == "no-pair-found"
    with pytest.raises(AssertionError, match="REFUTED: stated"):
        assert_map(UNSOUND["pairs of records"])


def test_a_promise_about_pairs_is_kept_by_neighbours() -> None:
    groups = Margin((0,), max_length=3, max_groups=2, invariant="keys")
    row = Row((Atom("i32", 0, 3), Atom("f64", 0.0, 1.0)))
    domain = Vector(row, margins=(groups,))

    @settings(max_examples=20, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(pairs(domain, "symmetric", (1, 2)))
    def kept(pair: tuple[Any, Any, Any]) -> None:
        first, second, d_in = pair
        assert {row[0] for row in first} == {row[0] for row in second}
        assert all(domain.holds(rows) for rows in (first, second))
        assert not gap("symmetric", first, second).exceeds(d_in)

    kept()


def measurement(scale: float) -> Any:
    """Discrete Laplace noise on a whole number, which states ε = d_in."""
    rng = np.random.default_rng(7)

    class Noisy:
        input_domain, input_metric, output_measure = "AtomDomain(T=i32)", ABSOLUTE, "MaxDivergence"

        def map(self, d_in: int) -> float:
            return float(d_in)

        def invoke(self, value: int) -> int:
            p = -math.expm1(-1.0 / scale)
            return value + int(rng.geometric(p)) - int(rng.geometric(p))

    return Noisy()


def test_a_measurement_is_refuted_where_its_noise_is_half_of_what_it_states() -> None:
    # False alarm: α = 10⁻⁶ over all proposals of the run.
    assert check_map(measurement(1.0), max_pairs=10, d_in=1, alpha=1e-6).verdict == "no-pair-found"
    result = check_map(measurement(0.5), d_in=1, alpha=1e-6)
    assert result.verdict == "refuted", result.summary()
    assert not result.certain


def test_the_same_seed_finds_the_same_pair_and_the_program_shows_it(tmp_path: Any) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "class Wrong:\n"
        f"    input_domain, input_metric, output_metric = {INTEGERS!r}, {SYMMETRIC!r}, {ABSOLUTE!r}\n"
        "    output_domain = 'AtomDomain(T=i32)'\n"
        "    def map(self, d_in): return d_in\n"
        "    def invoke(self, records): return sum(records)\n"
        "    __call__ = invoke\n"
        "unused = open('no such file') if False else None\n"
        "wrong = Wrong()\n"
    )
    found, made = loaded(f"{file}:wrong")
    results = [check_map(found, seed=3, made=made) for _ in range(2)]
    assert results[0].pair == results[1].pair
    assert "unused" not in results[0].program
    assert len(results[0].program.splitlines()) <= 20
    ran = subprocess.run(
        [sys.executable, "-c", results[0].program], capture_output=True, text=True, check=True
    )
    assert f"stated: {results[0].stated} found: {results[0].found}" in ran.stdout
    # A function of one's own is the thing to check, and is not called; one that returns it is.
    file.write_text("def total(x): return sum(x)\ntotal.stability = 1\ndef made(): return total\n")
    assert [loaded(f"{file}:{name}")[1][-1] for name in ("total", "made")] == [
        "checked = total",
        "checked = made()",
    ]


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("AtomDomain(bounds=[0.1, 1e300], T=f64)", Atom("f64", 0.1, 1e300)),
        ("AtomDomain(nan=true, T=f32)", Atom("f32", nan=True)),
        ("VectorDomain(OptionDomain(AtomDomain(T=bool)), size=5)", Vector(Atom("bool", nullable=True), 5)),
        ("ArrayDomain { element_domain: AtomDomain(T=u8), size: 3 }", Vector(Atom("u8"), 3)),
        ('CategoricalDomain { categories: Some(["a, b", "c"]) }', Atom("String", values=("a, b", "c"))),
    ],
)  # fmt: skip
def test_domains_are_read_as_opendp_writes_them(text: str, domain: Any) -> None:
    assert domain_of(text) == domain


def test_distances_are_exact() -> None:
    tiny = gap("absolute", 1.0, 1.0 + 2.0**-52)
    assert tiny.powers[0] == Fraction(1, 2**52)
    assert not tiny.exceeds(2.0**-52)
    assert gap("l2", [3, 0], [0, 4]).exceeds(5) is False
    assert gap("l2", [3.0, 0.0], [0.0, math.nextafter(4.0, 5.0)]).exceeds(5)
    assert gap("insert-delete", [1, 2, 3], [2, 3, 1]).powers[0] == 2
    assert gap("symmetric", [math.nan, 0.0], [-0.0, math.nan]).powers[0] == 0
    assert gap("change-one", [1], [1, 2]).powers[0] is None
    assert gap("linf-monotonic", [1, 2], [2, 1]).powers[0] is None
    assert gap("absolute", math.inf, math.inf).powers[0] == 0
    assert gap("absolute", math.nan, 1.0).exceeds(1e308)


@pytest.mark.parametrize("bad", [{"budget": 0}, {"budget": math.nan}, {"seed": -1}])
def test_bad_input_is_named(bad: dict[str, Any]) -> None:
    (name,) = bad
    with pytest.raises(ValueError, match=f"{name} must be"):
        check_map(SOUND["sum"], **bad)
    with pytest.raises(ValueError, match="target must be"):
        check_map(3)
