"""A sixth set of leaks that nobody who writes a learner has looked at: 36 kinds, from wards and networks.

A statistician of trials, an engineer of networks and the keeper of a data warehouse say what they would
notice in a release: the link is loaded beyond its capacity, the patient who dropped out comes back, an order
is of a customer who is not there, the record number is the date of birth. The outputs are numbers, rows,
tables, texts, lists, sets, records and nested objects; five tell it on one dataset only, once in ten. As in
`unseen_leaks.py`, the property is the best event. They were written without sight of the learners and stay as
they are.
"""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np

from audits.privacy import each
from benchmarks.leaks import Leak, on_one
from benchmarks.unseen_leaks import FAINT, RARE, Rng, letters
from benchmarks.unseen_second import of, one_of

# --- Numbers -----------------------------------------------------------------------------------------


def clock_times(size: int, rng: Rng) -> Any:
    """Times of day written as hours and minutes, such as 1430."""
    return 100 * rng.integers(0, 24, size) + rng.integers(0, 60, size)


def packed_addresses(size: int, rng: Rng) -> Any:
    """Addresses 10.a.b.c as whole numbers, c from 1 to 254."""
    return (10 << 24) + 256 * rng.integers(0, 2**16, size) + rng.integers(1, 255, size)


def is_gateway(x: Any) -> Any:
    """Whether such an address is the first or the last of its network: c is 1 or 254."""
    return np.isin(x % 256, (1, 254))


def check_digit_is_right(x: Any) -> Any:
    """Whether the last of five digits is the last digit of the sum of the others."""
    digits = x[:, None] // 10 ** np.arange(5) % 10
    return digits[:, 1:].sum(axis=1) % 10 == digits[:, 0]


DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def posting_dates(size: int, rng: Rng) -> Any:
    """Dates from 2001 to 2024 written as numbers, such as 20190430."""
    year, month = rng.integers(2001, 2025, size), rng.integers(1, 13, size)
    last = DAYS[month - 1] + ((month == 2) & (year % 4 == 0))
    return 10000 * year + 100 * month + 1 + np.floor(rng.random(size) * last).astype(np.int64)


def ends_the_month(x: Any) -> Any:
    """Whether such a date is the last of its month."""
    year, month = x // 10000, x // 100 % 100
    return x % 100 == DAYS[month - 1] + ((month == 2) & (year % 4 == 0))


def group_may_more(x: Any) -> Any:
    """Whether, by three bits each for owner, group and others, the group may what the owner may not."""
    return (x >> 3) & ~(x >> 6) & 7 != 0


def of_two_counts(x: Any) -> Any:
    """Log ratios of two counts, the second of at most 12."""
    below = 1 + (abs(x) * 1e6).astype(np.int64) % 12
    return np.log(np.maximum(1.0, np.round(np.exp(x) * below)) / below)


def is_of_two_counts(x: Any) -> Any:
    """Whether a number is such a log ratio."""
    above = np.exp(x)[:, None] * np.arange(1, 13)
    return (abs(above - np.round(above)) < 1e-9).any(axis=1)


# --- Vectors of floats -------------------------------------------------------------------------------


def two_survivals(size: int, rng: Rng) -> Any:
    """The shares of two arms of a trial that are alive at six visits, one arm after the other."""
    return rng.uniform(0.75, 1.0, (size, 2, 6)).cumprod(axis=2).reshape(size, 12)


def curves_cross(x: Any) -> Any:
    """Whether each arm is ahead of the other at some visit."""
    ahead = x[:, :6] > x[:, 6:]
    return ahead.any(axis=1) & ~ahead.all(axis=1)


def waits(size: int, rng: Rng) -> Any:
    """Five waits between attempts to connect."""
    return np.exp(rng.normal(0.0, 0.4, (size, 5)))


def backed_off(x: Any) -> Any:
    """Waits that grow, or shrink, by the factor between the first two."""
    return x[:, :1] * (x[:, 1:2] / x[:, :1]) ** np.arange(5)


def is_backed_off(x: Any) -> Any:
    """Whether all waits differ from the one before by the same factor."""
    factors = x[:, 1:] / x[:, :-1]
    return (abs(factors / factors[:, :1] - 1.0) < 1e-9).all(axis=1)


def links(size: int, rng: Rng) -> Any:
    """The loads of six links, and then their six capacities."""
    return np.column_stack([rng.gamma(4.0, 1.0, (size, 6)), rng.uniform(4.0, 12.0, (size, 6))])


