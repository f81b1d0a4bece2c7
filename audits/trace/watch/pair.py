"""Record on D, replay on D′ with what D released, compare: the rows of a ledger, and what was never noised."""

from __future__ import annotations

import copy
import inspect
import os
import sys
import traceback
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .mechanisms import mechanisms
from .noise import plain
from .session import BITS, HOME, NOISE_CODE, Current, Session, Tape, own_rng
from .sources import exchanged, watched

MOST_PASSES = 4
"""Coupled replays until the shifts stay as they are."""
SAME = 1e-9
"""Relative difference below which two computed numbers are the same."""
CLOSE = 1e-6
"""The same for outputs of a replay whose sums were computed anew."""
RESAMPLED, KEPT = 100_000, 2000
"""Values of a function of noise that are drawn to recognise its law; how many of them, in order, are kept."""


class Run:
    """What came of one run: its session, the output as plain values, or the error and its line."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.output: Any = None
        self.error: Optional[BaseException] = None
        self.where: Optional[Tuple[str, int, str]] = None


def trace_runs(
    program: Callable[..., Any], runs: Sequence[Sequence[Any]], primitives: Sequence[str] = ()
) -> List[Dict[str, Any]]:
    """The reports of several runs (D, D′, seed, participate) of a program, see `trace_pair`."""
    reports: List[Dict[str, Any]] = []
    while True:
        current: Any = Current()
        current.actual = Session(own_rng(0))
        known = len(sys.modules)
        with watched(current) as rng, exchanged(mechanisms(current, primitives)):
            while len(reports) < len(runs):
                report = trace_pair(program, current, rng, *runs[len(reports)])
                if len(sys.modules) > known:
                    # The run has imported what is not watched yet.
                    break
                reports.append(report)
            else:
                return reports


def trace_pair(
    program: Callable[..., Any],
    current: Any,
    generator: Any,
    first: Any,
    second: Any,
    seed: Sequence[int],
    participate: bool = False,
) -> Dict[str, Any]:
    """Rows and findings of a program on a pair of datasets, as plain values.

    program       program(data, rng) → what is released; or (data, size, rng), called with size 1.
    current       the session that all sources report to; generator: one of them, passed to the program.
    participate   the record that differs takes part in every random subset.
    Returns a dictionary: "draws" rows, "findings" (kind, where, text), "lost" (where, text), "notes".
    """
    call = caller(program)
    have, want = count(first), count(second)
    place = changed(first, second)
    records = None if have is None or want is None or place is None else (have, want, place)
    forced = place if participate else None

    def run(data: Any, **options: Any) -> Run:
        session = Session(own_rng(list(seed)), records=records, **options)
        current.actual = session
        return run_once(call, data, session, generator)

    recorded = run(first, forced=forced)
    tape = Tape(recorded.session)
    report: Dict[str, Any] = {"draws": [], "findings": [], "lost": [], "notes": [], "seed": list(seed)}
    report["place"], report["records"] = place, have
    again = run(first, tape=tape)
    if not _deterministic(recorded, again, report):
        return report
    frozen = run(second, tape=tape)
    if recorded.error is not None or frozen.error is not None:
        _errors(recorded, frozen, report)
        if recorded.error is not None:
            return report
    _sequence(recorded, frozen, report)
    shifts, several = _shifts(recorded.session, frozen.session)
    rows = _rows(recorded, frozen, shifts, report)
    only_compared: List[int] = []
    if frozen.error is None and frozen.session.diverged is None:
        only_compared = _outputs(run, second, tape, recorded, frozen, shifts, several, report, (call, first))
    report["draws"] = _finished(rows, recorded, frozen, only_compared, shifts)
    return report


def caller(program: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """`program` as a function of (data, rng): one that takes a size gets 1."""
    try:
        parameters = list(inspect.signature(program).parameters.values())
    except (TypeError, ValueError):
        return lambda data, rng: program(data, 1, rng)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return lambda data, rng: program(data, 1, rng)
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if (len(names) >= 3 and names[1] == "size") or len(names) == 3:
        return lambda data, rng: program(data, 1, rng)
    needed = [p for p in parameters if p.default is p.empty or p.name == "rng"]
    if len(needed) >= 2:
        return lambda data, rng: program(data, rng)
    return lambda data, rng: program(data)


def run_once(call: Any, data: Any, session: Session, generator: Any) -> Run:
    """One run on a copy of the data."""
    found = Run(session)
    mine = copy.deepcopy(data)
    try:
        if session.tracer is not None:
            sys.settrace(session.tracer)
        try:
            output = call(mine, generator)
        finally:
            if session.tracer is not None:
                sys.settrace(None)
        found.output = flat(output)
    except (Exception, SystemExit) as error:
        found.error, found.where = error, _raised(error)
    return found


def count(data: Any) -> Optional[int]:
    """How many records a dataset has, None where it does not say."""
    if isinstance(data, tuple) and data and all(hasattr(part, "__len__") for part in data):
        sizes = {len(part) for part in data}
        return sizes.pop() if len(sizes) == 1 else len(data)
    return len(data) if hasattr(data, "__len__") else None


def changed(first: Any, second: Any) -> Optional[int]:
    """The place of the first record that differs."""

    def rows(data: Any) -> List[Any]:
        if isinstance(data, tuple) and data and all(hasattr(part, "__len__") for part in data):
            if len({len(part) for part in data}) == 1:
                return [tuple(flat(part[i] if not hasattr(part, "iloc") else part.iloc[i])
                              for part in data) for i in range(len(data[0]))]  # fmt: skip
        if hasattr(data, "iloc"):
            return [flat(data.iloc[i]) for i in range(len(data))]
        return [flat(item) for item in data] if hasattr(data, "__len__") else []

    try:
        a, b = rows(first), rows(second)
    except Exception:
        return None
    for place, (x, y) in enumerate(zip(a, b)):
        if differences(x, y, 0.0):
            return place
    return min(len(a), len(b)) if len(a) != len(b) else None


# --- Values ------------------------------------------------------------------------------------------------


def flat(value: Any, depth: int = 0) -> Any:
    """A value as numbers, strings, arrays, lists and dictionaries; objects by their public attributes."""
    value = plain(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [flat(item, depth + 1) for item in value.ravel()]
        if value.dtype.names:
            return {name: flat(value[name], depth + 1) for name in value.dtype.names}
        return np.array(value)
    if isinstance(value, dict):
        return {str(key): flat(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(str(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [flat(item, depth + 1) for item in value]
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        columns = {str(name): flat(value[name].to_numpy(), depth + 1) for name in value.columns}
        return {"columns": columns, "index": flat(value.index.to_numpy(), depth + 1)}
    if hasattr(value, "to_numpy") and hasattr(value, "index"):
        return {"values": flat(value.to_numpy(), depth + 1), "index": flat(value.index.to_numpy(), depth + 1)}
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        return np.array(value.detach().cpu().numpy())
    if hasattr(value, "__array__"):
        try:
            return flat(np.asarray(value), depth + 1)
        except Exception:
            pass
    if depth < 5 and hasattr(value, "__dict__"):
        names = sorted(n for n in vars(value) if not n.startswith("_") and not callable(vars(value)[n]))
        if names:
            return {name: flat(vars(value)[name], depth + 1) for name in names}
    return "<%s>" % type(value).__name__


def differences(a: Any, b: Any, tolerance: float, path: str = "") -> List[Tuple[str, Any, Any]]:
    """Places at which two flat values differ by more than the relative tolerance, with both values."""
    if isinstance(a, dict) and isinstance(b, dict):
        found = []
        for key in list(a) + [key for key in b if key not in a]:
            if key not in a or key not in b:
                found.append(("%s[%r]" % (path, key), a.get(key, "missing"), b.get(key, "missing")))
            else:
                found += differences(a[key], b[key], tolerance, "%s[%r]" % (path, key))
        return found
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return [("the length of output%s" % path, len(a), len(b))]
        found = []
        for place, (x, y) in enumerate(zip(a, b)):
            found += differences(x, y, tolerance, "%s[%d]" % (path, place))
        return found
    if isinstance(a, (str, bytes)) or isinstance(b, (str, bytes)) or a is None or b is None:
        return [] if type(a) is type(b) and a == b else [(path, a, b)]
    try:
        x, y = np.asarray(a), np.asarray(b)
    except Exception:
        return []
    if x.shape != y.shape:
        return [("the shape of output%s" % path, list(x.shape), list(y.shape))]
    if x.dtype.kind not in "fiubc" or y.dtype.kind not in "fiubc":
        same = x == y
        return [] if np.all(same) else [(path, a, b)]
    unlike = ~_alike(x, y, tolerance)
    if not np.any(unlike):
        return []
    if x.ndim == 0:
        return [(path, a, b)]
    place = tuple(int(i) for i in np.argwhere(unlike)[0])
    return [("%s[%s]" % (path, ", ".join(map(str, place))), x[place], y[place])]


def _alike(x: Any, y: Any, tolerance: float) -> Any:
    with np.errstate(all="ignore"):
        x, y = np.asarray(x), np.asarray(y)
        if x.dtype.kind in "bu" or y.dtype.kind in "bu":
            x, y = x.astype(float), y.astype(float)
        close = np.abs(x - y) <= tolerance * np.maximum(1.0, np.maximum(np.abs(x), np.abs(y)))
        if tolerance == 0.0:
            close = x == y
        return close | (x == y) | (np.isnan(x * 1.0) & np.isnan(y * 1.0))


# --- What is compared --------------------------------------------------------------------------------------


def finding(report: Dict[str, Any], kind: str, where: Any, text: str) -> None:
    """Something that depends on the data without noise; said once a line."""
    entry = {"kind": kind, "where": list(where), "text": text}
    if not any(f["kind"] == kind and f["where"] == entry["where"] for f in report["findings"]):
        report["findings"].append(entry)


def lost(report: Dict[str, Any], where: Any, text: str) -> None:
    """Something of which the trace cannot say what it depends on."""
    entry = {"where": list(where), "text": text}
    if entry not in report["lost"]:
        report["lost"].append(entry)


def _deterministic(recorded: Run, again: Run, report: Dict[str, Any]) -> bool:
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
    elif recorded.error is None and differences(recorded.output, again.output, 0.0):
        path, a, b = differences(recorded.output, again.output, 0.0)[0]
        draws = recorded.session.draws
        where = _last_line(recorded)
        what = (
            "draws from a source that is not watched, or"
            if not draws
            else "draws from a source that is not watched, or is not deterministic (threads, time, hash order), or"
        )
        text = (
            "the program %s changes what it is given: with the same data and draws output%s is %s and %s"
            % (what, path, shown(a), shown(b))
        )
    if where is None:
        return True
    lost(report, where, text)
    return False


def _last_line(run: Run) -> Any:
    return run.session.draws[-1]["where"] if run.session.draws else ("", 0, "")


def _errors(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    one, other = recorded.error, frozen.error
    if one is not None and other is not None:
        report["notes"].append("raises %s on both datasets: %s" % (type(one).__name__, one))
        lost(report, recorded.where or ("", 0, ""), "the program raises %s on both datasets: %s" % (
            type(one).__name__, " ".join(str(one).split())[:200]))  # fmt: skip
        return
    error, where = (one, recorded.where) if one is not None else (other, frozen.where)
    which = "D" if one is not None else "D′"
    text = "%s is raised on %s and not on the other dataset: %s" % (
        type(error).__name__, which, " ".join(str(error).split())[:200])  # fmt: skip
    finding(report, "exception", where or ("", 0, ""), text)


def _sequence(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    """Whether both runs draw the same laws in the same order."""
    one, other = recorded.session.draws, frozen.session.draws
    place = frozen.session.diverged
    if place is None and len(one) != len(other) and frozen.error is None:
        place = min(len(one), len(other))
    if place is None:
        return
    row = other[place] if place < len(other) else one[place]
    a = _drawn(one[place]) if place < len(one) else "no draw"
    b = _drawn(other[place]) if place < len(other) else "no draw"
    if row["kind"] == "derived" or (place < len(one) and one[place]["kind"] == "derived"):
        lost(report, row["where"], "functions of noise differ: %s on D, %s on D′" % (a, b))
        return
    text = "the draws depend on the data and not on released values alone: draw %d is %s on D, %s on D′" % (
        place + 1, a, b)  # fmt: skip
    finding(report, "path", row["where"], text)


def _drawn(row: Dict[str, Any]) -> str:
    shape = "" if row["shape"] == () else " of shape %s" % (row["shape"],)
    return "%s%s at line %d" % (row["law"], shape, row["where"][1])


def _shifts(recorded: Session, frozen: Session) -> Tuple[Dict[int, Any], Dict[int, Tuple[Any, Any]]]:
    """(shift of each draw, draws whose noise stands in values that move differently).

    A shift is the change of the noise that makes the last sum in which an element stands the same on D′ as on
    D: (argument on D − argument on D′)/factor.
    """
    known = {use["key"]: use for use in recorded.uses}
    shifts: Dict[int, Any] = {}
    several: Dict[int, Tuple[Any, Any]] = {}
    first_use: Dict[int, Any] = {}
    for use in frozen.uses:
        other = known.get(use["key"])
        if other is None or np.shape(other["ids"]) != np.shape(use["ids"]):
            continue
        if not np.array_equal(other["ids"], use["ids"]):
            continue
        with np.errstate(all="ignore"):
            moved = (np.asarray(other["argument"], float) - use["argument"]) / use["factor"]
            size = np.maximum(1.0, np.abs(other["argument"])) / np.abs(use["factor"])
            moved = np.where(np.abs(moved) <= SAME * 1e-3 * size, 0.0, moved)
        for element, amount in zip(np.ravel(use["ids"]), np.ravel(moved)):
            if element < 0:
                continue
            index, place = int(element) >> BITS, int(element) & ((1 << BITS) - 1)
            if index >= len(frozen.draws):
                continue
            draw = frozen.draws[index]
            if index not in shifts:
                shifts[index] = np.zeros(draw["shape"])
                first_use[index] = {}
            vector = shifts[index].reshape(-1)
            before = first_use[index].get(place)
            if before is not None and not _alike(before[0], amount, SAME):
                several[index] = (before[1], use["where"])
            if before is None or amount != 0.0:
                first_use[index][place] = (amount, use["where"])
            vector[place] = amount
            shifts[index] = vector.reshape(draw["shape"])
    return shifts, several


def _rows(recorded: Run, frozen: Run, shifts: Dict[int, Any], report: Dict[str, Any]) -> List[Dict[str, Any]]:
    """A row for each draw that both runs made: its law and parameters on both datasets."""
    rows = []
    stop = frozen.session.diverged
    for one, other in zip(recorded.session.draws[:stop], frozen.session.draws[:stop]):
        row = {
            "index": one["index"],
            "law": one["law"],
            "kind": one["kind"],
            "where": list(one["where"]),
            "shape": list(one["shape"]),
            "params": {name: flat(value) for name, value in one["params"].items()},
            "params_other": {name: flat(value) for name, value in other["params"].items()},
            "adapted": other["adapted"],
        }
        _parameters(row, one, other, report)
        if one["kind"] == "mechanism":
            row["argument"], row["argument_other"] = flat(one["argument"]), flat(other["argument"])
            row["mapped"] = _mapped(one, other)
        rows.append(row)
    # Sums: the factor that the noise was multiplied by is part of its scale.
    known = {use["key"]: use for use in recorded.session.uses}
    for use in frozen.session.uses:
        other = known.get(use["key"])
        if other is None or np.shape(other["factor"]) != np.shape(use["factor"]):
            continue
        if not np.all(_alike(other["factor"], use["factor"], SAME)):
            place = np.flatnonzero(~_alike(other["factor"], use["factor"], SAME))[0]
            a, b = np.ravel(other["factor"])[place], np.ravel(use["factor"])[place]
            finding(report, "scale", use["where"],
                    "the noise is multiplied by %s on D and by %s on D′: its scale depends on the data"
                    % (shown(a), shown(b)))  # fmt: skip
        with np.errstate(all="ignore"):
            broken = np.isfinite(other["argument"]) != np.isfinite(use["argument"])
        if np.any(broken):
            a, b = (
                np.ravel(other["argument"])[np.ravel(broken)][0],
                np.ravel(use["argument"])[np.ravel(broken)][0],
            )
            finding(report, "nan", use["where"],
                    "noise is added to %s on D and to %s on D′: no noise hides that" % (shown(a), shown(b)))  # fmt: skip
    return rows


def _parameters(
    row: Dict[str, Any], one: Dict[str, Any], other: Dict[str, Any], report: Dict[str, Any]
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
    for name, a, b in unlike:
        if one["kind"] == "mechanism" and name == "utility":
            continue
        if one["law"] in ("choice", "binomial", "multinomial") and name in ("p", "pvals"):
            continue
        place = differences(a, b, SAME)[0]
        # A permutation of the records, or a place among them, is a coin.
        if one["kind"] == "coin":
            continue
        if one["law"] == "choice" and name == "a":
            continue
        what = "scale" if name in ("scale", "sigma", "std", "cov", "b", "high", "low") else "parameter"
        finding(report, what, one["where"],
                "the %s%s of %s depends on the data: %s on D, %s on D′"
                % (name, place[0], one["law"], shown(place[1]), shown(place[2])))  # fmt: skip


def _mapped(one: Dict[str, Any], other: Dict[str, Any]) -> Optional[Dict[str, Any]]:
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


def _outputs(
    run: Any,
    second: Any,
    tape: Tape,
    recorded: Run,
    frozen: Run,
    shifts: Dict[int, Any],
    several: Dict[int, Tuple[Any, Any]],
    report: Dict[str, Any],
    located: Tuple[Any, Any],
) -> List[int]:
    """Compare the final outputs given equal releases; returns the draws that were compared and not released."""
    compared = {int(e) >> BITS for event in frozen.session.compared for e in np.ravel(event["ids"]) if e >= 0}
    for event in frozen.session.compared:
        for part in (event.get("first"), event.get("second")):
            if part is not None and part["ids"] is not None:
                compared |= {int(e) >> BITS for e in np.ravel(part["ids"]) if e >= 0}
    moving = {k for k, s in shifts.items() if np.any(s != 0.0)}
    unlike = differences(recorded.output, frozen.output, 0.0)
    doubtful = compared & moving
    if not unlike and not several and not doubtful:
        return []
    # First hypothesis: what is compared is not released otherwise.
    for kept in [doubtful, set()] if doubtful else [set()]:
        coupled, used = _coupled(
            run, second, tape, recorded, {k: s for k, s in shifts.items() if k not in kept}
        )
        if coupled is not None and not differences(recorded.output, coupled.output, CLOSE):
            shifts.update(used)
            return sorted(kept)
        if coupled is not None and not kept:
            frozen = coupled
    unlike = differences(recorded.output, frozen.output, CLOSE) or unlike
    if not unlike:
        return []
    for index, (one, other) in several.items():
        finding(report, "shared", other,
                "the noise drawn at line %d is in two values that move differently (lines %d and %d): together "
                "they show their difference" % (recorded.session.draws[index]["where"][1], one[1], other[1]))  # fmt: skip
        return []
    loose = _loose(recorded, frozen)
    path, a, b = unlike[0]
    text = "%s is %s on D and %s on D′, with every release the same: it was never noised" % (
        "output" + path if not path.startswith("the ") else path, shown(a), shown(b))  # fmt: skip
    if loose:
        for row in loose:
            lost(report, row["where"], "the noise of %s was turned into plain numbers before it was added to "
                 "anything; %s" % (row["law"], text))  # fmt: skip
        return []
    from .locate import line_of

    where = line_of(located[0], located[1], second, recorded, frozen, unlike, run) or _last_line(recorded)
    finding(report, "output", where, text)
    return []


def _coupled(run: Any, second: Any, tape: Tape, recorded: Run, shifts: Any) -> Tuple[Optional[Run], Any]:
    """A replay on D′ whose sums are computed, with noise moved so that they agree; shifts are found anew."""
    used = dict(shifts)
    found = None
    for _ in range(MOST_PASSES):
        found = run(second, tape=tape, shifts=used)
        if found.error is not None or found.session.diverged is not None:
            return None, used
        now, _ = _shifts(recorded.session, found.session)
        now = {k: s for k, s in now.items() if k in shifts}
        stable = all(
            np.shape(now[k]) == np.shape(used.get(k, 0.0)) and np.all(_alike(now[k], used[k], SAME))
            for k in now
        )
        if stable or not differences(recorded.output, found.output, CLOSE):
            return found, used
        used.update(now)
    return found, used


def _loose(recorded: Run, frozen: Run) -> List[Dict[str, Any]]:
    """Draws of noise of which nothing is known: never added, compared, or made into other noise."""
    known = set()
    for session in (recorded.session, frozen.session):
        for use in session.uses:
            known |= {int(e) >> BITS for e in np.ravel(use["ids"]) if e >= 0}
        for event in session.compared:
            known |= {int(e) >> BITS for e in np.ravel(event["ids"]) if e >= 0}
            for part in (event.get("first"), event.get("second")):
                if part is not None and part["ids"] is not None:
                    known |= {int(e) >> BITS for e in np.ravel(part["ids"]) if e >= 0}
        for row in session.draws:
            if row["kind"] == "derived":
                for parents in row["recipe"]["parents"]:
                    if parents is not None:
                        known |= {int(e) >> BITS for e in np.ravel(parents) if e >= 0}
    return [
        r for r in recorded.session.draws if r["kind"] in ("noise", "derived") and r["index"] not in known
    ]


def _finished(
    rows: List[Dict[str, Any]], recorded: Run, frozen: Run, only_compared: List[int], shifts: Dict[int, Any]
) -> List[Dict[str, Any]]:
    """The rows with their shifts, laws of derived noise as samples, and comparisons."""
    for row in rows:
        index = row["index"]
        row["shift"] = None if index in only_compared else shifts.get(index)
        row["compared_only"] = index in only_compared
        if row["kind"] == "derived" and row["shift"] is not None and np.any(row["shift"] != 0.0):
            row["samples"] = resampled(recorded.session.draws, index)
        else:
            row["samples"] = None
    if only_compared or any(e["what"] == "compare" for e in frozen.session.compared):
        _add_comparisons(rows, recorded, frozen, set(only_compared), shifts)
    return rows


def _add_comparisons(rows: Any, recorded: Run, frozen: Run, only: Any, shifts: Dict[int, Any]) -> None:
    """Comparisons of noise that is not released, with their arguments on D and on D′."""
    known = {event["key"]: event for event in recorded.session.compared}
    for event in frozen.session.compared:
        other = known.get(event["key"])
        if other is None or np.shape(other["ids"]) != np.shape(event["ids"]):
            continue
        row = {
            "index": len(rows),
            "law": event["what"],
            "kind": "comparison",
            "where": list(event["where"]),
            "shape": list(np.shape(event["ids"])),
            "params": {},
            "params_other": {},
            "unlike": [],
            "adapted": False,
            "shift": None,
            "outcome": other["outcome"],
            "pieces": _pieces(other),
            "pieces_other": _pieces(event),
            "name": event.get("name", event["what"]),
            "at": event["at"],
        }
        involved = {
            int(e) >> BITS
            for p in row["pieces"]
            if p["ids"] is not None
            for e in np.ravel(p["ids"])
            if e >= 0
        }
        released = [k for k in involved if k in shifts and k not in only and np.any(shifts[k] != 0.0)]
        # What is compared after it was released shows nothing more.
        if not released:
            rows.append(row)


def _pieces(event: Dict[str, Any]) -> List[Dict[str, Any]]:
    if event["what"] != "compare":
        return [{"ids": event["ids"], "factor": event["factor"], "argument": event["argument"]}]
    found = []
    for part in (event["first"], event["second"]):
        if part["ids"] is None:
            found.append({"ids": None, "factor": None, "argument": part["value"]})
        else:
            found.append({"ids": part["ids"], "factor": part["factor"], "argument": part["argument"]})
    return found


def resampled(draws: List[Dict[str, Any]], index: int) -> Any:
    """Values of one element of a function of noise, drawn anew; None where a law cannot be drawn again."""
    rng = own_rng(0)
    kept: Dict[int, Any] = {}

    def values(element: int) -> Any:
        place, entry = element >> BITS, element & ((1 << BITS) - 1)
        row = draws[place]
        if place not in kept:
            if row["kind"] == "derived":
                kept[place] = compute(row)
            elif row.get("again") is not None:
                kept[place] = np.reshape(row["again"](rng, RESAMPLED, tuple(row["shape"])), (RESAMPLED, -1))
            else:
                raise LookupError
        return kept[place][:, entry]

    def compute(row: Dict[str, Any]) -> Any:
        recipe = row["recipe"]
        operands = []
        for ids, constant, factor, argument in zip(
            recipe["parents"], recipe["constants"], recipe["factors"], recipe["arguments"]
        ):
            if ids is None:
                operands.append(constant)
                continue
            columns = [values(int(e)) if e >= 0 else np.zeros(RESAMPLED) for e in np.ravel(ids)]
            array = np.stack(columns, axis=1).reshape((RESAMPLED,) + np.shape(ids)) * factor
            operands.append(array if argument is None else array + argument)
        ufunc = getattr(np, recipe["function"])
        with np.errstate(all="ignore"):
            if recipe["method"] == "reduce":
                axis = recipe["options"].get("axis", 0)
                axes = tuple(range(1, np.ndim(operands[0]))) if axis is None else axis
                axes = axes if isinstance(axes, tuple) else (axes + 1 if axes >= 0 else axes)
                return np.reshape(ufunc.reduce(operands[0], axis=axes), (RESAMPLED, -1))
            return np.reshape(ufunc(*operands), (RESAMPLED, -1))

    try:
        found = np.sort(compute(draws[index])[:, 0].astype(float))
    except (LookupError, ValueError, TypeError, IndexError):
        return None
    return found[:: RESAMPLED // KEPT]


def shown(value: Any) -> str:
    """A value in a sentence."""
    if isinstance(value, (float, np.floating)):
        return "%.6g" % value
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _raised(error: BaseException) -> Tuple[str, int, str]:
    """The innermost line of the traceback outside of this package and of noise code."""
    frames = traceback.extract_tb(error.__traceback__)
    mine = [
        f for f in frames if not f.filename.startswith(HOME) and not any(p in f.filename for p in NOISE_CODE)
    ]
    last = (mine or frames)[-1]
    return last.filename, last.lineno or 0, last.name


def library_versions() -> Dict[str, str]:
    """Versions of the loaded libraries."""
    found = {}
    for name in sorted(sys.modules):
        version = getattr(sys.modules[name], "__version__", None)
        if "." not in name and not name.startswith("_") and isinstance(version, str):
            found[name] = version
    return found


def relative(path: str) -> str:
    """A file below the current folder by its path from there."""
    try:
        inside = os.path.relpath(path)
    except ValueError:
        return path
    return path if inside.startswith("..") else inside
