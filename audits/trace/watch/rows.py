"""The rows of a ledger: each draw with its parameters and arguments on D and on D′."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from .derived import parents_of, resampled, simple
from .rejection import UNKNOWN as NOT_KNOWN
from .report import finding, lost
from .run import Run
from .session import BITS
from .shifts import Explanation, event_ids, in_comparisons
from .values import SAME, alike, differences, flat, numbers, shown

FILLED = (
    "a uniform number fills an interval whose ends depend on the data, after a choice among such intervals: "
    "the density of that is not known"
)
SHAPED = ("beta", "poisson", "geometric", "negative_binomial", "chisquare", "dirichlet", "binomial")
"""Laws that are drawn from as they are, and not added to something: their two laws are compared."""


def rows_of(
    recorded: Run, found: Explanation, report: Dict[str, Any], gap: bool = False
) -> List[Dict[str, Any]]:
    """A row for each draw that both runs made, for each function of noise that was released, each
    comparison; with a gap also for draws of D alone."""
    frozen = found.run
    stop = frozen.session.diverged
    known = frozen.session.rows
    drawn = [row for row in recorded.session.draws[:stop] if gap or row["index"] in known]
    pairs = [(row, known.get(row["index"], row)) for row in drawn]
    moved = [k for k, s in found.shifts.items() if k in recorded.session.functions and np.any(s != 0.0)]
    involved = {k for k in in_comparisons(frozen.session) if k in recorded.session.functions}
    pairs += [
        (recorded.session.functions[k], frozen.session.functions.get(k, recorded.session.functions[k]))
        for k in sorted(set(moved) | involved)
    ]
    rows = []
    for one, other in pairs:
        row = {
            "index": one["index"],
            "law": one["law"],
            "kind": one["kind"],
            "where": list(one["where"]),
            "shape": list(one["shape"]),
            "params": {name: flat(value) for name, value in one["params"].items()},
            "params_other": {name: flat(value) for name, value in other["params"].items()},
            "adapted": other["adapted"],
            "shift": None if one["index"] in found.compared else found.shifts.get(one["index"]),
            "at": one.get("at", one["index"]),
            "origin": one.get("origin"),
            "parents": [],
            "samples": None,
            "recipe": None,
        }
        if one["index"] in found.redrawn.rejected:
            row["shift"] = None
        elif one["index"] in found.redrawn.kept:
            row["kept"] = found.redrawn.kept[one["index"]]
            row["unknown"] = NOT_KNOWN if row["kept"] is None else None
        _parameters(row, one, other, found, report)
        if one["kind"] == "mechanism":
            row["argument"], row["argument_other"] = flat(one["argument"]), flat(other["argument"])
            row["mapped"] = mapped(one, other)
            _finite(row, report)
        if one["kind"] == "derived":
            row["parents"] = sorted(parents_of(recorded.session, one["index"]))
            row["recipe"] = simple(recorded.session, one)
            if row["recipe"] is None:
                row["samples"] = resampled(recorded.session, one["index"])
        rows.append(row)
    sums(recorded, found, report)
    comparisons(rows, recorded, frozen, found, report)
    if found.coins is not None:
        where = found.coins["where"] or ["", 0, ""]
        rows.append(bare_row(-1, "coins", "coins", where, logs=found.coins["logs"]))
    return rows


def bare_row(
    index: int, law: str, kind: str, where: Sequence[Any], shape: Sequence[int] = (), **more: Any
) -> Dict[str, Any]:
    """A row of the ledger that stands for no single draw: it has no parameters and no argument."""
    row: Dict[str, Any] = {"index": index, "law": law, "kind": kind, "where": list(where)}
    row.update(shape=list(shape), params={}, params_other={}, unlike=[], adapted=False, shift=None)
    return dict(row, **more)


def sums(recorded: Run, found: Explanation, report: Dict[str, Any]) -> None:
    """Sums whose noise has a factor that depends on the data, or whose argument is not finite on one
    dataset."""
    frozen = found.run
    known = {use["key"]: use for use in recorded.session.uses}
    for use in frozen.session.uses:
        other = known.get(use["key"])
        if other is None or np.shape(other["factor"]) != np.shape(use["factor"]):
            continue
        unlike = ~np.ravel(alike(other["factor"], use["factor"], SAME))
        if np.any(unlike):
            a, b = np.ravel(other["factor"])[unlike][0], np.ravel(use["factor"])[unlike][0]
            if int(np.ravel(use["ids"])[0]) >> BITS in found.filled:
                continue
            finding(
                report,
                "scale",
                use["where"],
                "the noise is multiplied by %s on D and by %s on D′: its scale depends on the data"
                % (shown(abs(a)), shown(abs(b))),
                {"what": "factor", "key": use["key"], "one": a, "other": b},
            )
        with np.errstate(all="ignore"):
            broken = np.ravel(np.isfinite(other["argument"]) != np.isfinite(use["argument"]))
        if np.any(broken):
            a, b = np.ravel(other["argument"])[broken][0], np.ravel(use["argument"])[broken][0]
            finding(
                report,
                "nan",
                use["where"],
                "noise is added to %s on D and to %s on D′: no noise hides that" % (shown(a), shown(b)),
                {"what": "argument", "key": use["key"], "one": a, "other": b},
            )


def _parameters(
    row: Dict[str, Any],
    one: Dict[str, Any],
    other: Dict[str, Any],
    found: Explanation,
    report: Dict[str, Any],
) -> None:
    """A parameter that depends on the data: a finding for noise, a pair of laws for a choice."""
    unlike = []
    for name in sorted(set(one["params"]) | set(other["params"])):
        a, b = flat(one["params"].get(name)), flat(other["params"].get(name))
        if name == "size" or (other["adapted"] and name in ("a", "x", "size")):
            continue
        if differences(a, b, SAME):
            unlike.append((name, a, b))
    row["unlike"] = [name for name, _, _ in unlike]
    interval = found.filled.get(one["index"])
    if interval is not None:
        row["unlike"], row["filled"], row["shift"] = [], interval.laws, None
        if interval.laws is None:
            row["unknown"] = FILLED
        return
    if any(each.chooser == one["index"] for each in found.filled.values()):
        row["unlike"] = []  # the choice is a part of the law of what fills the interval
        return
    for name, a, b in unlike:
        if one["kind"] == "mechanism" and name == "utility":
            continue
        if one["law"] in ("choice", "binomial", "multinomial") and name in ("p", "pvals"):
            continue
        if one["law"] in SHAPED:
            continue  # of a posterior, say: the ledger knows both laws
        place = differences(a, b, SAME)[0]
        # A permutation of the records, or a place among them, is a coin.
        if one["kind"] == "coin":
            if one["law"] == "integers" and _is_place(report, a, b):
                row["unlike"] = []
            continue
        if one["law"] == "choice" and name == "a":
            continue
        what = "scale" if name in ("scale", "sigma", "std", "cov", "b", "high", "low") else "parameter"
        finding(
            report,
            what,
            one["where"],
            "the %s%s of %s depends on the data: %s on D, %s on D′"
            % (name, place[0], one["law"], shown(place[1]), shown(place[2])),
            {"what": "parameter", "key": (one["index"], name), "one": place[1], "other": place[2]},
        )


def _is_place(report: Dict[str, Any], one: Any, other: Any) -> bool:
    """Whether bounds are the numbers of records of the datasets."""
    return np.ndim(one) == 0 and [one, other] == [report["records"], report["others"]]


def _finite(row: Dict[str, Any], report: Dict[str, Any]) -> None:
    """Reports a mechanism that is given a number which is not finite on one dataset only."""
    a, b = numbers(row["argument"]), numbers(row["argument_other"])
    if a is None or b is None or a.shape != b.shape:
        return
    broken = np.isfinite(a) != np.isfinite(b)
    if np.any(broken):
        finding(
            report,
            "nan",
            row["where"],
            "noise is added to %s on D and to %s on D′: no noise hides that"
            % (shown(a[broken][0]), shown(b[broken][0])),
            {"what": "given", "key": row["index"], "one": a[broken][0], "other": b[broken][0]},
        )


def mapped(one: Dict[str, Any], other: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """What an OpenDP measurement's own map says of the real distance of its arguments."""
    measure = one.get("map")
    if measure is None:
        return None
    a, b = flat(one["argument"][0]), flat(other["argument"][0])
    distance = metric_distance(one["metric"], a, b)
    if distance is None:
        return {"distance": None, "cost": None, "measure": one["measure"]}
    cost: Any = None
    for value in (distance, float(distance)):
        try:
            cost = measure(value)
            break
        except Exception:
            continue
    if isinstance(cost, tuple):
        cost = [float(part) for part in cost]
    elif isinstance(cost, (int, float)):
        cost = float(cost)
    elif cost is not None and hasattr(cost, "epsilon"):
        cost = None
    return {"distance": distance, "cost": cost, "measure": one["measure"]}