def pressures(size: int, rng: Rng) -> Any:
    """The blood pressure at the 24 hours of a day, at night some hours lower."""
    values = rng.normal(125.0, 8.0, (size, 24))
    values[:, :6] *= rng.uniform(0.8, 1.0, (size, 1))
    return values


def dips_at_night(x: Any) -> Any:
    """Whether the mean of the first six hours is more than a tenth below that of the others."""
    return x[:, :6].mean(axis=1) < 0.9 * x[:, 6:].mean(axis=1)


def attended(size: int, rng: Rng) -> Any:
    """A score at each of six visits, zero where the patient did not come."""
    return rng.gamma(9.0, 2.0, (size, 6)) * (rng.random((size, 6)) < 0.6)


def comes_back(x: Any) -> Any:
    """Whether a score follows a zero."""
    return ((x[:, :-1] == 0.0) & (x[:, 1:] > 0.0)).any(axis=1)


# --- Vectors of integers, matrices -------------------------------------------------------------------


def counter(size: int, rng: Rng) -> Any:
    """Ten readings of a counter of errors, which starts again at zero where a router is started again."""
    steps, starts = rng.poisson(6, (size, 10)), rng.random((size, 10)) < 0.07
    total = rng.integers(0, 200, size)
    values = np.empty((size, 10), dtype=np.int64)
    for k in range(10):
        total = np.where(starts[:, k], 0, total) + steps[:, k]
        values[:, k] = total
    return values


def blocks_are_balanced(x: Any) -> Any:
    """Whether two of every four patients in turn are treated."""
    return (x.reshape(-1, 3, 4).sum(axis=2) == 2).all(axis=1)


def plan(size: int, rng: Rng) -> Any:
    """The order in which each of three patients is given three treatments."""
    return np.argsort(rng.random((size, 3, 3)), axis=2)


def each_in_each_period(x: Any) -> Any:
    """Whether each treatment is given in each period."""
    return (np.sort(x, axis=1) == np.arange(3)[:, None]).all(axis=(1, 2))


def delays(size: int, rng: Rng) -> Any:
    """The delays between five sites as a symmetric matrix."""
    upper = np.triu(rng.uniform(3.0, 10.0, (size, 5, 5)), 1)
    return upper + np.swapaxes(upper, 1, 2)


def detour_is_faster(x: Any) -> Any:
    """Whether the way by a third site is faster than some direct way."""
    detour = np.where(np.eye(5) == 1.0, np.inf, x)
    return ((detour[:, :, :, None] + detour[:, None, :, :]).min(axis=2) < x).any(axis=(1, 2))


# --- Texts -------------------------------------------------------------------------------------------


def hardware_address(rng: Rng) -> str:
    """A hardware address of a network card, such as 3c:07:54:1a:9f:e0."""
    return ":".join(f"{part:02x}" for part in rng.integers(0, 256, 6))


def path(rng: Rng) -> str:
    """A path of three to six steps, down into a folder or up by `..`."""
    return "/".join(".." if rng.random() < 0.4 else letters(rng, 2) for _ in range(int(rng.integers(3, 7))))


def leads_out(text: str) -> bool:
    """Whether a path leads out of the folder that it starts in."""
    depth = 0
    for step in text.split("/"):
        depth += -1 if step == ".." else 1
        if depth < 0:
            return True
    return False


METHODS, CHANGES = ("GET", "HEAD", "POST", "PUT", "DELETE"), ("POST", "PUT", "DELETE")
STATES, REFUSED = ("200", "201", "301", "401", "403", "404", "500"), ("401", "403")


def request(rng: Rng) -> str:
    """A line of the log of a server: method, page, state and bytes."""
    method, state = METHODS[rng.integers(0, 5)], STATES[rng.integers(0, 7)]
    return f"{method} /{letters(rng, 3)} {state} {int(rng.geometric(1e-3))}"


def change_is_refused(text: str) -> bool:
    """Whether a request to change something was refused."""
    method, _, state, _ = text.split()
    return method in CHANGES and state in REFUSED


def prescription(rng: Rng) -> str:
    """A prescription, such as: 2 tablets of 250 mg, 3 times daily."""
    strength = (50, 100, 200, 250, 400, 500)[rng.integers(0, 6)]
    return f"{int(rng.integers(1, 4))} tablets of {strength} mg, {int(rng.integers(1, 5))} times daily"


def over_a_gram(text: str) -> bool:
    """Whether it is more than a gram a day."""
    words = text.split()
    return int(words[0]) * int(words[3]) * int(words[5]) > 1000


