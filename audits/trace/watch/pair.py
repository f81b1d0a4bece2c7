"""Record on D, replay on D′ with what D released, compare: the rows of a ledger, and what was never
noised."""

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
from .session import BITS, HOME, NOISE_CODE, Current, Session, Tape, own_rng, same
from .sources import exchanged, watched

UNSEEN = 8
"""Runs on the same data of a program that draws nothing that is watched."""
MOST_PASSES = 4
"""Coupled replays until the shifts stay as they are."""
SAME = 1e-9
"""Relative difference below which two computed numbers are the same."""
CLOSE = 1e-6
"""The same for outputs of a replay whose sums were computed anew."""
MOST_SOLVED, MOST_FLIPS = 40, 80
"""Entries of plain noise that are solved for; other outcomes of coins that are tried."""
MIRRORED = {
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""Comparisons with their operands exchanged."""
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
        with watched(current) as (rng, begin), exchanged(mechanisms(current, primitives)):
            while len(reports) < len(runs):
                report = trace_pair(program, current, (rng, begin), *runs[len(reports)])
                if len(sys.modules) > known:
                    # The run has imported what is not watched yet.
                    break
                reports.append(report)
            else:
                return reports


def trace_pair(
    program: Callable[..., Any],
    current: Any,
    source: Tuple[Any, Callable[[Sequence[int]], None]],
    first: Any,
    second: Any,
    seed: Sequence[int],
    participate: bool = False,
) -> Dict[str, Any]:
    """Rows and findings of a program on a pair of datasets, as plain values.

    program       program(data, rng) → what is released; or (data, size, rng), called with size 1.
    current       the session that all sources report to.
    source        the generator that the program is given, and what sets all generators to their start.
    participate   the record that differs takes part in every random subset.
    Returns a dictionary: "draws" rows, "findings" (kind, where, text), "lost" (where, text), "notes".
    """
    call = caller(program)
    have, want = count(first), count(second)
    place = changed(first, second)
    records = None if have is None or want is None or place is None else (have, want, place)

    def run(data: Any, **options: Any) -> Run:
        session = Session(own_rng(list(seed)), records=records, **options)
        current.actual = session
        source[1](list(seed))
        return run_once(call, data, session, source[0])

    recorded = run(first, forced=place if participate else None)
    tape = Tape(recorded.session)
    report: Dict[str, Any] = {"draws": [], "findings": [], "lost": [], "notes": [], "seed": list(seed)}
    report["place"], report["records"] = place, have
    # Without a draw that is seen, chance may come from elsewhere: outputs that repeat by luck take more runs.
    for _ in range(1 if recorded.session.draws else UNSEEN):
        again = run(first, tape=tape, release="last")
        if not _deterministic(recorded, again, report):
            return report
    frozen = run(second, tape=tape)
    if recorded.error is not None or frozen.error is not None:
        _errors(recorded, frozen, report)
        if recorded.error is not None:
            return report
    _sequence(recorded, frozen, report)
    pair = Pair(lambda **options: run(second, tape=tape, **options), recorded, frozen, place)
    found = Explanation(frozen, *_shifts(recorded.session, frozen.session))
    if frozen.error is None and frozen.session.diverged is None:
        found = explained(pair, found)
        if found.unlike and not recorded.session.opaque:
            _unexplained(pair, found, report, (run, first, second, tape))
    report["draws"] = _rows(recorded, found, report)
    if recorded.session.opaque and (report["findings"] or found.unlike):
        # Noise inside of a function, which is then minimised: nothing is released where it is added.
        where, name = recorded.session.opaque[0]
        report["findings"], report["draws"] = [], []
        lost(
            report,
            where,
            "%s adds noise to a function (objective perturbation): what that costs is not known" % name,
        )
    return report


class Pair:
    """What is known of a pair: a replay on D′ with options, the runs on D and on D′, the record's place."""

    def __init__(self, replay: Callable[..., Run], recorded: Run, frozen: Run, place: Optional[int]) -> None:
        self.replay, self.recorded, self.frozen, self.place = replay, recorded, frozen, place


class Explanation:
    """How the output on D can be that on D′.

    run       the replay on D′ that it rests on.
    shifts    what each draw's noise has moved by; several: draws of which that is contradictory.
    unlike    differences of the outputs that are left.
    compared  draws that were compared and not released.
    coins     log-probabilities of other outcomes of coins, on D and on D′; None where none had to change.
    """

    def __init__(
        self, run: Run, shifts: Dict[int, Any], several: Dict[int, Any], unlike: Sequence[Any] = ()
    ) -> None:
        self.run, self.shifts, self.several, self.unlike = run, shifts, several, list(unlike)
        self.compared: List[int] = []
        self.coins: Optional[Dict[str, Any]] = None


def explained(pair: Pair, found: Explanation) -> Explanation:
    """The first explanation that leaves no difference of the outputs.

    In order: draws that are compared are not released otherwise; noise is released where data are first
    added to
    it; where its argument is first another one on D′; where it is last changed; noise that was turned into
    plain numbers is moved; coins fall otherwise.
    """
    recorded, frozen = pair.recorded, pair.frozen
    found.unlike = differences(recorded.output, frozen.output, 0.0)
    fine = not found.unlike and not found.several
    compared = _in_comparisons(frozen.session) & {k for k, s in found.shifts.items() if np.any(s != 0.0)}
    if compared:
        rest = {k: s for k, s in found.shifts.items() if k not in compared}
        coupled = _coupled(pair, rest)
        if coupled is not None:
            found.compared, found.unlike, found.several = sorted(compared), [], {}
            return found
    if fine and not recorded.session.sums:
        return found
    if not fine:
        moved = pair.replay(release="moved")
        if moved.error is None and moved.session.diverged is None:
            shifts, several = _shifts(recorded.session, moved.session)
            if not several and not differences(recorded.output, moved.output, 0.0):
                return Explanation(moved, shifts, {}, [])
    last = pair.replay(release="last")
    if last.error is None and last.session.diverged is None:
        shifts, several = _shifts(recorded.session, last.session)
        coupled = _coupled(pair, shifts)
        if coupled is not None:
            kept = _without_parents(recorded.session, shifts)
            return Explanation(last, kept, {}, [])
    if fine:
        return found
    if not found.unlike:
        # Every sum has its value of D, but no noise gives all of them.
        found.unlike = [("", "one sum", "another sum")]
        return found
    plain_noise = solved(pair, found)
    if plain_noise is not None:
        return plain_noise
    return flipped(pair, found)


def _without_parents(session: Session, shifts: Dict[int, Any]) -> Dict[int, Any]:
    """The shifts without those of noise that is part of a larger noise with a shift of its own."""
    kept = dict(shifts)
    for index in shifts:
        row = session.functions.get(index)
        if row is not None and np.any(shifts[index] != 0.0):
            for ids in row["recipe"]["parents"]:
                for element in np.ravel(ids) if ids is not None else ():
                    kept.pop(int(element) >> BITS, None)
    return kept


def _in_comparisons(session: Session) -> Any:
    """Draws that take part in comparisons."""
    found = set()
    for event in session.compared:
        for ids in _event_ids(event):
            found |= {int(e) >> BITS for e in np.ravel(ids) if e >= 0}
    return found


def _event_ids(event: Dict[str, Any]) -> List[Any]:
    parts = [event["ids"]]
    for part in (event.get("first"), event.get("second")):
        if part is not None and part["ids"] is not None:
            parts.append(part["ids"])
    return parts


def _coupled(pair: Pair, shifts: Dict[int, Any]) -> Optional[Run]:
    """A replay on D′ whose sums are computed, with noise moved by the shifts, if its output is that on D.

    Shifts are found anew a few times: later arguments may depend on earlier sums.
    """
    used = dict(shifts)
    parents = _parents(pair.recorded.session, used)
    for _ in range(MOST_PASSES):
        applied = {k: s for k, s in used.items() if k not in parents}
        found = pair.replay(release="none", shifts=applied)
        if found.error is not None or found.session.diverged is not None:
            return None
        if not differences(pair.recorded.output, found.output, CLOSE):
            return found
        now, _ = _shifts(pair.recorded.session, found.session)
        now = {k: s for k, s in now.items() if k in shifts}
        if not now or all(
            np.shape(s) == np.shape(used[k]) and np.all(_alike(s, used[k], SAME)) for k, s in now.items()
        ):
            return None
        used.update(now)
    return None


def _parents(session: Session, shifts: Dict[int, Any]) -> Any:
    """Functions of noise whose own noise has a shift: moved with it."""
    found = set()
    for index in shifts:
        row = session.functions.get(index)
        if row is not None:
            for ids in row["recipe"]["parents"]:
                for element in np.ravel(ids) if ids is not None else ():
                    if np.any(np.asarray(shifts.get(int(element) >> BITS, 0.0)) != 0.0):
                        found.add(index)
    return found


def solved(pair: Pair, found: Explanation) -> Optional[Explanation]:
    """Noise that was turned into plain numbers: how it must move on D′ for the output to be that on D.

    The derivative of the output by each of its entries is taken by moving it a little.
    """
    loose = _loose(pair.recorded.session, pair.frozen.session)
    entries = [(row["index"], place) for row in loose for place in range(int(np.prod(row["shape"] or (1,))))]
    if not entries or len(entries) > MOST_SOLVED:
        return None
    base, wanted = numbers(pair.frozen.output), numbers(pair.recorded.output)
    if base is None or wanted is None or base.shape != wanted.shape:
        return None
    rows = {row["index"]: row for row in loose}
    columns = []
    for index, place in entries:
        step = np.zeros(rows[index]["shape"])
        size = 1e-4 * max(1.0, float(np.max(np.abs(np.asarray(rows[index]["value"], dtype=float)))))
        step.reshape(-1)[place] = size
        moved = pair.replay(shifts={index: step})
        values = None if moved.error is not None else numbers(moved.output)
        if values is None or values.shape != base.shape:
            return None
        columns.append((values - base) / size)
    jacobian = np.stack(columns, axis=1)
    if not np.all(np.isfinite(jacobian)) or not np.all(np.isfinite(wanted - base)):
        return None
    solution = np.linalg.lstsq(jacobian, wanted - base, rcond=1e-9)[0]
    shifts = {index: np.zeros(row["shape"]) for index, row in rows.items()}
    for (index, place), amount in zip(entries, solution):
        shifts[index].reshape(-1)[place] = amount if abs(amount) > 1e-9 else 0.0
    moved = pair.replay(shifts=shifts)
    if moved.error is not None or differences(pair.recorded.output, moved.output, CLOSE):
        return None
    return Explanation(found.run, {**found.shifts, **shifts}, {}, [])


def numbers(value: Any) -> Any:
    """All numbers of a flat value as one vector; None where there is anything else that is not text."""
    parts: List[Any] = []

    def walk(item: Any) -> None:
        if isinstance(item, dict):
            for key in item:
                walk(item[key])
        elif isinstance(item, (list, tuple)):
            for part in item:
                walk(part)
        elif (
            isinstance(item, (bool, int, float, np.number, np.ndarray))
            and np.asarray(item).dtype.kind in "fiub"
        ):
            parts.append(np.ravel(np.asarray(item, dtype=float)))

    walk(value)
    return np.concatenate(parts) if parts else None


def flipped(pair: Pair, found: Explanation) -> Explanation:
    """Other outcomes of coins on D′ that give the output of D, found one after the other."""
    flips: Dict[Any, Any] = {}
    current = pair.replay(flips={("nothing", 0): 0})
    if current.error is not None:
        return found
    left = unlike_entries(pair.recorded.output, current.output)
    tries = MOST_FLIPS
    while left and tries > 0:
        for key, outcome in _other_outcomes(current.session, pair.place):
            tries -= 1
            better = _better(pair, _with(flips, key, outcome), left)
            if better is not None:
                flips, current = better
                left = unlike_entries(pair.recorded.output, current.output)
                break
            if tries <= 0:
                break
        else:
            break
    if left:
        return found
    one, other = chances(pair.recorded.session), chances(current.session)
    coins = {
        "logs": None,
        "where": list(current.session.compared[0]["where"]) if current.session.compared else None,
    }
    for session in (current.session, pair.recorded.session):
        for row in session.draws:
            if coins["where"] is None:
                coins["where"] = list(row["where"])
    if flips:
        key = next(iter(flips))
        events = [e for e in current.session.compared if ("outcome", e["key"]) == key]
        if events:
            coins["where"] = list(events[0]["where"])
        elif key[0] == "draw":
            coins["where"] = list(pair.recorded.session.draws[key[1]]["where"])
    if one is not None and other is not None:
        coins["logs"] = [one, other]
    result = Explanation(found.run, found.shifts, {}, [])
    result.coins = coins
    return result


def _better(pair: Pair, flips: Dict[Any, Any], left: int) -> Optional[Tuple[Dict[Any, Any], Run]]:
    """The flips, perhaps with one more of a coin that they bring about, and the run, if fewer entries
    differ."""
    known = {event["key"] for event in pair.frozen.session.compared}
    for align in ("insert", "skip"):
        trial = _with(flips, ("align", 0), align)
        run = pair.replay(flips=trial)
        if run.error is not None:
            continue
        if unlike_entries(pair.recorded.output, run.output) < left:
            return trial, run
        for key, outcome in _other_outcomes(run.session, pair.place):
            if key[0] == "outcome" and key[1] not in known and key not in flips:
                further = _with(trial, key, outcome)
                second = pair.replay(flips=further)
                if second.error is None and unlike_entries(pair.recorded.output, second.output) < left:
                    return further, second
    return None


def _with(flips: Dict[Any, Any], key: Any, outcome: Any) -> Dict[Any, Any]:
    found = dict(flips)
    found[key] = outcome
    return found


def _other_outcomes(session: Session, place: Optional[int]) -> List[Tuple[Any, Any]]:
    """Outcomes that coins could have had: each a key of `flips`, and the outcome."""
    found: List[Tuple[Any, Any]] = []
    for event in session.compared:
        outcome = event["outcome"]
        if event["what"] != "compare":
            continue
        if np.ndim(outcome) == 0:
            found.append((("outcome", event["key"]), np.bool_(not outcome)))
        else:
            flat_places = [place] if place is not None and place < np.size(outcome) else []
            flat_places += [i for i in range(min(np.size(outcome), 16)) if i != place]
            for one in flat_places:
                other = np.array(outcome)
                other.reshape(-1)[one] = not other.reshape(-1)[one]
                found.append((("outcome", event["key"]), other))
    for row in session.draws:
        if (
            row["kind"] == "coin"
            and np.ndim(row["value"]) == 0
            and row["law"] in ("choice", "integers", "randint")
        ):
            size = reach(row)
            if size is not None and size[1] - size[0] <= 16:
                for value in range(size[0], size[1]):
                    if value != row["value"]:
                        found.append((("draw", row["index"]), type(row["value"])(value)))
    return found


def reach(row: Dict[str, Any]) -> Optional[Tuple[int, int]]:
    """(low, high) of a draw of a place, high excluded."""
    params = row["params"]
    try:
        if "a" in params:
            return 0, int(params["a"])
        low, high = params.get("low"), params.get("high")
        return (0, int(low)) if high is None else (int(low), int(high))
    except (TypeError, ValueError):
        return None


def unlike_entries(one: Any, other: Any) -> int:
    """How many entries of two flat values differ; what cannot be compared counts much."""
    a: Any = one
    b: Any = other
    if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b):
        return sum(unlike_entries(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        return sum(unlike_entries(x, y) for x, y in zip(a, b))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.shape == other.shape:
        if one.dtype.kind in "fiub" and other.dtype.kind in "fiub":
            return int(np.sum(~_alike(one, other, CLOSE)))
    return (
        1000 * bool(differences(a, b, CLOSE))
        if isinstance(a, (dict, list, np.ndarray))
        else len(differences(a, b, CLOSE))
    )


def chances(session: Session) -> Optional[float]:
    """log-probability of the outcomes of all coins of a run; None where the law of one is not known."""
    total = 0.0
    draws = session.rows
    for event in session.compared:
        if event["what"] != "compare":
            return None
        first, second = event["first"], event["second"]
        if (first["ids"] is None) == (second["ids"] is None):
            return None
        noise, other = (first, second) if first["ids"] is not None else (second, first)
        name = str(event["name"])
        if first["ids"] is None:
            name = MIRRORED.get(name, name)
        levels = np.broadcast_to(np.asarray(other["value"], dtype=float), np.shape(noise["ids"]))
        for e, f, a, t, seen in zip(
            *map(
                np.ravel,
                (
                    noise["ids"],
                    noise["factor"],
                    noise["argument"],
                    levels,
                    np.broadcast_to(event["outcome"], np.shape(noise["ids"])),
                ),
            )
        ):
            row = draws.get(int(e) >> BITS)
            chance = (
                None
                if row is None or f == 0.0
                else chance_of(row, str(name if f > 0 else MIRRORED.get(str(name), name)), (t - a) / f)
            )
            if chance is None:
                return None
            chance = chance if seen else 1.0 - chance
            if chance <= 0.0:
                return None
            total += float(np.log(chance))
    for row in session.draws:
        if row["kind"] == "coin" and row["law"] == "choice" and np.ndim(row["value"]) == 0:
            p = row["params"].get("p")
            if p is not None:
                total += float(np.log(max(np.asarray(p, dtype=float)[int(row["value"])], 1e-300)))
    return total


def chance_of(row: Dict[str, Any], name: str, level: float) -> Optional[float]:
    """P(noise `name` level) for a uniform number, a whole number of a range, or a bit."""
    params = row["params"]
    if row["law"] == "uniform" and np.ndim(params["low"]) == 0 and np.ndim(params["high"]) == 0:
        below = (level - params["low"]) / (params["high"] - params["low"])
        below = min(1.0, max(0.0, float(below)))
        return {"less": below, "less_equal": below, "greater": 1 - below, "greater_equal": 1 - below}.get(
            name
        )
    if row["law"] in ("integers", "randint"):
        size = reach(row)
        if size is None or size[1] - size[0] > 1_000_000:
            return None
        values = np.arange(size[0], size[1])
        return float(np.mean(getattr(np, name)(values, level)))
    if row["law"] == "binomial" and np.ndim(params["p"]) == 0 and params["n"] == 1:
        p = float(params["p"])
        return float(sum(w for v, w in ((0, 1 - p), (1, p)) if getattr(np, name)(v, level)))
    return None


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

    def rows(dataset: Any) -> List[Any]:
        data: Any = dataset
        if isinstance(data, tuple) and data and all(hasattr(part, "__len__") for part in data):
            if len({len(part) for part in data}) == 1:
                return [
                    tuple(flat(getattr(part, "iloc", part)[i]) for part in data) for i in range(len(data[0]))
                ]
        table: Any = getattr(dataset, "iloc", None)
        if table is not None:
            return [flat(table[i]) for i in range(len(data))]
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
    elif _moving(recorded, again) is not None:
        where = _moving(recorded, again)
        text = (
            "the program is not deterministic given its draws: with the same data and draws, noise is added "
            "to another number (threads, time, hash order, or a source that is not watched)"
        )
    elif recorded.error is None and differences(recorded.output, again.output, 0.0):
        path, a, b = differences(recorded.output, again.output, 0.0)[0]
        draws = recorded.session.draws
        where = _last_line(recorded)
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


def _last_line(run: Run) -> Any:
    return run.session.draws[-1]["where"] if run.session.draws else ("", 0, "")


def _errors(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    one, other = recorded.error, frozen.error
    if one is not None and other is not None:
        report["notes"].append("raises %s on both datasets: %s" % (type(one).__name__, one))
        lost(
            report,
            recorded.where or ("", 0, ""),
            "the program raises %s on both datasets: %s"
            % (type(one).__name__, " ".join(str(one).split())[:200]),
        )
        return
    error, where = (one, recorded.where) if one is not None else (other, frozen.where)
    which = "D" if one is not None else "D′"
    text = "%s is raised on %s and not on the other dataset: %s" % (
        type(error).__name__,
        which,
        " ".join(str(error).split())[:200],
    )
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
    text = "the draws depend on the data and not on released values alone: draw %d is %s on D, %s on D′" % (
        place + 1,
        a,
        b,
    )
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
    before: Dict[int, Tuple[float, Any]] = {}
    for use in frozen.uses:
        other = known.get(use["key"])
        if other is None or not np.array_equal(other["ids"], use["ids"]):
            continue
        with np.errstate(all="ignore"):
            moved = (np.asarray(other["argument"], float) - use["argument"]) / np.asarray(
                use["factor"], float
            )
            size = np.abs(other["argument"]) / np.abs(use["factor"])
            moved = np.where(np.abs(moved) <= 1e-15 * size, 0.0, moved)
        for element, amount in zip(
            np.ravel(use["ids"]), np.ravel(np.broadcast_to(moved, np.shape(use["ids"])))
        ):
            if element < 0:
                continue
            index, place = int(element) >> BITS, int(element) & ((1 << BITS) - 1)
            if index not in shifts:
                row = row_of(frozen, index)
                if row is None:
                    continue
                shifts[index] = np.zeros(row["shape"])
            last = before.get(int(element))
            if last is not None and abs(last[0] - amount) > 1e-6 * max(abs(last[0]), abs(amount)) + 1e-9:
                several[index] = (last[1], use["where"])
            before[int(element)] = (float(amount), use["where"])
            vector = shifts[index].reshape(-1)
            vector[place] = amount
            shifts[index] = vector.reshape(np.shape(shifts[index]))
    return shifts, several


def row_of(session: Session, index: int) -> Optional[Dict[str, Any]]:
    """The row of a draw, or of a function of noise."""
    if index in session.functions:
        return session.functions[index]
    return session.rows.get(index)


def _rows(recorded: Run, found: Explanation, report: Dict[str, Any]) -> List[Dict[str, Any]]:
    """A row for each draw that both runs made, for each function of noise that was released, each
    comparison."""
    frozen = found.run
    stop = frozen.session.diverged
    pairs = list(zip(recorded.session.draws[:stop], frozen.session.draws[:stop]))
    moved = [k for k, s in found.shifts.items() if k in recorded.session.functions and np.any(s != 0.0)]
    involved = {k for k in _in_comparisons(frozen.session) if k in recorded.session.functions}
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
            "samples": None,
            "recipe": None,
        }
        _parameters(row, one, other, report)
        if one["kind"] == "mechanism":
            row["argument"], row["argument_other"] = flat(one["argument"]), flat(other["argument"])
            row["mapped"] = _mapped(one, other)
        if one["kind"] == "derived":
            row["recipe"] = simple(recorded.session, one)
            if row["recipe"] is None:
                row["samples"] = resampled(recorded.session, one["index"])
        rows.append(row)
    _sums(recorded, frozen, report)
    _add_comparisons(rows, recorded, frozen, found, report)
    if found.coins is not None:
        rows.append(
            {
                "index": -1,
                "law": "coins",
                "kind": "coins",
                "where": found.coins["where"] or ["", 0, ""],
                "shape": [],
                "params": {},
                "params_other": {},
                "unlike": [],
                "adapted": False,
                "shift": None,
                "logs": found.coins["logs"],
            }
        )
    return rows


def simple(session: Session, row: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The function and the laws of two draws whose sum or difference a noise is; None where it is another
    one."""
    recipe = row["recipe"]
    if (
        recipe["function"] not in ("add", "subtract")
        or len(recipe["parents"]) != 2
        or recipe["method"] != "__call__"
    ):
        return None
    laws = []
    for ids, factor, argument in zip(recipe["parents"], recipe["factors"], recipe["arguments"]):
        if ids is None or np.size(ids) == 0 or argument is not None:
            return None
        draws = {int(e) >> BITS for e in np.ravel(ids)}
        parent = row_of(session, next(iter(draws))) if len(draws) == 1 else None
        if parent is None or parent["kind"] != "noise" or np.ptp(factor) != 0.0:
            return None
        params = {name: flat(value) for name, value in parent["params"].items()}
        if any(np.ndim(value) for value in params.values()):
            return None
        laws.append({"law": parent["law"], "params": params, "factor": float(np.ravel(factor)[0])})
    return {"function": recipe["function"], "laws": laws}


def _fills(session: Session, use: Dict[str, Any]) -> bool:
    """Whether a sum places a uniform number in an interval that was chosen before."""
    index = int(np.ravel(use["ids"])[0]) >> BITS
    row = row_of(session, index)
    if row is None or row["law"] != "uniform":
        return False
    chosen = [r for r in session.draws[:index] if r["kind"] == "mechanism" or r["law"] == "choice"]
    return bool(chosen) or any(event["what"] != "compare" for event in session.compared)


def _sums(recorded: Run, frozen: Run, report: Dict[str, Any]) -> None:
    """Sums whose noise has a factor that depends on the data, or whose argument is not finite on one
    dataset."""
    known = {use["key"]: use for use in recorded.session.uses}
    for use in frozen.session.uses:
        other = known.get(use["key"])
        if other is None or np.shape(other["factor"]) != np.shape(use["factor"]):
            continue
        unlike = ~np.ravel(_alike(other["factor"], use["factor"], SAME))
        if np.any(unlike):
            a, b = np.ravel(other["factor"])[unlike][0], np.ravel(use["factor"])[unlike][0]
            if _fills(recorded.session, use):
                lost(
                    report,
                    use["where"],
                    "a uniform number fills an interval whose ends depend on the data, after "
                    "a choice among such intervals: the density of that is not known",
                )
                continue
            finding(
                report,
                "scale",
                use["where"],
                "the noise is multiplied by %s on D and by %s on D′: its scale depends on the data"
                % (shown(abs(a)), shown(abs(b))),
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
            )


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
        finding(
            report,
            what,
            one["where"],
            "the %s%s of %s depends on the data: %s on D, %s on D′"
            % (name, place[0], one["law"], shown(place[1]), shown(place[2])),
        )


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


def _unexplained(pair: Pair, found: Explanation, report: Dict[str, Any], located: Tuple[Any, ...]) -> None:
    """Report what differs in the outputs though every release is the same, with the line that it comes
    from."""
    for index, (one, other) in found.several.items():
        row = row_of(pair.recorded.session, index)
        finding(
            report,
            "shared",
            other,
            "the noise drawn at line %d is in two values that move differently (lines %d and %d): together "
            "they show their difference" % (row["where"][1] if row else 0, one[1], other[1]),
        )
        return
    path, a, b = found.unlike[0]
    text = "%s is %s on D and %s on D′, with every release the same: it was never noised" % (
        "output" + path if not path.startswith("the ") else path,
        shown(a),
        shown(b),
    )
    loose = _loose(pair.recorded.session, pair.frozen.session)
    if loose:
        for row in loose:
            lost(
                report,
                row["where"],
                "the noise of %s was turned into plain numbers before it was added to "
                "anything; %s" % (row["law"], text),
            )
        return
    from .locate import line_of

    run, first, second, tape = located
    where = line_of(run, first, second, tape, found.unlike[0]) or _last_line(pair.recorded)
    finding(report, "output", where, text)


def _loose(recorded: Session, frozen: Session) -> List[Dict[str, Any]]:
    """Draws of noise of which nothing is known: never added, compared, or made into other noise."""
    known = set()
    for session in (recorded, frozen):
        known |= _in_comparisons(session)
        for use in session.uses:
            known |= {int(e) >> BITS for e in np.ravel(use["ids"]) if e >= 0}
        for row in session.functions.values():
            for parents in row["recipe"]["parents"]:
                if parents is not None:
                    known |= {int(e) >> BITS for e in np.ravel(parents) if e >= 0}
    rows = list(recorded.draws) + list(recorded.functions.values())
    return [row for row in rows if row["kind"] == "noise" and row["index"] not in known]


def _add_comparisons(
    rows: Any, recorded: Run, frozen: Run, found: Explanation, report: Dict[str, Any]
) -> None:
    """Comparisons of noise that is not released, with their arguments on D and on D′."""
    known = {event["key"]: event for event in recorded.session.compared}
    for event in frozen.session.compared:
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
        involved = {int(e) >> BITS for ids in _event_ids(event) for e in np.ravel(ids) if e >= 0}
        released = [
            k
            for k in involved
            if k in found.shifts and k not in found.compared and np.any(found.shifts[k] != 0.0)
        ]
        if released:
            continue  # what is compared after it was released shows nothing more
        rows.append(
            {
                "index": -2,
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
        )


def _coin(event: Dict[str, Any]) -> bool:
    """Whether a comparison is of noise alone with numbers."""
    first, second = event["first"], event["second"]
    if (first["ids"] is None) == (second["ids"] is None):
        return False
    noise, other = (first, second) if first["ids"] is not None else (second, first)
    return bool(np.ptp(np.asarray(noise["argument"], float)) == 0.0 and np.ptp(other["value"]) == 0.0)


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


def resampled(session: Session, index: int) -> Any:
    """Values of one element of a function of noise, drawn anew; None where a law cannot be drawn again."""
    rng = own_rng(0)
    kept: Dict[int, Any] = {}

    def values(element: int) -> Any:
        place, entry = element >> BITS, element & ((1 << BITS) - 1)
        row = row_of(session, place)
        if row is None:
            raise LookupError
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
        found = np.sort(compute(session.functions[index])[:, 0].astype(float))
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