def metric_distance(metric: str, a: Any, b: Any) -> Any:
    """The distance of two values in a metric of OpenDP, by its name; None for another one."""
    if any(name in metric for name in ("Symmetric", "InsertDelete")):
        left, right = [list(map(str, x)) if hasattr(x, "__len__") else [str(x)] for x in (a, b)]
        for item in list(left):
            if item in right:
                left.remove(item)
                right.remove(item)
        return len(left) + len(right)
    if any(name in metric for name in ("Hamming", "ChangeOne")):
        return sum(str(x) != str(y) for x, y in zip(a, b))
    if "Discrete" in metric:
        return int(bool(differences(a, b, 0.0)))
    try:
        moved = np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float))
    except (TypeError, ValueError):
        return None
    if "L2" in metric:
        return float(np.sqrt(np.sum(moved**2)))
    if "LInf" in metric:
        return float(np.max(moved))
    whole = all(np.asarray(x).dtype.kind in "iu" for x in (a, b))
    total = np.sum(moved)
    return int(total) if whole else float(total)


def comparisons(rows: Any, recorded: Run, frozen: Run, found: Explanation, report: Dict[str, Any]) -> None:
    """Comparisons of noise that is not released, with their arguments on D and on D′."""
    known = {event["key"]: event for event in recorded.session.compared}
    for event in frozen.session.compared:
        if event.get("opened"):
            continue
        other = known.get(event["key"])
        if other is None or np.shape(other["ids"]) != np.shape(event["ids"]):
            if other is not None and event["what"] != "compare":
                lost(
                    report,
                    event["where"],
                    "a place is drawn among %s on D and %s on D′: what that costs is not known"
                    % (other.get("size"), event.get("size")),
                )
            if other is None or event["what"] != "compare" or np.ndim(other["ids"]) != 1:
                continue
            if not _coin(other) or not _coin(event):
                continue
            event = other  # a coin for each record: of those on D
        involved = {int(e) >> BITS for ids in event_ids(event) for e in np.ravel(ids) if e >= 0}
        released = [
            k
            for k in involved
            if k in found.shifts and k not in found.compared and np.any(found.shifts[k] != 0.0)
        ]
        if released:
            continue  # what is compared after it was released shows nothing more
        row = bare_row(-2, event["what"], "comparison", event["where"], np.shape(event["ids"]))
        row["outcome"], row["at"] = other["outcome"], other["at"]
        row["pieces"], row["pieces_other"] = pieces(other), pieces(event)
        row["name"] = event.get("name", event["what"])
        rows.append(row)


