"""What a trace says of a pair: findings, what is lost, and whether a program can be traced at all."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any, Dict, List, Optional, Tuple

from .ended import told
from .run import Run, last_line
from .session import BITS, same
from .values import flat, shown, unlike_places


def finding(
    report: Dict[str, Any], kind: str, where: Any, text: str, about: Optional[Dict[str, Any]] = None
) -> None:
    """Something that depends on the data without noise; said once a line.

    about   what differs, for the search for its cause: "what" it is, the "key" under which a run has it, and
            its values on D ("one") and on D′ ("other").
    """
    entry = {"kind": kind, "where": list(where), "text": text, "about": about}
    if not any(f["kind"] == kind and f["where"] == entry["where"] for f in report["findings"]):
        report["findings"].append(entry)


def observed(run: Run, about: Dict[str, Any]) -> Any:
    """What differs between D and D′, as it is in a run; None where the run does not have it."""
    what, key = about["what"], about["key"]
    if what == "seed":
        return run.session.seeds[key][1] if key < len(run.session.seeds) else None
    if what == "parameter":
        row = run.session.rows.get(key[0])
        return None if row is None else flat(row["params"].get(key[1]))
    if what == "given":
        row = run.session.rows.get(key)
        return None if row is None else flat(row["argument"])
    return next((flat(use[what]) for use in run.session.uses if use["key"] == key), None)


def stripped(report: Dict[str, Any]) -> Dict[str, Any]:
    """The report without what only the search for causes needs."""
    for entry in report["findings"]:
        about = entry.pop("about", None) or {}
        if entry["kind"] == "scale":
            # From these the ledger computes by how much the laws on D and on D′ differ.
            key, of_parameter = about["key"], about["what"] == "parameter"
            entry["draw"] = key if about["what"] == "moved" else key[0] if of_parameter else key[0] >> BITS
            entry["factors"] = [1.0, 1.0] if of_parameter else [float(about["one"]), float(about["other"])]
    return report


def lost(report: Dict[str, Any], where: Any, text: str) -> None:
    """Something of which the trace cannot say what it depends on."""
    entry = {"where": list(where), "text": text}
    if entry not in report["lost"]:
        report["lost"].append(entry)


def deterministic(recorded: Run, again: Run, report: Dict[str, Any]) -> bool:
    """Whether the program does the same on the same data with the same draws; else the line is reported."""
    diverged = again.session.diverged
    where = None
    if diverged is not None or len(again.session.draws) != len(recorded.session.draws):
        place = (
            diverged if diverged is not None else min(len(again.session.draws), len(recorded.session.draws))
        )
        rows = again.session.draws if place < len(again.session.draws) else recorded.session.draws
        where = rows[place]["where"] if place < len(rows) else ("", 0, "")
        text = (
            "the program is not deterministic given its draws: with the same data and draws its draws differ"
        )
    elif (recorded.error is None) != (again.error is None):
        where = recorded.where or again.where
        text = "the program is not deterministic given its draws: an error comes and goes"
    elif _moving(recorded, again) is not None:
        where = _moving(recorded, again)
        text = (
            "the program is not deterministic given its draws: with the same data and draws, noise is added "
            "to another number (threads, time, hash order, or a source that is not watched)"
        )
    elif recorded.error is None and unlike_places(recorded.output, again.output, 0.0):
        path, a, b = unlike_places(recorded.output, again.output, 0.0)[0]
        draws = recorded.session.draws
        where = last_line(recorded)
        what = (
            "draws from a source that is not watched, or"
            if not draws
            else "draws from a source that is not watched, is not deterministic (threads, time, hashes), or"
        )
        text = (
            "the program %s changes what it is given: with the same data and draws output%s is %s and %s"
            % (what, path, shown(a), shown(b))
        )
    if where is None:
        return True
    lost(report, where, text)
    return False


def _moving(recorded: Run, again: Run) -> Any:
    """The line of the first sum whose argument is another one in a second run on the same data."""
    known = {use["key"]: use for use in recorded.session.uses}
    for use in again.session.uses:
        other = known.get(use["key"])
        if other is not None and not same(other["argument"], use["argument"]):
            return use["where"]
    return None


def seeds(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    """Reports a generator that starts from another number on D′."""
    for k, ((where, one), (_, other)) in enumerate(zip(recorded.session.seeds, frozen.session.seeds)):
        if one != other:
            text = "a generator is seeded with %s on D and with %s on D′: its noise depends on the data"
            about = {"what": "seed", "key": k, "one": one, "other": other}
            finding(report, "parameter", where, text % (one[:60], other[:60]), about)
    report["seeds"] = [[list(where), seed] for where, seed in recorded.session.seeds]
    twins(recorded, report)


def twins(recorded: Run, report: Dict[str, Any]) -> None:
    """Says that two generators which draw start from the same number: their noise is not independent, so that
    costs do not add up."""
    drawing = {
        id(row["origin"]): row["origin"] for row in recorded.session.draws if row["origin"] is not None
    }
    first: Dict[str, Any] = {}
    for where, seed in drawing.values():
        if seed in first:
            place = "%s:%d" % (os.path.basename(first[seed][0]), first[seed][1])
            text = "this generator starts from the same number as that of %s: their noise is the same"
            lost(report, where, text % place)
        first.setdefault(seed, where)


def errors(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    """Reports an error: on both datasets it says nothing of privacy, on one of them it tells which."""
    one, other = recorded.error, frozen.error
    if one is not None and other is not None:
        report["raised"] = told(one)
        lost(report, recorded.where or ("", 0, ""), "the program ends with %s on both datasets" % told(one))
        return
    error, where = (one, recorded.where) if one is not None else (other, frozen.where)
    assert error is not None
    name, _, words = told(error).partition(": ")
    text = "%s is raised on %s and not on the other dataset: %s"
    finding(report, "exception", where or ("", 0, ""), text % (name, "D" if one is not None else "D′", words))


def unlike_words(place: Tuple[str, Any, Any]) -> str:
    """What is said of a place of the output that differs."""
    path, a, b = place
    name = path if path.startswith("the ") else "output" + path
    return "%s is %s on D and %s on D′, with every release the same: it was never noised" % (
        name,
        shown(a),
        shown(b),
    )


def sequence(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    """Reports where the runs draw other laws, or in another order."""
    one, other = recorded.session.draws, frozen.session.draws
    place = frozen.session.diverged
    if place is None and len(one) != len(other) and frozen.error is None:
        place = min(len(one), len(other))
    if place is None:
        return
    row = other[place] if place < len(other) else one[place]
    text = "which draws are made depends on the data and not on released values alone: " + _parting(
        one, other, place
    )
    lines = [rows[place]["where"] if place < len(rows) else None for rows in (one, other)]
    about = {"what": "path", "key": place, "one": lines[0], "other": lines[1]}
    finding(report, "path", row["where"], text, about)


def _parting(one: List[Dict[str, Any]], other: List[Dict[str, Any]], place: int) -> str:
    """Where two runs draw differently, in words."""
    if place < len(one) and place < len(other) and one[place]["where"] != other[place]["where"]:
        counts = [Counter(row["where"] for row in rows) for rows in (one, other)]
        for where in (one[place]["where"], other[place]["where"]):
            if counts[0][where] != counts[1][where]:
                return _times(where, counts[0][where], counts[1][where])
    if place >= len(one) or place >= len(other):
        where = (one if place < len(one) else other)[place]["where"]
        return _times(where, *(sum(row["where"] == where for row in rows) for rows in (one, other)))
    return "%s is drawn on D, %s on D′" % (_drawn(one[place]), _drawn(other[place]))


def _times(where: Any, first: int, second: int) -> str:
    words = ["once" if n == 1 else "never" if n == 0 else "%d times" % n for n in (first, second)]
    return "line %d draws %s on D and %s on D′" % (where[1], *words)


def _drawn(row: Dict[str, Any]) -> str:
    shape = "" if row["shape"] == () else " of shape %s" % (row["shape"],)
    return "%s%s in line %d" % (row["law"], shape, row["where"][1])