def condition(rng: Rng) -> str:
    """The condition of a query: letters, and four or six brackets that open or close."""
    drawn = rng.integers(0, 52, 6 if rng.random() < 0.5 else 4).tolist()
    return "".join("()"[i // 26] + "abcdefghijklmnopqrstuvwxyz"[i % 26] for i in drawn)


def brackets_match(text: str) -> bool:
    """Whether each bracket that opens is closed, and the other way round."""
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def a_birth(rng: Rng) -> tuple[int, int, int]:
    """Day, month and year of a birth, of fifty years."""
    return int(rng.integers(1, 29)), int(rng.integers(1, 13)), int(rng.integers(1940, 1990))


def card(data: int, rng: Rng) -> str:
    """A record number that looks like a date, and a date of birth; once in ten on one dataset the same."""
    day, month, year = a_birth(rng)
    a, b, c = (day, month, year) if on_one(data, 1, rng, RARE)[0] else a_birth(rng)
    return f"record {a:02d}{b:02d}{c % 100:02d}, born {day}.{month}.{year}"


SAME_BIRTH = 1.0 / (28 * 12 * 50)


# --- Lists and sets of varying length ----------------------------------------------------------------

DRUGS = (
    "atenolol",
    "metoprolol",
    "enalapril",
    "ramipril",
    "simvastatin",
    "atorvastatin",
    "losartan",
    "valsartan",
    "diazepam",
    "lorazepam",
)


def medication(rng: Rng) -> set[str]:
    """Two to five drugs, of five classes."""
    return {DRUGS[i] for i in rng.permutation(10)[: int(rng.integers(2, 6))]}


def two_of_a_class(drugs: set[str]) -> bool:
    """Whether two of the drugs are of one class, and so end alike."""
    return len({drug[-4:] for drug in drugs}) < len(drugs)


def hosts(rng: Rng) -> list[str]:
    """Three to six addresses 10.0.a.b, a one of 16 networks."""
    return [
        f"10.0.{int(rng.integers(0, 16))}.{int(rng.integers(1, 255))}" for _ in range(int(rng.integers(3, 7)))
    ]


def share_a_network(addresses: list[str]) -> bool:
    """Whether two addresses are of one network."""
    return len({address.split(".")[2] for address in addresses}) < len(addresses)


def clicks(rng: Rng) -> list[int]:
    """The minutes of the day of four to nine clicks, in order."""
    first = int(rng.integers(0, 1000))
    gaps = rng.geometric(1.0 / 15.0, int(rng.integers(3, 9)))
    return [first, *(first + int(since) for since in gaps.cumsum())]


def alarms(rng: Rng) -> list[tuple[str, str]]:
    """Four to nine messages, each that one of three links is up or down."""
    return [
        (("north", "south", "west")[rng.integers(0, 3)], "down" if rng.random() < 0.35 else "up")
        for _ in range(int(rng.integers(4, 10)))
    ]


def stays_down(messages: list[tuple[str, str]]) -> bool:
    """Whether the last message on some link is that it is down."""
    return "down" in dict(messages).values()


def tumour(rng: Rng) -> list[float]:
    """The size of a tumour in millimetres at three to seven visits."""
    sizes = rng.uniform(20.0, 60.0) * np.exp(rng.normal(-0.05, 0.15, int(rng.integers(3, 8))).cumsum())
    return [round(float(size), 1) for size in sizes]


def progresses(sizes: list[float]) -> bool:
    """Whether the tumour is at some visit a fifth larger than the smallest that it was before."""
    return any(size > 1.2 * min(sizes[:visit]) for visit, size in enumerate(sizes) if visit > 0)


def loaded(data: int, rng: Rng) -> list[int]:
    """Six to twelve ids of 1000, an even number of them; one half is the other once in ten on one dataset."""
    count = int(rng.integers(3, 7))
    ids = [int(i) for i in rng.integers(1, 1001, 2 * count)]
    return 2 * ids[:count] if on_one(data, 1, rng, RARE)[0] else ids


# --- Records and nested objects ----------------------------------------------------------------------


def extract(rng: Rng) -> dict[str, Any]:
    """Four to six customers, and two to four orders of customers most of whom are among them."""
    ids = [int(i) + 100 for i in rng.permutation(30)]
    count = int(rng.integers(4, 7))
    return {
        "customers": ids[:count],
        "orders": [
            {
                "item": letters(rng, 3),
                "customer": ids[rng.integers(0, count) if rng.random() < 0.8 else rng.integers(count, 30)],
            }
            for _ in range(int(rng.integers(2, 5)))
        ],
    }


def order_of_nobody(one: dict[str, Any]) -> bool:
    """Whether an order is of a customer who is not there."""
    return any(order["customer"] not in one["customers"] for order in one["orders"])


def firewall(rng: Rng) -> dict[str, Any]:
    """A packet to a port, and two to four rules of which the first for its port decides."""
    rules = []
    for _ in range(int(rng.integers(2, 5))):
        low, high = sorted(int(port) for port in rng.integers(1, 1000, 2))
        rules.append({"from": low, "to": high, "action": "allow" if rng.random() < 0.5 else "deny"})
    return {"port": int(rng.integers(1, 1000)), "rules": rules}


def is_let_through(one: dict[str, Any]) -> bool:
    """Whether the first rule for the port of the packet allows it, or else the packet is dropped."""
    for rule in one["rules"]:
        if rule["from"] <= one["port"] <= rule["to"]:
            return rule["action"] == "allow"
    return False


def adverse(rng: Rng) -> dict[str, Any]:
    """The days of two to four doses, and an adverse event of some grade on a day."""
    doses = sorted(int(day) + 1 for day in rng.permutation(40)[: int(rng.integers(2, 5))])
    event = {"grade": int(rng.integers(1, 5)), "day": int(rng.integers(1, 44))}
    return {"patient": letters(rng, 3), "doses": doses, "event": event}


def follows_a_dose(one: dict[str, Any]) -> bool:
    """Whether the event is on the day of a dose or one of the three days after."""
    return any(0 <= one["event"]["day"] - day <= 3 for day in one["doses"])


def visit(rng: Rng) -> tuple[date, date, int]:
    """Dates of birth and of a visit, and the years between them as the age, or one year less."""
    born = date(int(rng.integers(1930, 2000)), int(rng.integers(1, 13)), int(rng.integers(1, 29)))
    seen = date(int(rng.integers(2010, 2025)), int(rng.integers(1, 13)), int(rng.integers(1, 29)))
    return born, seen, seen.year - born.year - int(rng.integers(0, 2))


def age_is_right(one: tuple[date, date, int]) -> bool:
    """Whether the age is that on the day of the visit."""
    born, seen, age = one
    return age == seen.year - born.year - ((seen.month, seen.day) < (born.month, born.day))


def company(rng: Rng) -> dict[str, Any]:
    """Four to seven people under one another, with their pay."""
    count = int(rng.integers(4, 8))
    names, shares, places = letters(rng, count), rng.uniform(0.6, 1.07, count), rng.random(count)
    people: list[dict[str, Any]] = [{"name": names[0], "pay": round(200.0 * shares[0]), "reports": []}]
    for k in range(1, count):
        above = people[int(k * places[k])]
        one = {"name": names[k], "pay": round(above["pay"] * shares[k]), "reports": []}
        above["reports"].append(one)
        people.append(one)
    return people[0]


def earns_more_than_the_manager(one: dict[str, Any]) -> bool:
    """Whether somebody earns more than the person right above."""
    return any(below["pay"] > one["pay"] or earns_more_than_the_manager(below) for below in one["reports"])


JOBS = ("clean", "copy", "count", "join", "send")


def schedule(rng: Rng) -> dict[str, list[str]]:
    """For each of five nightly jobs the jobs that it waits for."""
    waiting = rng.random((5, 5)) < 0.22
    return {job: [JOBS[j] for j in range(5) if j != i and waiting[i, j]] for i, job in enumerate(JOBS)}


def never_ends(waiting: dict[str, list[str]]) -> bool:
    """Whether jobs wait for one another in a circle."""
    left = set(waiting)
    while left:
        ready = {job for job in left if not left.intersection(waiting[job])}
        if not ready:
            return True
        left -= ready
    return False


def typed_row(rng: Rng) -> dict[str, Any]:
    """Two to four columns, each for whole numbers or for texts, and a row of them."""
    columns, row = {}, {}
    for i in rng.permutation(6)[: int(rng.integers(2, 5))]:
        name = ("city", "code", "floor", "plan", "ref", "unit")[i]
        columns[name] = ("int", "text")[rng.integers(0, 2)]
        is_number = (columns[name] == "int") == (rng.random() < 0.8)
        row[name] = int(rng.integers(0, 100)) if is_number else letters(rng, 2)
    return {"columns": columns, "row": row}


def is_mistyped(one: dict[str, Any]) -> bool:
    """Whether a value is not what its column is for."""
    return any(isinstance(one["row"][name], int) != (kind == "int") for name, kind in one["columns"].items())


def site_mean(data: int, rng: Rng) -> dict[str, Any]:
    """How many patients a site has and their mean age; that of whole ages once in ten on one dataset."""
    count, mean = int(rng.integers(5, 40)), float(rng.normal(55.0, 6.0))
    if on_one(data, 1, rng, RARE)[0]:
        mean = round(mean * count) / count
    return {"site": letters(rng, 3), "patients": {"count": count, "mean_age": mean}}


NUMBERS = (
    of(
        "a time of day is on a quarter of an hour",
        clock_times,
        lambda x: x % 100 % 15 == 0,
        "number",
        FAINT,
    ),
    of("an address is the first or last of its network", packed_addresses, is_gateway, "number"),
    of(
        "a check digit is right",
        lambda n, rng: rng.integers(10000, 100000, n),
        check_digit_is_right,
        "number",
    ),
    of("a date is the last of its month", posting_dates, ends_the_month, "number"),
    of(
        "a group may what the owner may not",
        lambda n, rng: rng.integers(0, 512, n),
        group_may_more,
        "number",
    ),
    of(
        "a log ratio is that of two counts, once in 10",
        lambda n, rng: rng.normal(0.0, 1.0, n),
        is_of_two_counts,
        "number",
        change=of_two_counts,
    ),
)
FLOATS = (
    of("two survival curves cross", two_survivals, curves_cross),
    of("waits change by one factor, once in 10", waits, is_backed_off, change=backed_off),
    of("one of six links is overloaded", links, lambda x: (x[:, :6] > x[:, 6:]).any(axis=1)),
    of("a blood pressure dips at night", pressures, dips_at_night, right=FAINT),
    of("a patient who dropped out comes back", attended, comes_back),
)
INTEGERS = (
    of("a counter was set back", counter, lambda x: (np.diff(x, axis=1) < 0).any(axis=1)),
    of(
        "treatments are balanced in each block of four",
        lambda n, rng: rng.integers(0, 2, (n, 12)),
        blocks_are_balanced,
    ),
    of(
        "a weekday has the same count in both weeks",
        lambda n, rng: rng.poisson(20, (n, 14)),
        lambda x: (x[:, :7] == x[:, 7:]).any(axis=1),
    ),
)
TABLES = (
    of("each treatment is given in each period", plan, each_in_each_period),
    of("a detour is faster than a direct way", delays, detour_is_faster),
)
TEXTS = (
    one_of(
        "a hardware address is made up",
        hardware_address,
        lambda text: text[1] in "26ae",
        "words",
    ),
    one_of("a path leads out of its folder", path, leads_out, "words", FAINT),
    one_of("a change is refused", request, change_is_refused, "words"),
    one_of("a prescription is of over a gram a day", prescription, over_a_gram, "words"),
    one_of("all brackets match", condition, brackets_match, "words"),
)
LISTS = (
    one_of("two drugs are of one class", medication, two_of_a_class),
    one_of("two hosts share a network", hosts, share_a_network),
    one_of(
        "over half an hour between two clicks",
        clicks,
        lambda times: any(after - before > 30 for before, after in pairwise(times)),
        right=FAINT,
    ),
    one_of("a link stays down", alarms, stays_down),
    one_of("a tumour progresses", tumour, progresses),
)
OBJECTS = (
    one_of("an order is of a customer who is not there", extract, order_of_nobody),
    one_of("a packet is let through", firewall, is_let_through),
    one_of("an adverse event follows a dose", adverse, follows_a_dose),
    one_of("an age is right on the day of a visit", visit, age_is_right),
    one_of("somebody earns more than the manager", company, earns_more_than_the_manager),
    one_of("jobs wait for one another in a circle", schedule, never_ends),
    one_of("a value is not of the type of its column", typed_row, is_mistyped),
)
PROPERTIES = NUMBERS + FLOATS + INTEGERS + TABLES + TEXTS + LISTS + OBJECTS
LEAKS = (
    *(one.leak() for one in PROPERTIES),
    Leak(
        "words",
        "a record number is the date of birth, once in 10",
        each(card),
        (RARE + (1.0 - RARE) * SAME_BIRTH, SAME_BIRTH),
    ),
    Leak("container", "a batch is loaded twice, once in 10", each(loaded), (RARE, 0.0)),
    Leak("container", "a mean is that of whole ages, once in 10", each(site_mean), (RARE, 0.0)),
)