def left_out(recorded: Run, frozen: Run) -> List[Dict[str, Any]]:
    """Rows of comparisons on D of noise that D′ does not draw: they cost nothing by themselves."""
    seen = {event["key"] for event in frozen.session.compared}
    rows = []
    for event in recorded.session.compared:
        drawn = {int(e) >> BITS for ids in event_ids(event) for e in np.ravel(ids) if e >= 0}
        if event["key"] not in seen and event["what"] == "compare" and not drawn & set(frozen.session.rows):
            row = bare_row(-2, "compare", "comparison", event["where"], np.shape(event["ids"]))
            row.update(outcome=event["outcome"], at=event["at"], name=event["name"])
            row["pieces"] = row["pieces_other"] = pieces(event)
            rows.append(row)
    return rows


def _coin(event: Dict[str, Any]) -> bool:
    """Whether a comparison is of noise alone with numbers."""
    first, second = event["first"], event["second"]
    if (first["ids"] is None) == (second["ids"] is None):
        return False
    noise, other = (first, second) if first["ids"] is not None else (second, first)
    return bool(np.ptp(np.asarray(noise["argument"], float)) == 0.0 and np.ptp(other["value"]) == 0.0)


def pieces(event: Dict[str, Any]) -> List[Dict[str, Any]]:
    if event["what"] != "compare":
        return [{"ids": event["ids"], "factor": event["factor"], "argument": event["argument"]}]
    found = []
    for part in (event["first"], event["second"]):
        if part["ids"] is None:
            found.append({"ids": None, "factor": None, "argument": part["value"]})
        else:
            found.append({"ids": part["ids"], "factor": part["factor"], "argument": part["argument"]})
    return found
