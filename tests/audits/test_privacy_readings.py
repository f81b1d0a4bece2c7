"""What is read off sequences, against a plain program that reads them one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, combinations, groupby, pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits import audit_privacy
from audits.privacy.learners.derived import compared, looked_into, orders, summed_up
from audits.privacy.learners.readings import NARROW, READINGS, Row
from audits.privacy.learners.search import best_of, of_classes, of_counts
from audits.privacy.learners.sequences import decimals, digits, further, held, plain, read, significant
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded
from benchmarks.unseen_leaks import single

Numbers = list[float]


def encoded(*sides: Any) -> list[Encoded]:
    encoder = Encoder()
    first, *others = (encoder.encode(np.asarray(side), "a dataset") for side in sides)
    return [encoder.widen(e) for e in (first, *others)]


def in_a_row(holds: list[bool]) -> int:
    return max((len(list(group)) for value, group in groupby(holds) if value), default=0)


def steps(x: Numbers) -> Numbers:
    return [b - a for a, b in pairwise(x)]


def ordered_gaps(x: Numbers) -> Numbers:
    return steps(sorted(x))


def signs(x: Numbers) -> int:
    return sum(a * b < 0.0 for a, b in pairwise(x))


def mean(x: Numbers) -> float:
    return math.fsum(x) / len(x)


def median(x: Numbers) -> float:
    y = sorted(x)
    return 0.5 * (y[(len(y) - 1) // 2] + y[len(y) // 2])


def exclusive_or(x: Numbers) -> int:
    found = 0
    for number in x:
        found ^= int(number)
    return found


def correlation(x: Numbers, lag: int) -> float:
    z = [number - mean(x) for number in x]
    total = sum(number**2 for number in z)
    return sum(a * b for a, b in zip(z, z[lag:], strict=False)) / total if total else 0.0


def ends(x: Numbers, width: int) -> float:
    row = [*x, *[0.0] * (width - len(x))]
    half = width // 2
    return sum(row[:half]) - sum(row[width - half :])


WIDTH = 8
PLAIN: dict[str, Callable[[Numbers], float]] = {
    "the sum of {}": math.fsum,
    "the root of the sum of squares of {}": lambda x: math.sqrt(sum(y * y for y in x)),
    "how many there are of {}": len,
    "the largest of {}": max,
    "the smallest of {}": min,
    "the median of {}": median,
    "the average less the median of {}": lambda x: mean(x) - median(x),
    "the largest less the smallest of {}": lambda x: max(x) - min(x),
    "the largest less the second of {}": lambda x: sorted(x)[-1] - sorted(x)[-2],
    "the second less the smallest of {}": lambda x: sorted(x)[1] - sorted(x)[0],
    "the largest gap in order between {}": lambda x: max(ordered_gaps(x)),
    "the smallest gap in order between {}": lambda x: min(ordered_gaps(x)),
    "the index of the largest of {}": lambda x: x.index(max(x)),
    "the index of the smallest of {}": lambda x: x.index(min(x)),
    "the index of the second largest of {}": lambda x: len(x) - 1 - x[::-1].index(sorted(x)[-2]),
    "the third moment of {}": lambda x: sum((y - mean(x)) ** 3 for y in x),
    "the fourth moment of {}": lambda x: sum((y - mean(x)) ** 4 for y in x),
    "how many of {} are positive": lambda x: sum(y > 0 for y in x),
    "how many of {} are even": lambda x: sum(y % 2 == 0 for y in x),
    "how many of {} are rounded to 6 decimals": lambda x: sum(round(y, 6) == y for y in x),
    "how many of {} exceed their average": lambda x: sum(y > mean(x) for y in x),
    "how many different values {} have": lambda x: len(set(x)),
    "how often the commonest of {} occurs": lambda x: max(Counter(x).values()),
    "how often the first of {} occurs": lambda x: x.count(x[0]),
    "how often the last of {} occurs": lambda x: x.count(x[-1]),
    "how many of {} exceed the first": lambda x: sum(y > x[0] for y in x),
    "how many of {} exceed all before": lambda x: sum(y > max(x[:j]) for j, y in enumerate(x) if j),
    "how many of {} exceed the last": lambda x: sum(y > x[-1] for y in x),
    "the largest less all others of {}": lambda x: 2.0 * max(x) - sum(x),
    "how many of {} exceed the one before": lambda x: sum(y > 0 for y in steps(x)),
    "how many in a row of {} exceed the one before": lambda x: in_a_row([y > 0 for y in steps(x)]),
    "how many of {} equal the one before": lambda x: sum(y == 0 for y in steps(x)),
    "how many in a row of {} are equal": lambda x: in_a_row([y == 0 for y in steps(x)]),
    "how many in a row of {} are positive": lambda x: in_a_row([y > 0 for y in x]),
    "how many signs of {} differ from the one before": signs,
    "how many of {} exceed both neighbours": lambda x: sum(
        a < b > c for a, b, c in zip(x, x[1:], x[2:], strict=False)
    ),
    "how many pairs of the first 24 of {} stand in falling order": lambda x: sum(
        a > b for a, b in combinations(x, 2)
    ),
    "the first of {}": lambda x: x[0],
    "the last of {}": lambda x: x[-1],
    "the last less the first of {}": lambda x: x[-1] - x[0],
    "the sum with alternating signs of {}": lambda x: sum(y * (-1) ** j for j, y in enumerate(x)),
    "the sum, each times its index plus 1, of {}": lambda x: sum(y * j for j, y in enumerate(x, 1)),
    "the first half less the second half of {}": lambda x: ends(x, WIDTH),
    "the index of the first positive one of {} (the greatest length where there is none)": lambda x: next(
        (j for j, y in enumerate(x) if y > 0), WIDTH
    ),
    "the index of the first above the average of {} (the greatest length where there is none)": lambda x: (
        next((j for j, y in enumerate(x) if y > mean(x)), WIDTH)
    ),
    "the largest sum so far of {}": lambda x: max(accumulate(x)),
    "the smallest sum so far of {}": lambda x: min(accumulate(x)),
    "how many of {} are the same from behind": lambda x: sum(a == b for a, b in zip(x, x[::-1], strict=True)),
    "how many of {} equal their index": lambda x: sum(y == j for j, y in enumerate(x)),
    "the exclusive or of {}": exclusive_or,
    "the greatest common divisor of {}": lambda x: math.gcd(*map(int, x)),
}
for k in range(2, 6):
    PLAIN[f"number {k} of {{}} from the largest on"] = lambda x, k=k: sorted(x)[-k]
    PLAIN[f"number {k} of {{}} from the smallest on"] = lambda x, k=k: sorted(x)[k - 1]
for k in range(1, 5):
    PLAIN[f"the one at index {k} of {{}}"] = lambda x, k=k: x[k] if k < len(x) else math.nan
for k in range(1, 8):
    PLAIN[f"the correlation of {{}} with those {k} before"] = lambda x, k=k: correlation(x, k)


def test_there_is_a_plain_program_for_every_reading() -> None:
    assert PLAIN.keys() == READINGS.keys()


@pytest.mark.parametrize("width", [1, 2])
def test_of_few_numbers_no_reading_is_left_out_that_says_something_new(width: int) -> None:
    some = (-3.5, -2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 3.0, 4.0, 7.5)
    row = Row(np.array(list(product(some, repeat=width))))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = {name: np.asarray(reading(row), dtype=np.float64) for name, reading in READINGS.items()}

    def tells(name: str, other: str) -> bool:
        """Whether sequences of equal first readings have equal second readings, but for rounding."""
        order = np.argsort(values[name], kind="stable")
        one, two = values[name][order], np.nan_to_num(values[other][order], neginf=-1e9, posinf=1e9)
        same = np.diff(one) == 0.0
        return bool((np.abs(np.diff(two))[same] < 1e-9).all())

    for other in READINGS.keys() - NARROW:
        assert any(tells(name, other) for name in NARROW), other


def test_readings_of_several_sequences_at_once_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    first, second = encoded(rng.integers(-3, 9, (40, 6)), rng.normal(size=(40, 6)))
    sources = [*plain(first), *further(first)]
    together = {(i, name): column for i, name, column in read(sources, [first, second])}
    assert {i for i, _ in together} == set(range(len(sources)))
    for (i, name), column in together.items():
        alone = np.concatenate([sources[i].reading(name).of(e) for e in (first, second)])
        assert np.array_equal(alone, column), name


@given(st.lists(st.lists(st.integers(-4, 6), min_size=5, max_size=WIDTH), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_readings_are_those_of_a_plain_program(lists: list[list[int]]) -> None:
    padded = np.array([[*some, *[np.nan] * (WIDTH - len(some))] for some in lists], dtype=np.float64)
    for name, reading in READINGS.items():
        expected = [float(PLAIN[name]([float(y) for y in some])) for some in lists]
        np.testing.assert_allclose(reading(Row(padded)), expected, atol=1e-8, err_msg=name)


def test_rows_without_numbers_are_read_without_a_warning() -> None:
    for reading in READINGS.values():
        assert np.asarray(reading(Row(np.full((3, 4), np.nan)))).shape == (3,)
        assert np.asarray(reading(Row(np.zeros((3, 1))))).shape == (3,)


@given(st.integers(0, 2**53 - 1))
def test_digits_are_those_that_python_writes(number: int) -> None:
    written = {10: [*map(int, str(number))], 2: [*map(int, f"{number:b}")]}
    written[256] = [*number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")]
    for base, expected in written.items():
        found = digits(np.array([-float(number)]), base)[0]
        assert found[~np.isnan(found)].tolist() == expected[::-1]


@given(st.integers(0, 10**8))
def test_decimals_are_those_that_python_writes(number: int) -> None:
    text = f"{number / 1000:.6f}"
    assert decimals(np.array([float(text)]))[0].tolist() == [float(c) for c in text.split(".")[1]]


@given(st.integers(1, 999_999), st.integers(-5, 5))
def test_significant_digits_are_those_that_python_writes(number: int, power: int) -> None:
    found = significant(np.array([-number * 10.0**power]))[0]
    assert found.tolist() == [float(c) for c in f"{number:<06d}".replace(" ", "0")][:6]


def interaction(matrix: Any) -> list[float]:
    """What is left of a table after the averages of its rows and columns."""
    table = [[float(x) for x in row] for row in matrix]
    rows, columns = [mean(row) for row in table], [mean(list(column)) for column in zip(*table, strict=True)]
    return [x - rows[i] - columns[j] + mean(rows) for i, row in enumerate(table) for j, x in enumerate(row)]


def test_sequences_of_a_matrix_are_its_rows_columns_and_diagonals() -> None:
    matrix = np.random.default_rng(0).integers(0, 9, size=(5, 3, 3)).astype(float)
    (e,) = encoded(matrix)
    found = {rendered(source.words): source.sequence(e) for source in further(e)}
    expected = {
        "the sums of the rows of output": matrix.sum(axis=2),
        "the sums of the columns of output": matrix.sum(axis=1),
        "the diagonal of output": np.stack([np.diag(one) for one in matrix]),
        "the differences of neighbours in output": np.diff(matrix.reshape(5, 9), axis=1),
    }
    for words, values in expected.items():
        np.testing.assert_array_equal(found[words], values)
    computed = {
        "what row and column averages leave of output": np.stack([interaction(one) for one in matrix]),
        "the singular values of output": np.stack(
            [np.sqrt(np.linalg.eigvalsh(one.T @ one)[::-1].clip(0.0)) for one in matrix]
        ),
        "the diagonal of power 2 of output": np.stack([np.diag(one @ one) for one in matrix]),
        "the first row of power 3 of the identity plus output": np.stack(
            [(np.eye(3) + one)[0] @ (np.eye(3) + one) @ (np.eye(3) + one) for one in matrix]
        ),
    }
    for words, values in computed.items():
        np.testing.assert_allclose(found[words], values, atol=1e-6, err_msg=words)
    squares = [one[:2, :2] + one[1:, :2] + one[:2, 1:] + one[1:, 1:] for one in matrix]
    np.testing.assert_array_equal(found["the sums of squares of four in output"], np.reshape(squares, (5, 4)))


def test_sequences_that_follow_from_a_row_are_those_of_a_plain_program() -> None:
    rows = np.random.default_rng(1).integers(0, 9, size=(40, 6)).astype(float)
    (e,) = encoded(rows)
    found = {rendered(source.words): source.sequence(e) for source in further(e)}
    expected: dict[str, Callable[[Numbers], Numbers]] = {
        "the quotients of neighbours in output": lambda x: [b / a if a else math.nan for a, b in pairwise(x)],
        "the numbers less the largest so far in output": lambda x: [
            y - max(x[: j + 1]) for j, y in enumerate(x)
        ],
        "the numbers at the places that are the numbers in output": lambda x: [
            x[int(y)] if y < 6 else math.nan for y in x
        ],
        "all but the first of output": lambda x: x[1:],
        "all but the last of output": lambda x: x[:-1],
        "the first half less the second, one by one, of output": lambda x: [
            x[j] - x[j + 3] for j in range(3)
        ],
        "each at an even place less the next of output": lambda x: [x[j] - x[j + 1] for j in (0, 2, 4)],
    }
    for words, program in expected.items():
        for values, row in zip(found[words].tolist(), rows.tolist(), strict=True):
            wanted = program(row)
            # 0 is no divisor.
            known = [
                (a, b)
                for a, b in zip(values, wanted, strict=True)
                if not math.isnan(b) or "quotients" not in words
            ]
            np.testing.assert_allclose(*zip(*known, strict=True), err_msg=words)


def test_lists_texts_and_records_have_sequences_of_their_own() -> None:
    outputs = np.empty(40, dtype=object)
    outputs[:] = [
        {"a": [1, 2, 3], "b": [4, 5][: 1 + j % 2], "text": f"no {j} and {j * j}"} for j in range(40)
    ]
    (e,) = encoded(outputs)
    rows = {rendered(source.words): source.of(e) for source in plain(e)}
    np.testing.assert_array_equal(rows["the numbers in output['a']"], [[1, 2, 3]] * 40)
    np.testing.assert_array_equal(
        rows["the numbers in output['b']"], [[4.0, 5.0 if j % 2 else np.nan] for j in range(40)]
    )
    np.testing.assert_array_equal(
        rows["the numbers in the text of output['text']"], [[j, j * j] for j in range(40)]
    )
    letters = rows["the letters of output['text']"]
    assert "".join(chr(int(c)) for c in letters[12] if not np.isnan(c)) == "no 12 and 144"
    words = rows["the words of output['text']"]
    assert (words[:, 1] < words[:, 0]).all()  # "and" comes before "no"


def test_names_in_a_list_are_ordered_by_the_alphabet() -> None:
    names = np.empty(3, dtype=object)
    names[:] = [["bee", "ant"], ["cat", "dog"], ["ant", "ant"]]
    (e,) = encoded(names)
    (items,) = e.layout.items
    x = held(items, e)
    assert [a < b for a, b in x.tolist()] == [False, True, False]
    assert x[2, 0] == x[2, 1] == x[0, 1]


def test_pearsons_statistic_is_that_of_scipy() -> None:
    from scipy import stats

    rng = np.random.default_rng(3)
    a, b = rng.multinomial(300, [0.2, 0.3, 0.1, 0.4], size=2)
    for first, second in ((a, b), (np.array([60, 40, 0, 0]), np.array([30, 60, 10, 0]))):
        table = np.stack([first, second])[:, (first + second) > 0]
        expected = stats.chi2_contingency(table, correction=False).pvalue
        assert of_counts(first, second) == pytest.approx(-math.log(expected), rel=1e-9)
    classes = [np.repeat(np.arange(4), counts)[:, None] for counts in (a, b)]
    np.testing.assert_allclose(of_classes(*classes, 4), [of_counts(a, b)])
    # Where no double holds the probability, the surprise goes on to grow.
    far = of_counts(np.array([[900, 100], [9000, 1000]]), np.array([[100, 900], [1000, 9000]]))
    assert far[1] > 5.0 * far[0] > 1000.0


def test_little_is_told_where_there_is_nothing() -> None:
    # Odds against chance of e^3 a case (approximate): more than 30 of 120 with probability below 1e-6.
    rng = np.random.default_rng(12)
    told = 0
    for size in (32, 100, 400) * 5:
        for drawn in (rng.normal(size=(2, size, 6)), rng.integers(0, 30, size=(2, size, 6)).astype(float)):
            a, b = encoded(*drawn)
            told += sum(
                best_of([one], a, b) is not None for one in (summed_up, looked_into, compared, orders)
            )
    assert told <= 30


def found_early(draw: Callable[[np.random.Generator], Any], holds: Callable[[Any], Any]) -> bool:
    """Whether an output's property that tells the dataset with probability 0.9 is found in 1,000 samples.

    It is a test of power, not of level: who knows the property needs 60 samples at this α.
    """
    result = audit_privacy(
        single(draw, holds, 0.9),
        [(0, 1)],
        epsilon=1.0,
        adjacency=lambda a, b: True,
        alpha=1e-6,
        max_samples=1_000,
        simplest=False,
    )
    return result.refuted


def word(rng: np.random.Generator) -> str:
    return "".join("abcdefgh"[i] for i in rng.integers(0, 8, 9))


@pytest.mark.parametrize(
    ("holds", "draw"),
    [
        (lambda x: np.argmax(x) % 2 == 0, lambda rng: rng.normal(size=9)),
        (lambda x: sum(map(int, str(x))) % 3 == 0, lambda rng: int(rng.integers(10**6))),
        (lambda x: x.sum(axis=1).argmax() == 1, lambda rng: rng.normal(size=(3, 3))),
        (lambda x: x == sorted(x), lambda rng: [word(rng) for _ in range(3)]),
        (lambda x: "ab" in x, word),
        (lambda x: len(set(x)) % 2 == 0, lambda rng: rng.integers(0, 9, int(rng.integers(3, 8))).tolist()),
        (lambda x: x["b"] < x["a"] < x["c"], lambda rng: dict(zip("abc", rng.normal(size=3), strict=True))),
    ],
)
def test_what_a_person_could_say_of_an_output_is_found(holds: Any, draw: Any) -> None:
    assert found_early(draw, holds)
