"""A third set of leaks that nobody who writes a learner has looked at: 36 kinds, sorted by kind of output.

Each is something that a person could say of an output in one sentence: a price list, a record, a calendar,
a noisy histogram. Some are failures of released software (noise used twice, a raw fraction, a result of
single precision, parts that add up exactly). As in `unseen_leaks.py`, the property is the best event. They
were written without sight of the learners and of what they find, and stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.unseen_leaks import FAINT, Rng, letters, normal
from benchmarks.unseen_second import of, one_of

# --- Single floats -----------------------------------------------------------------------------------


def shows_a_seven(x: Any) -> Any:
    """Whether one of the first three decimals is a seven."""
    thousandths = np.floor(np.abs(x) * 1000.0).astype(np.int64)
    return sum(thousandths // 10**k % 10 == 7 for k in range(3)) > 0


def is_simple_fraction(x: Any) -> Any:
    """Whether a number is a fraction with a denominator of at most 12."""
    multiples = x[:, None] * np.arange(2, 13)
    return (abs(multiples - np.round(multiples)) < 1e-9).any(axis=1)


def simple_fraction(x: Any) -> Any:
    """A share of a small group: a fraction between zero and one with a denominator of 2 to 12."""
    group = 2 + (x * 1e6).astype(np.int64) % 11
    return np.clip(np.round(x * group), 1, group - 1) / group


def is_single(x: Any) -> Any:
    """Whether single precision holds a number exactly."""
    return to_single(x) == x


def to_single(x: Any) -> Any:
    """A number rounded to single precision."""
    return x.astype(np.float32).astype(np.float64)


# --- Single integers ---------------------------------------------------------------------------------


def is_prime(x: Any) -> Any:
    """Whether an integer is a prime number."""
    return np.isin(x, [n for n in range(2, 300) if all(n % k for k in range(2, n))])


def digits_differ(x: Any) -> Any:
    """Whether no digit occurs twice in an integer of four digits."""
    digits = x[:, None] // np.array([1, 10, 100, 1000]) % 10
    return (np.diff(np.sort(digits, axis=1), axis=1) != 0).all(axis=1)


def two_to_five_digits(size: int, rng: Rng) -> Any:
    """Integers of two to five digits."""
    return np.floor(10.0 ** rng.uniform(1.0, 5.0, size)).astype(np.int64)


def last_digit_above_first(x: Any) -> Any:
    """Whether the last digit is larger than the first."""
    leading = 10 ** ((x >= 100).astype(np.int64) + (x >= 1000) + (x >= 10000) + 1)
    return x % 10 > x // leading


# --- Vectors of floats -------------------------------------------------------------------------------


def turns(x: Any) -> Any:
    """How many columns are above both their neighbours, or below both."""
    steps = np.diff(x, axis=1)
    return (steps[:, 1:] * steps[:, :-1] < 0.0).sum(axis=1)


def noisy_counts(size: int, rng: Rng) -> Any:
    """Six counts with noise of their own."""
    return rng.poisson(40, (size, 6)) + rng.laplace(0.0, 2.0, (size, 6))


def noise_shared(x: Any) -> Any:
    """Whether two columns differ by a whole number."""
    first, second = np.triu_indices(x.shape[1], 1)
    apart = x[:, first] - x[:, second]
    return (abs(apart - np.round(apart)) < 1e-9).any(axis=1)


def sharing_noise(x: Any) -> Any:
    """Counts of which two, any two, have the same noise."""
    every = np.arange(len(x))
    place = (abs(x[:, 0]) * 1e6).astype(np.int64) % 6
    other = (place + 1 + (abs(x[:, 1]) * 1e6).astype(np.int64) % 5) % 6
    x[every, other] = x[every, place] + np.round(x[every, other] - x[every, place])
    return x


def sides_of_a_triangle(x: Any) -> Any:
    """Whether the largest of three lengths is below the sum of the others."""
    return 2.0 * x.max(axis=1) < x.sum(axis=1)


def strongest_cycle(x: Any) -> Any:
    """How often the strongest cycle of a row goes round."""
    return 1 + abs(np.fft.rfft(x, axis=1))[:, 1:-1].argmax(axis=1)


# --- Vectors of integers -----------------------------------------------------------------------------


def one_peak(x: Any) -> Any:
    """Whether counts never rise after they fell."""
    steps = np.diff(x, axis=1)
    fell = np.logical_or.accumulate(steps < 0, axis=1)
    return ~(fell[:, :-1] & (steps[:, 1:] > 0)).any(axis=1)


def first_is_most_frequent(x: Any) -> Any:
    """Whether no label of four is more frequent than the first of a row."""
    counts = (x[:, :, None] == np.arange(4)).sum(axis=1)
    return counts[np.arange(len(x)), x[:, 0]] == counts.max(axis=1)


# --- Matrices ----------------------------------------------------------------------------------------


def one_row_beats_another(x: Any) -> Any:
    """Whether one row of a matrix is above another in every column."""
    return (x[:, :, None, :] > x[:, None, :, :]).all(axis=3).any(axis=(1, 2))


def filled_square(x: Any) -> Any:
    """Whether four pixels that form a square are all set."""
    return (x[:, 1:, 1:] & x[:, 1:, :-1] & x[:, :-1, 1:] & x[:, :-1, :-1]).any(axis=(1, 2))


# --- Strings -----------------------------------------------------------------------------------------


def three_words(rng: Rng) -> str:
    """Three words of random letters."""
    return " ".join(letters(rng, int(count)) for count in rng.integers(3, 8, 3))


def in_alphabetical_order(text: str) -> bool:
    """Whether the words are in alphabetical order."""
    return text.split() == sorted(text.split())


def storage(rng: Rng) -> str:
    """A line on the use of a disk."""
    total = int(rng.integers(20, 500))
    return f"{int(rng.integers(1, total + 1))} of {total} MB used"


def over_half_full(text: str) -> bool:
    """Whether more than half of the disk is used."""
    words = text.split()
    return 2 * int(words[0]) > int(words[2])


def bases(rng: Rng) -> str:
    """Thirty bases of a genome."""
    return "".join("ACGT"[i] for i in rng.integers(0, 4, 30))


def sentence(rng: Rng) -> str:
    """Three to six words, each one of six."""
    words = ("rain", "wind", "snow", "sun", "fog", "hail")
    return " ".join(words[i] for i in rng.integers(0, 6, int(rng.integers(3, 7))))


# --- Lists of varying length -------------------------------------------------------------------------


def with_header(rng: Rng) -> list[int]:
    """A number of entries, as it is said, and three to eight entries."""
    return [int(i) for i in [rng.integers(3, 9), *rng.integers(0, 12, int(rng.integers(3, 9)))]]


def meetings(rng: Rng) -> list[list[int]]:
    """Starts and ends of three to five meetings, in minutes of a day of eight hours, in any order."""
    starts = [int(start) for start in rng.integers(0, 440, int(rng.integers(3, 6)))]
    return [[start, start + int(rng.integers(10, 60))] for start in starts]


def two_overlap(calendar: list[list[int]]) -> bool:
    """Whether one meeting starts before another has ended."""
    return any(a[0] < b[1] and b[0] < a[1] for a, b in combinations(calendar, 2))


def readings(rng: Rng) -> list[float]:
    """Four to ten readings of a thermometer."""
    return [float(value) for value in np.round(rng.normal(20.0, 3.0, int(rng.integers(4, 11))), 2)]


# --- Records -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Patient:
    """A patient: height in metres, weight in kilograms, age in years."""

    height: float
    weight: float
    age: int


def patient(rng: Rng) -> Patient:
    """A random patient."""
    height, weight = float(rng.normal(1.72, 0.12)), float(rng.normal(75.0, 9.0))
    return Patient(round(height, 2), round(weight, 1), int(rng.integers(18, 90)))


def branches(rng: Rng) -> dict[str, int]:
    """Noisy counts of four branches, and a total whose noise is its own."""
    counts = {name: int(rng.poisson(25)) for name in ("north", "east", "south", "west")}
    noise = int(rng.geometric(0.4)) - int(rng.geometric(0.4))
    return {**counts, "total": sum(counts.values()) + noise}


def parts_add_up(counts: dict[str, int]) -> bool:
    """Whether the total is the sum of the branches."""
    return counts["total"] == sum(count for name, count in counts.items() if name != "total")


def subscriber(rng: Rng) -> dict[str, Any]:
    """A subscriber, who may have agreed to be written to, and whose address may be known."""
    return {
        "consent": bool(rng.random() < 0.5),
        "address": f"{letters(rng, 5)}@example.org" if rng.random() < 0.5 else None,
        "visits": int(rng.poisson(6)),
    }


def address_without_consent(one: dict[str, Any]) -> bool:
    """Whether the address is there although the subscriber has not agreed."""
    return one["address"] is not None and not one["consent"]


# --- Sets and tuples ---------------------------------------------------------------------------------


def lottery(rng: Rng) -> set[int]:
    """Six numbers of 49."""
    return {int(number) for number in rng.choice(49, 6, replace=False) + 1}


def crosses_and_noughts(rng: Rng) -> tuple[str, ...]:
    """The nine fields of a board, line by line, each a cross or a nought or empty."""
    return tuple("XXXXOOOO "[i] for i in rng.integers(0, 9, 9))


def three_crosses(board: tuple[str, ...]) -> bool:
    """Whether three crosses stand in a line."""
    lines = ("012", "345", "678", "036", "147", "258", "048", "246")
    return any(all(board[int(field)] == "X" for field in line) for line in lines)


# --- Dates and nested objects ------------------------------------------------------------------------


def day(rng: Rng) -> date:
    """A day of some twelve years."""
    return date(2012, 1, 1) + timedelta(days=int(rng.integers(0, 4383)))


def account(rng: Rng) -> dict[str, Any]:
    """A customer, the day of registration, and one to three orders of a year."""
    days = [date(2023, 1, 1) + timedelta(days=int(i)) for i in rng.integers(0, 365, 4)]
    orders = [
        {"placed": placed, "items": [letters(rng, 2) for _ in range(int(rng.integers(1, 4)))]}
        for placed in days[1 : 2 + int(rng.integers(0, 3))]
    ]
    return {"customer": {"name": letters(rng, 6), "registered": days[0]}, "orders": orders}


def ordered_before_registering(one: dict[str, Any]) -> bool:
    """Whether an order was placed before the customer registered."""
    return any(order["placed"] < one["customer"]["registered"] for order in one["orders"])


PROPERTIES = (
    of("a seven among the first three decimals", lambda n, rng: rng.normal(0, 5, n), shows_a_seven, "number"),
    of(
        "a fraction of a small denominator, once in 10",
        lambda n, rng: rng.random(n),
        is_simple_fraction,
        "number",
        change=simple_fraction,
    ),
    of("single precision, once in 10", normal(), is_single, "number", change=to_single),
    of(
        "a temperature from 18 to 24 degrees",
        lambda n, rng: rng.normal(20.0, 5.0, n),
        lambda x: abs(x - 21.0) < 3.0,
        "number",
        FAINT,
    ),
    of("a prime number", lambda n, rng: rng.poisson(60, n), is_prime, "number"),
    of("four digits that all differ", lambda n, rng: rng.integers(1000, 10000, n), digits_differ, "number"),
    of("last digit larger than the first", two_to_five_digits, last_digit_above_first, "number"),
    of("a power of two", lambda n, rng: rng.geometric(0.01, n), lambda x: x & (x - 1) == 0, "number"),
    of("mean of 15 exceeds their median", normal(15), lambda x: x.mean(axis=1) > np.median(x, axis=1)),
    of(
        "a balance of two falls below zero within 20 steps",
        normal(20),
        lambda x: 2.0 + np.cumsum(x, axis=1).min(axis=1) < 0.0,
    ),
    of("24 columns zigzag", normal(24), lambda x: turns(x) > 14, right=FAINT),
    of("two of six counts have the same noise, once in 10", noisy_counts, noise_shared, change=sharing_noise),
    of("three lengths make a triangle", lambda n, rng: rng.random((n, 3)), sides_of_a_triangle),
    of(
        "one of five outweighs all the others",
        lambda n, rng: np.exp(rng.normal(0.0, 1.3, (n, 5))),
        lambda x: 2.0 * x.max(axis=1) > x.sum(axis=1),
    ),
    of(
        "one column of ten lies between two others",
        normal(10),
        lambda x: (x[:, 3] - x[:, 0]) * (x[:, 3] - x[:, 7]) < 0.0,
    ),
    of("strongest cycle of 32 columns is slow", normal(32), lambda x: strongest_cycle(x) <= 7),
    of("five counts have one peak", lambda n, rng: rng.poisson(30, (n, 5)), one_peak),
    of("one of 12 bins is empty", lambda n, rng: rng.poisson(3, (n, 12)), lambda x: (x == 0).any(axis=1)),
    of(
        "the first of nine labels is the most frequent",
        lambda n, rng: rng.integers(0, 4, (n, 9)),
        first_is_most_frequent,
        right=FAINT,
    ),
    of(
        "eight counts are all rounded to fives, once in 10",
        lambda n, rng: rng.poisson(50, (n, 8)),
        lambda x: (x % 5 == 0).all(axis=1),
        change=lambda x: 5 * ((x + 2) // 5),
    ),
    of("one row of four beats another in every column", normal(4, 4), one_row_beats_another),
    of(
        "a filled square among 5 by 5 pixels",
        lambda n, rng: (rng.random((n, 5, 5)) < 0.45).astype(np.int64),
        filled_square,
    ),
    one_of("three words in alphabetical order", three_words, in_alphabetical_order, "words"),
    one_of("more than half of a disk is used", storage, over_half_full, "words"),
    one_of("thirty bases contain GAT", bases, lambda s: "GAT" in s, "words"),
    one_of("ends with the word it began with", sentence, lambda s: s.split()[0] == s.split()[-1], "words"),
    one_of("as many entries as the header says", with_header, lambda v: v[0] == len(v) - 1),
    one_of("two meetings overlap", meetings, two_overlap),
    one_of("the last three readings rise", readings, lambda v: v[-3] < v[-2] < v[-1]),
    one_of("heavy for the height", patient, lambda p: p.weight > 25.0 * p.height**2),
    one_of("the parts add up to the total", branches, parts_add_up),
    one_of("an address without consent", subscriber, address_without_consent),
    one_of("two lottery numbers are consecutive", lottery, lambda s: any(i + 1 in s for i in s)),
    one_of("three crosses in a line", crosses_and_noughts, three_crosses),
    one_of("a day of the weekend", day, lambda d: d.weekday() >= 5),
    one_of("an order before the registration", account, ordered_before_registering),
)
LEAKS = tuple(one.leak() for one in PROPERTIES)
