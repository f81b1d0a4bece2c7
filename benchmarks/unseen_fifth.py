"""A fifth set of leaks that nobody who writes a learner has looked at: 36 kinds, from a reviewer who doubts.

The reviewer asks what a release could tell that an audit would not see, and says each in one plain sentence:
the flight lands on the next day, two people follow each other, the update comes from a single record, the
lead of the team is absent. The outputs are numbers, rows, tables, texts, lists, records and nested objects;
five tell it on one dataset only, once in ten. As in `unseen_leaks.py`, the property is the best event. They
were written without sight of the learners and stay as they are.
"""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np

from audits.privacy import each
from benchmarks.leaks import Leak, on_one
from benchmarks.unseen_leaks import FAINT, RARE, Rng, letters, normal
from benchmarks.unseen_second import of, one_of

# --- Numbers -----------------------------------------------------------------------------------------


def reads_the_same_backwards(x: Any) -> Any:
    """Whether a number of three digits reads the same backwards."""
    return x // 100 == x % 10


def digit_sum(x: Any) -> Any:
    """The sum of five digits."""
    return (x[:, None] // 10 ** np.arange(5) % 10).sum(axis=1)


def written_dates(size: int, rng: Rng) -> Any:
    """Dates of birth written as numbers, such as 19870614."""
    year, month = rng.integers(1930, 2010, size), rng.integers(1, 13, size)
    return 10000 * year + 100 * month + rng.integers(1, 29, size)


def in_summer(x: Any) -> Any:
    """Whether such a date is in June, July or August."""
    month = x // 100 % 100
    return (month >= 6) & (month <= 8)


def three_digits(x: Any) -> Any:
    """Numbers that were written with three significant digits."""
    return np.array([float(f"{value:.2e}") for value in x])


def is_a_root(x: Any) -> Any:
    """Whether a length is the root of a whole number, as the length of a row of counts is."""
    return abs(x * x - np.round(x * x)) < 1e-9


def redder_than_blue(x: Any) -> Any:
    """Whether a colour, packed as red, green and blue bytes, has more red than blue."""
    return x >> 16 > x & 255


# --- Vectors of floats -------------------------------------------------------------------------------


def home_and_antennas(size: int, rng: Rng) -> Any:
    """A home and three antennas in the plane."""
    return rng.normal(size=(size, 8)) * np.array([0.5, 0.5, 1, 1, 1, 1, 1, 1])


def inside_the_triangle(x: Any) -> Any:
    """Whether the home is inside the triangle of the antennas."""
    corners = x[:, 2:].reshape(-1, 3, 2) - x[:, None, :2]
    following = np.roll(corners, -1, axis=1)
    side = corners[:, :, 0] * following[:, :, 1] - corners[:, :, 1] * following[:, :, 0] > 0.0
    return side.all(axis=1) | ~side.any(axis=1)


def prices(size: int, rng: Rng) -> Any:
    """The price of a share on 25 days."""
    return 100.0 * np.exp(rng.normal(0.0, 0.08, (size, 25)).cumsum(axis=1))


def deepest_loss(x: Any) -> Any:
    """The largest part of an earlier price that is lost."""
    return 1.0 - (x / np.maximum.accumulate(x, axis=1)).min(axis=1)


def one_within_the_other(x: Any) -> Any:
    """Whether one of two intervals (low, high, low, high) lies within the other."""
    return (x[:, 0] - x[:, 2]) * (x[:, 1] - x[:, 3]) < 0.0


def two_intervals(size: int, rng: Rng) -> Any:
    """Two intervals, low and high ends side by side."""
    return np.sort(rng.uniform(0.0, 100.0, (size, 2, 2)), axis=2).reshape(size, 4)


def quantised(x: Any) -> Any:
    """A gradient sent in eight bits: multiples of a 127th of its largest column."""
    step = abs(x).max(axis=1, keepdims=True) / 127.0
    return np.round(x / step) * step


def is_quantised(x: Any) -> Any:
    """Whether all columns are such multiples."""
    multiple = 127.0 * x / abs(x).max(axis=1, keepdims=True)
    return (abs(multiple - np.round(multiple)) < 1e-9).all(axis=1)


def same_direction(x: Any) -> Any:
    """Whether the first and the third of three winds, in degrees, are less than 60 degrees apart."""
    apart = (x[:, 0] - x[:, 2]) % 360.0
    return np.minimum(apart, 360.0 - apart) < 60.0


def round_to_the_same(x: Any) -> Any:
    """Whether two readings round to the same whole number."""
    return (np.diff(np.sort(np.round(x), axis=1), axis=1) == 0.0).any(axis=1)


def two_areas(size: int, rng: Rng) -> Any:
    """Two round areas: x, y and radius of each."""
    return np.column_stack(
        [
            rng.uniform(0.0, 10.0, (size, 2)),
            rng.uniform(0.5, 4.0, size),
            rng.uniform(0.0, 10.0, (size, 2)),
            rng.uniform(0.5, 4.0, size),
        ]
    )


def areas_overlap(x: Any) -> Any:
    """Whether the two areas overlap."""
    return np.hypot(x[:, 0] - x[:, 3], x[:, 1] - x[:, 4]) < x[:, 2] + x[:, 5]


def records(x: Any) -> Any:
    """How many columns after the first are above all columns before them."""
    return (x[:, 1:] > np.maximum.accumulate(x, axis=1)[:, :-1]).sum(axis=1)


# --- Vectors of integers -----------------------------------------------------------------------------


def permutations(size: int, rng: Rng) -> Any:
    """Who of eight draws whose name: a permutation of 0 to 7."""
    return np.argsort(rng.random((size, 8)), axis=1)


def parents(size: int, rng: Rng) -> Any:
    """A family tree of ten: the parent of each of the persons 1 to 9, someone of a smaller number."""
    return np.floor(rng.random((size, 9)) * np.arange(1, 10)).astype(np.int64)


def last_descends_from_first(x: Any) -> Any:
    """Whether the person 9 descends from the person 1."""
    every, person = np.arange(len(x)), np.full(len(x), 9)
    found = np.zeros(len(x), dtype=bool)
    for _ in range(9):
        person = np.where(person > 0, x[every, np.maximum(person, 1) - 1], 0)
        found |= person == 1
    return found


def two_appointments(size: int, rng: Rng) -> Any:
    """Hour and minute of two appointments from 8 to 14 o'clock."""
    hours, minutes = rng.integers(8, 14, (size, 2)), rng.integers(0, 60, (size, 2))
    return np.stack([hours, minutes], axis=2).reshape(size, 4)


def within_an_hour(x: Any) -> Any:
    """Whether less than an hour is between the two."""
    return abs(60 * (x[:, 0] - x[:, 2]) + x[:, 1] - x[:, 3]) < 60


# --- Tables ------------------------------------------------------------------------------------------


def rank_one(x: Any) -> Any:
    """An update of a layer as one record makes it: its first column times its first row."""
    return x[:, :, :1] * x[:, :1, :]


def is_rank_one(x: Any) -> Any:
    """Whether all rows of a table are multiples of the first."""
    return (abs(x[:, 1:, 1:] * x[:, :1, :1] - x[:, 1:, :1] * x[:, :1, 1:]) < 1e-9).all(axis=(1, 2))


def leads_down(x: Any) -> Any:
    """Whether free fields (1), side by side, lead from the top row of a map to the bottom row."""
    free = x == 1
    reached = free.copy()
    reached[:, 1:] = False
    for _ in range(x.shape[1] * x.shape[2] // 2 + 1):
        wider = reached.copy()
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider[:, :, 1:] |= reached[:, :, :-1]
        wider[:, :, :-1] |= reached[:, :, 1:]
        reached = wider & free
    return reached[:, -1].any(axis=1)


def followers(size: int, rng: Rng) -> Any:
    """Who of six follows whom: zeros and ones, zeros on the diagonal."""
    return (rng.random((size, 6, 6)) < 0.2).astype(np.int64) * (1 - np.eye(6, dtype=np.int64))


def two_follow_each_other(x: Any) -> Any:
    """Whether two of the six follow each other."""
    return (x * np.swapaxes(x, 1, 2)).any(axis=(1, 2))


# --- Texts -------------------------------------------------------------------------------------------


def household(rng: Rng) -> str:
    """A JSON document about a household, its fields in any order."""
    income = int(np.exp(rng.normal(8.0, 0.4)))
    fields = {
        "age": int(rng.integers(20, 90)),
        "income": income,
        "persons": int(rng.integers(1, 6)),
        "rent": int(income * rng.uniform(0.1, 0.6)),
    }
    names = list(fields)
    return json.dumps({names[i]: fields[names[i]] for i in rng.permutation(4)})


def rent_is_high(text: str) -> bool:
    """Whether the rent is more than a third of the income."""
    fields = json.loads(text)
    return 3 * fields["rent"] > fields["income"]


def network_address(rng: Rng) -> str:
    """An address such as 192.168.7.30."""
    first = (10, 172, 172, 192, 192, 84, 130)[rng.integers(0, 7)]
    second = 168 if first == 192 and rng.random() < 0.6 else int(rng.integers(0, 48 if first == 172 else 256))
    return f"{first}.{second}.{int(rng.integers(0, 256))}.{int(rng.integers(1, 255))}"


def is_private(text: str) -> bool:
    """Whether an address is of a private network: 10.*, 172.16.* to 172.31.* or 192.168.*."""
    first, second = (int(part) for part in text.split(".")[:2])
    return first == 10 or (first == 172 and 16 <= second < 32) or (first == 192 and second == 168)


def job_log(rng: Rng) -> str:
    """A line on how long a job took, in seconds or in milliseconds."""
    seconds = math.exp(rng.uniform(math.log(0.05), math.log(20.0)))
    taken = f"{round(1000 * seconds)} ms" if rng.random() < 0.5 else f"{seconds:.2f} s"
    return f"job {letters(rng, 4)} took {taken}"


def took_over_a_second(text: str) -> bool:
    """Whether it took more than one second."""
    number, unit = text.split()[-2:]
    return float(number) > (1000.0 if unit == "ms" else 1.0)


def upgrade(rng: Rng) -> str:
    """A line on a change of version: from 2.9.14 to 2.11.3."""
    first, second = (
        f"{int(rng.integers(2, 4))}.{int(rng.integers(0, 15))}.{int(rng.integers(0, 21))}" for _ in range(2)
    )
    return f"from {first} to {second}"


def is_newer(text: str) -> bool:
    """Whether the version after the change is newer than that before."""
    _, first, _, second = text.split()
    return [int(part) for part in second.split(".")] > [int(part) for part in first.split(".")]


PRAISE, COMPLAINT = ("good", "great", "lovely"), ("bad", "poor", "dirty")


def review(rng: Rng) -> str:
    """Five parts of a hotel, in any order, and a word of praise or of complaint for each."""
    parts = ("room", "food", "staff", "pool", "view")
    words = PRAISE + COMPLAINT
    return ", ".join(f"{parts[i]} {words[rng.integers(0, 6)]}" for i in rng.permutation(5))


def more_praise(text: str) -> bool:
    """Whether there is more praise than complaint."""
    return sum(part.split()[1] in PRAISE for part in text.split(", ")) >= 3


# --- Lists of varying length -------------------------------------------------------------------------


def track(rng: Rng) -> list[tuple[float, float]]:
    """A walk in the plane by three to six places."""
    return [(float(x), float(y)) for x, y in np.round(rng.normal(size=(int(rng.integers(3, 7)), 2)), 3)]


def is_a_detour(places: list[tuple[float, float]]) -> bool:
    """Whether the walk is more than three times as long as the way from its start to its end."""
    return sum(math.dist(a, b) for a, b in pairwise(places)) > 3.0 * math.dist(places[0], places[-1])


def ages(rng: Rng) -> list[int]:
    """The ages of a household of two to five, in no order."""
    return [
        int(rng.integers(0, 18) if rng.random() < 0.5 else rng.integers(18, 80))
        for _ in range(int(rng.integers(2, 6)))
    ]


def block_of_ids(data: int, rng: Rng) -> list[int]:
    """Four to nine ids of 1000 in rising order; ids that follow one another once in ten on one dataset."""
    count = int(rng.integers(4, 10))
    if on_one(data, 1, rng, RARE)[0]:
        first = int(rng.integers(1, 1000 - count))
        return list(range(first, first + count))
    return sorted(int(i) + 1 for i in rng.choice(1000, count, replace=False))


# --- Records and nested objects ----------------------------------------------------------------------

AIRPORTS = ("AMS", "BER", "LIS", "OSL", "ROM", "VIE")


def flight(rng: Rng) -> dict[str, str]:
    """A flight of less than a day."""
    departs, arrives = (f"{int(m) // 60:02d}:{int(m) % 60:02d}" for m in rng.integers(0, 1440, 2))
    start, end = rng.choice(6, 2, replace=False)
    return {
        "number": f"{letters(rng, 2).upper()}{int(rng.integers(100, 1000))}",
        "from": AIRPORTS[start],
        "to": AIRPORTS[end],
        "departs": departs,
        "arrives": arrives,
    }


def transfer(rng: Rng) -> dict[str, Any]:
    """A transfer of money between two accounts, each with the two letters of its country."""
    first, second = (
        f"{('DE', 'DK', 'FR', 'NL')[rng.integers(0, 4)]}{int(rng.integers(10, 100))} "
        f"{int(rng.integers(1000, 10000))} {int(rng.integers(1000, 10000))}"
        for _ in range(2)
    )
    return {"payer": first, "payee": second, "amount": round(float(np.exp(rng.normal(4.0, 1.0))), 2)}


def team(rng: Rng) -> dict[str, Any]:
    """A team of three to five, each of them there or absent, and the name of its lead."""
    everyone = ("ann", "bea", "cem", "dan", "eva", "fay", "gus", "hal")
    names = [everyone[i] for i in rng.permutation(8)[: int(rng.integers(3, 6))]]
    return {
        "lead": names[rng.integers(0, len(names))],
        "members": [{"name": name, "absent": bool(rng.random() < 0.4)} for name in names],
    }


def lead_is_absent(one: dict[str, Any]) -> bool:
    """Whether the lead is absent."""
    return any(member["absent"] for member in one["members"] if member["name"] == one["lead"])


def feature(rng: Rng) -> dict[str, Any]:
    """A place on a map with the box (west, south, east, north) that it is said to be in."""
    west, south = rng.uniform(0.0, 6.0, 2)
    east, north = west + rng.uniform(1.0, 6.0), south + rng.uniform(1.0, 6.0)
    x, y = rng.uniform(west - 0.8, east + 0.8), rng.uniform(south - 0.8, north + 0.8)
    return {
        "type": "Feature",
        "bbox": [round(float(side), 2) for side in (west, south, east, north)],
        "geometry": {"type": "Point", "coordinates": [round(float(x), 2), round(float(y), 2)]},
        "properties": {"name": letters(rng, 5)},
    }


def outside_its_box(one: dict[str, Any]) -> bool:
    """Whether the place is outside the box."""
    (west, south, east, north), (x, y) = one["bbox"], one["geometry"]["coordinates"]
    return not (west <= x <= east and south <= y <= north)


NUMBERS = (
    of(
        "three digits read the same backwards",
        lambda n, rng: rng.integers(100, 1000, n),
        reads_the_same_backwards,
        "number",
    ),
    of(
        "five digits add up to more than 22",
        lambda n, rng: rng.integers(10000, 100000, n),
        lambda x: digit_sum(x) > 22,
        "number",
    ),
    of("a written date is in summer", written_dates, in_summer, "number"),
    of(
        "three significant digits, once in 10",
        lambda n, rng: np.exp(rng.normal(0.0, 4.0, n)),
        lambda x: three_digits(x) == x,
        "number",
        change=three_digits,
    ),
    of(
        "a length is the root of a whole number, once in 10",
        lambda n, rng: rng.gamma(4.0, 3.0, n),
        is_a_root,
        "number",
        change=lambda x: np.sqrt(np.maximum(1.0, np.round(x * x))),
    ),
    of(
        "a packed colour is redder than blue",
        lambda n, rng: rng.integers(0, 2**24, n),
        redder_than_blue,
        "number",
    ),
)
FLOATS = (
    of("a home is inside the triangle of three antennas", home_and_antennas, inside_the_triangle),
    of("a price loses a third of an earlier one", prices, lambda x: deepest_loss(x) > 1.0 / 3.0),
    of(
        "two models choose the same of four classes",
        normal(8),
        lambda x: x[:, :4].argmax(axis=1) == x[:, 4:].argmax(axis=1),
    ),
    of("one interval lies within the other", two_intervals, one_within_the_other),
    of("a gradient is sent in eight bits, once in 10", normal(8), is_quantised, change=quantised),
    of("two winds blow the same way", lambda n, rng: rng.uniform(0.0, 360.0, (n, 3)), same_direction),
    of(
        "exactly two of ten exceed 1",
        normal(10),
        lambda x: (x > 1.0).sum(axis=1) == 2,
        right=FAINT,
    ),
    of(
        "two of five readings round to the same",
        lambda n, rng: rng.uniform(0.0, 25.0, (n, 5)),
        round_to_the_same,
    ),
    of("two round areas overlap", two_areas, areas_overlap),
    of("three of 15 days set a record", normal(15), lambda x: records(x) >= 3, right=FAINT),
)
INTEGERS = (
    of("somebody draws their own name", permutations, lambda x: (x == np.arange(8)).any(axis=1)),
    of(
        "women outnumber men in most of five age groups",
        lambda n, rng: rng.poisson(20, (n, 10)),
        lambda x: (x[:, :5] > x[:, 5:]).sum(axis=1) >= 3,
    ),
    of("one person descends from another", parents, last_descends_from_first),
    of(
        "a count more than doubles from one day to the next",
        lambda n, rng: rng.poisson(15, (n, 10)),
        lambda x: (x[:, 1:] > 2 * x[:, :-1]).any(axis=1),
    ),
    of("two appointments are within an hour", two_appointments, within_an_hour),
)
TABLES = (
    of("an update comes from a single record, once in 10", normal(4, 5), is_rank_one, change=rank_one),
    of(
        "free fields lead from the top to the bottom",
        lambda n, rng: (rng.random((n, 5, 5)) < 0.6).astype(np.int64),
        leads_down,
    ),
    of("two of six follow each other", followers, two_follow_each_other),
)
TEXTS = (
    one_of("the rent is over a third of the income", household, rent_is_high, "words"),
    one_of("an address is of a private network", network_address, is_private, "words"),
    one_of("a job took over a second", job_log, took_over_a_second, "words"),
    one_of("the new version is newer", upgrade, is_newer, "words"),
    one_of("a review has more praise than complaint", review, more_praise, "words"),
)
OBJECTS = (
    one_of("a walk is a detour", track, is_a_detour),
    one_of("a household has exactly one adult", ages, lambda v: sum(age >= 18 for age in v) == 1),
    one_of("a flight lands on the next day", flight, lambda f: f["arrives"] < f["departs"]),
    one_of("a transfer stays in its country", transfer, lambda t: t["payer"][:2] == t["payee"][:2]),
    one_of("the lead of a team is absent", team, lead_is_absent),
    one_of("a place is outside its box", feature, outside_its_box),
)
PROPERTIES = NUMBERS + FLOATS + INTEGERS + TABLES + TEXTS + OBJECTS
LEAKS = (
    *(one.leak() for one in PROPERTIES),
    Leak("container", "ids follow one another, once in 10", each(block_of_ids), (RARE, 0.0)),
)
