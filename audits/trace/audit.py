"""`trace_privacy`: a program is recorded on D and replayed on D′ with every released value frozen."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from audits.trace.entries import HEAVY, Entry, entries, scaled, shown_noise
from audits.trace.limit import limited
from audits.trace.losses import compose, excess
from audits.trace.result import Finding, Line, Lost, Step, TraceResult
from audits.trace.watch import trace_runs

MORE_RUNS, MORE_SECONDS = 30, 2.0
"""Runs of each pair where they are cheap, and the seconds within which further ones are begun."""
MOST_WAYS = 8
"""New ways of further runs that are traced."""
SEEDS = 3
"""Runs of each pair in each direction; in one more the record that differs takes part in every subset."""
TOLERANCE, SAMPLED = 1e-3, 0.03
"""A ledger exceeds a claim by more than this share of it; where a law was recognised from samples, by
more."""
MORE, FEW = 6, 50
"""Further runs in each direction of a program that makes choices and has no more draws than this."""
CHEAP = 0.02
"""Seconds of one run up to which the black box audits by itself."""
SHORT, PATIENCE = 20_000, 5.0
"""Samples and seconds that this audit takes, at most."""
MOST_CERTAIN = 600
"""Runs on each dataset that a proof may take."""
CONSTANT = 20
"""Runs on each dataset of a program whose seed is fixed: what it puts out is a constant."""
SEEN = 0.1
"""Excess of a ledger over a claim that an audit by thousands of samples sees, if it is one of the output."""
UNWATCHED = "draws from a source that is not watched"
KINDS = ("seed", "output", "shared", "scale", "parameter", "path", "nan", "exception", "threshold")
"""Kinds of findings, the plainest first."""


def trace_privacy(
    program: Callable[..., Any],
    pairs: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    adjacency: Any,
    primitives: Sequence[str] = (),
    seed: int = 0,
    **options: Any,
) -> TraceResult:
    """Which line of a program leaks, and what its draws cost at the real distance of the data.

    program    program(data, rng) → what is released, or a mechanism (data, size, rng), called with size 1.
               Randomness may come from rng, from the functions of NumPy, `random`, `secrets`, SciPy or torch.
    pairs      neighbouring datasets (D, D′), a list or a function pairs(rng).
    epsilon, delta   the claim.
    adjacency  "replace", "add-remove", "replace-item" or a function (D, D′) → bool; every pair is checked.
    primitives dotted names of functions or classes of a library that add noise themselves.
    seed       of every run.
    options    seeds: runs of each pair in each direction (default: 3, and further ones while they are cheap);
               black_box: False for none; fixed_seeds: True where the program fixes a seed for a test only,
               and its release has another one; time_limit: seconds for all of it (None).

    The program is recorded on D, and replayed on D′ with the randomness and the released values of D; then
    the
    other way round. What still differs was never noised (a leak, with its line). Each draw costs the exact
    privacy loss at the distance that its argument really moved; the costs compose to the ledger.
    Raises ValueError for bad input.
    """
    from audits.privacy.draw.pairs import take_pairs

    check_claim(epsilon, delta)
    more = options.get("seeds") is None
    seeds = SEEDS if more else int(options["seeds"])
    options.pop("seeds", None)
    black_box = bool(options.pop("black_box", True))
    fixed_seeds = bool(options.pop("fixed_seeds", False))
    limit = options.pop("time_limit", None)
    if limit is not None and not 0.0 < limit < math.inf:
        raise ValueError(f"time_limit must be a number of seconds > 0, got {limit}")
    if options:
        raise ValueError(f"trace_privacy knows no option {next(iter(options))!r}")
    if seeds < 1:
        raise ValueError(f"seeds must be at least 1, got {seeds}")
    if not callable(program):
        raise ValueError(f"program must be a function (data, rng), got {program!r}")
    began = time.monotonic()
    # The processor's time, so that the number of runs of a quick program does not depend on other programs.
    clock = time.monotonic if hasattr(program, "trace") else time.process_time
    until = clock() + MORE_SECONDS
    in_time = (lambda: clock() < until) if more else (lambda: False)
    taken, _ = take_pairs(pairs, np.random.default_rng([seed, 1]), adjacency)
    reports: list[tuple[int, dict[str, Any]]] = []
    with limited(limit) as over:
        for place, pair in enumerate(taken):
            kept: list[dict[str, Any]] = []
            try:
                collect(program, pair, [seed, place], seeds, primitives, in_time, kept)
            finally:
                reports += [(place, report) for report in finished(kept, (epsilon, delta))]
            raised = [report.get("raised") for report in kept]
            if kept and all(raised):
                raise ValueError(f"the program ends with {raised[0]} on both datasets")
    if over.reason:
        reports.append((0, _nothing(f"{over.reason} after {len(reports)} runs", [seed, 0])))
    result = concluded(reports, (epsilon, delta), seed, len(taken), fixed_seeds)
    left = None if limit is None else began + limit - time.monotonic()
    if not over.reason:
        result = beside(
            program, taken, [report for _, report in reports], result, primitives, black_box, left
        )
    result = replace(result, seconds=time.monotonic() - began, versions=_versions(program))
    return disagreed(result)


def beside(
    program: Callable[..., Any],
    taken: Sequence[tuple[Any, Any]],
    reports: Sequence[Mapping[str, Any]],
    result: TraceResult,
    primitives: Sequence[str],
    black_box: bool,
    limit: float | None,
) -> TraceResult:
    """The result with what stands beside it, as far as there is time: a proof, causes, a short audit."""
    with limited(limit):
        if result.verdict == "leak":
            proof = proved(program, taken, reports, result, primitives)
            result = replace(result, proof=proof, pair_index=result.findings[0].pair)
        result = replace(result, cause=caused(program, taken, reports, result, primitives))
        doubtful = result.verdict == "ledger-exceeds" or (result.verdict == "leak" and not result.proof)
        if doubtful and black_box and not hasattr(program, "trace"):
            result = replace(result, black_box=_sampled(program, taken, result))
    return result


def _nothing(text: str, seed: Sequence[int]) -> dict[str, Any]:
    """The report of a run of which nothing is known."""
    lost = {"where": ["", 0, ""], "text": text}
    more = {"place": None, "records": None, "participate": False, "sampled": None, "way": []}
    return {"draws": [], "findings": [], "lost": [lost], "notes": [], "seed": [*seed, 0, 0], **more}


def disagreed(result: TraceResult) -> TraceResult:
    """The result, which is lost where the black box does not see a leak that is no proof, or a cost that it
    could not fail to see."""
    if (result.black_box or {}).get("verdict") != "not-refuted":
        return result
    if result.verdict == "ledger-exceeds" and result.ledger and result.seen > SEEN:
        first = result.ledger[0]
        words = (
            f"the draws of one run would tell D from D′ with probability {result.seen:.2g} more than allowed"
        )
        text = f"{words}, and {(result.black_box or {})['words']}: something hides them"
        lost = Lost(first.file, first.line, first.function, text, result.pair_index)
        return replace(result, verdict="lost", lost=(lost, *result.lost), cause=(), epsilon_ledger=None)
    if result.verdict != "leak" or result.proof:
        return result
    first = result.findings[0]
    text = f"{first.text}: that is no proof, and {(result.black_box or {})['words']}"
    lost = Lost(first.file, first.line, first.function, text, first.pair)
    return replace(result, verdict="lost", findings=(), lost=(lost, *result.lost), cause=())


def proved(
    program: Callable[..., Any],
    taken: Sequence[tuple[Any, Any]],
    reports: Sequence[Mapping[str, Any]],
    result: TraceResult,
    primitives: Sequence[str],
) -> str:
    """The sentence that proves the first finding, "" where it is no proof.

    Something of the output that is one value on D and another one on D′ in each of N runs has a probability
    above p = 10^(−6/N) on D and below 1 − p on D′, but for an error of a millionth each: p > e^ε·(1 − p) + δ
    refutes the claim. A scale that depends
    on the data makes a difference that is computed, where the output shows the noisy number itself.
    """
    first = result.findings[0]
    if first.kind == "threshold":
        return "the laws of the noise and the outputs on both sides of the threshold are known"
    if first.kind == "seed":
        return _constant(program, taken[first.pair])
    shows = [r for r in reports if any(_is(f, (first.kind, first.file, first.line)) for f in r["findings"])]
    shown = next((r for r in shows if r["seed"][1] == first.pair), None)
    if shown is None:
        return ""
    pair, seed = taken[first.pair], shown["seed"]
    scales = [f for f in shown["findings"] if _is(f, ("scale", first.file, first.line))]
    least = (math.exp(min(result.epsilon_claimed, 50.0)) + result.delta) / (
        1.0 + math.exp(result.epsilon_claimed)
    )
    wanted = math.ceil(min(MOST_CERTAIN, math.log(1e6) / -math.log(min(least, 1.0 - 1e-9)))) + 1
    asked = ["certain", wanted, *(f["draw"] for f in scales)]
    run = (pair[seed[3]], pair[1 - seed[3]], seed, shown["participate"], asked)
    report = _reports(program, [run], primitives)[0]
    found = report.get("certain")
    if found is not None and 10.0 ** (-6.0 / found["runs"]) > least:
        which = "" if seed[3] == 0 else ", D and D′ exchanged"
        return f"in {found['runs']} of {found['runs']} runs on each dataset {found['text']}{which}"
    for scale, seen in zip(scales, report.get("shows", []), strict=True):
        row = next((r for r in shown["draws"] if r["index"] == scale["draw"]), None)
        found = None if row is None or seen is None else shown_noise(row, **seen)
        more = 0.0 if found is None else excess(found[0], result.epsilon_claimed)
        if found is not None and found[1] and result.delta == 0.0:
            return (
                "given what was released before, the ratio of the noisy number's densities on D and D′ "
                "has no bound: its noise has two scales"
            )
        if more > max(result.delta, 1e-9):
            return (
                f"given what was released before, the noisy number tells D from D′ with probability "
                f"{more:.2g} more than ε = {result.epsilon_claimed:g} allows, and δ = {result.delta:g}"
            )
    return ""


def _constant(program: Callable[..., Any], pair: tuple[Any, Any]) -> str:
    """The sentence that says so where a program with a fixed seed puts out the same in all of its runs."""
    from audits.trace.watch.certain import certain
    from audits.trace.watch.run import caller, run_once
    from audits.trace.watch.session import Session

    def fresh(which: int, k: int) -> Any:
        rng = np.random.default_rng([which, k])
        return run_once(call, pair[which], Session(rng), rng)

    if hasattr(program, "trace"):
        return ""
    call = caller(program)
    found = certain(fresh, CONSTANT)
    return "" if found is None else f"in {CONSTANT} of {CONSTANT} runs on each dataset {found['text']}"


def _excess(
    report: Mapping[str, Any], finding: Mapping[str, Any], epsilon: float, delta: float
) -> float | None:
    """By how much one entry of noise of two scales exceeds ε; None where its laws are not known."""
    row = next((r for r in report["draws"] if r["index"] == finding["draw"]), None)
    losses = None if row is None else scaled(row, finding["factors"])
    if row is not None and delta == 0.0 and row["law"] not in HEAVY:
        return math.inf  # in the tail the ratio of densities has no bound
    return None if losses is None else max(excess(loss, epsilon) for loss in losses)


def _scales_in_the_ledger(report: dict[str, Any], epsilon: float, delta: float) -> dict[str, Any]:
    """The report with scales that δ covers as rows of the ledger: no leak, but a cost."""
    covered = {}
    for finding in report["findings"]:
        more = _excess(report, finding, epsilon, delta) if finding["kind"] == "scale" else None
        if more is not None and more <= delta:
            covered[finding["draw"]] = finding
    if not covered:
        return report
    kept = [f for f in report["findings"] if not any(f is other for other in covered.values())]
    rows = [
        dict(row, factors=covered[row["index"]]["factors"]) if row["index"] in covered else row
        for row in report["draws"]
    ]
    return report | {"findings": kept, "draws": rows}


def assert_ledger(
    program: Callable[..., Any],
    pairs: Any,
    epsilon: float,
    delta: float = 0.0,
    adjacency: Any = None,
    **options: Any,
) -> TraceResult:
    """`trace_privacy` as an assertion: AssertionError, which names the line, unless nothing was found.

    Further keywords go to `trace_privacy`. Returns the result. Raises ValueError for bad input.
    """
    __tracebackhide__ = True
    if adjacency is None:
        raise ValueError('adjacency must be "replace", "add-remove", "replace-item" or a function, got None')
    result = trace_privacy(program, pairs, epsilon=epsilon, delta=delta, adjacency=adjacency, **options)
    if result.verdict != "nothing-found":
        raise AssertionError(f"{result.summary()}\n{result.table()}")
    return result


def check_claim(epsilon: float, delta: float) -> None:
    """Raise ValueError for a claim that makes no sense."""
    if not 0.0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and ≥ 0, got {epsilon}")
    if not 0.0 <= delta < 1.0:
        raise ValueError(f"delta must be in [0, 1), got {delta}")


def collect(
    program: Callable[..., Any],
    pair: tuple[Any, Any],
    seed: Sequence[int],
    seeds: int,
    primitives: Sequence[str],
    in_time: Callable[[], bool],
    kept: list[dict[str, Any]],
) -> None:
    """Put the reports of all runs on a pair, in both directions, into a list, as they come."""
    first, second = pair
    runs = [(first, second, [*seed, k, 0], False) for k in range(seeds)]
    runs += [(second, first, [*seed, k, 1], False) for k in range(seeds)]
    runs += [(first, second, [*seed, seeds, 0], True), (second, first, [*seed, seeds, 1], True)]

    def run(asked: Sequence[Any]) -> list[dict[str, Any]]:
        return _reports(program, asked, primitives, kept)

    run(runs[:1])
    if kept[0].get("coins") and _unclear(kept[0]):
        row = _reports(program, [(*runs[0], ["paths"])], primitives)[0]["paths"]
        if row is not None:
            kept[:] = [_exact(kept[0], row)]
            return
    if kept[0].get("raised"):
        run(runs[1:3])
        if all(report.get("raised") for report in kept):
            return  # it is no program of such data
        del kept[1:]
    run(runs[1:])
    if any(_chooses(report) for report in kept):
        # A choice shows a record only where it falls on it.
        more = [(first, second, [*seed, k, 0], False) for k in range(seeds, seeds + MORE)]
        more += [(second, first, [*seed, k, 1], False) for k in range(seeds, seeds + MORE)]
        run(more)
    _on_new_paths(run, kept, (first, second, seed), in_time)


def finished(reports: Sequence[dict[str, Any]], claim: tuple[float, float]) -> list[dict[str, Any]]:
    """The reports of a pair with what only all of them together tell."""
    found = _mirrored(reports)
    sampled = _sampled_lines(found)
    return [_scales_in_the_ledger(report | {"sampled": sampled}, *claim) for report in found]


def _on_new_paths(
    run: Callable[[Sequence[Any]], list[dict[str, Any]]],
    kept: list[dict[str, Any]],
    pair: tuple[Any, Any, Sequence[int]],
    in_time: Callable[[], bool],
) -> None:
    """Further runs: they are only looked at for what they draw, compare, and put out on D and D′; those that
    go a way which no run before has gone are traced."""
    first, second, seed = pair
    known = {str(report["way"]) for report in kept}
    traced_ways = 0
    for k in range(len(kept), MORE_RUNS):
        if not in_time() or traced_ways == MOST_WAYS:
            return
        ordered = (first, second) if k % 2 == 0 else (second, first)
        asked = (*ordered, [*seed, 1000 + k, k % 2], False)
        way = str(run([(*asked, ["way"])])[0]["way"])
        if way not in known:
            known.add(way)
            traced_ways += 1
            kept.pop()
            run([asked])


def _mirrored(reports: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The reports without what runs from the smaller dataset to the larger say of draws that only the larger
    makes, where the runs in the other direction explain these: both speak of one pair of laws."""
    closed = any(report.get("gap") is not None for report in reports)
    open_ = any(f["kind"] == "path" for r in reports if not r.get("mirror") for f in r["findings"])
    if not closed or open_:
        return list(reports)
    return [r | {"findings": [], "draws": [], "lost": []} if r.get("mirror") else r for r in reports]


def _sampled_lines(reports: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], float]:
    """The lines whose draws a record reaches through one fresh coin alone, in all runs that tried it."""
    tried = [report["sampled"] for report in reports if report.get("sampled") is not None]
    known = [{(file, line): factor for file, line, factor in lines} for lines in tried]
    common = set.intersection(*(set(lines) for lines in known)) if known else set()
    return {line: max(lines[line] for lines in known) for line in common}


def _unclear(report: Mapping[str, Any]) -> bool:
    """Whether something is lost in a run, or was found by what coins have shown in it."""
    return bool(report["lost"]) or any(r["kind"] in ("coins", "comparison") for r in report["draws"])


def _exact(report: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """The report with the laws of the whole output, which say all that there is to say, but for the line
    of an output that only one dataset can have."""
    possible = all(chance > 0.0 for law in row["probabilities"] for chance in law)
    return report | {"draws": [row], "lost": [], "findings": [] if possible else report["findings"]}


def _reports(
    program: Callable[..., Any],
    runs: Sequence[Any],
    primitives: Sequence[str],
    kept: list[dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """The reports of runs, which are put into a list as they come; a program of another Python traces
    itself."""
    trace: Any = getattr(program, "trace", None)
    if trace is None:
        return trace_runs(program, runs, primitives, kept)
    found: list[dict[str, Any]] = trace(runs, list(primitives))
    if kept is not None:
        kept += found
    return found


def caused(
    program: Callable[..., Any],
    taken: Sequence[tuple[Any, Any]],
    reports: Sequence[Mapping[str, Any]],
    result: TraceResult,
    primitives: Sequence[str],
) -> tuple[Step, ...]:
    """Where the first finding, or the dearest line of a ledger that exceeds the claim, comes from.

    The run that shows it is made again, and watched line by line.
    """
    if result.verdict == "leak":
        first = result.findings[0]
        wanted: tuple[Any, ...] = (first.kind, first.file, first.line)
        shows = [r for r in reports if any(_is(f, wanted) for f in r["findings"])]
    elif result.verdict == "ledger-exceeds" and result.ledger:
        wanted = ("", result.ledger[0].file, result.ledger[0].line)
        shows = [r for r in reports if r["seed"][1] == result.pair_index]
        shows = [max(shows, key=lambda report: _cost_at(report, wanted[1:], result.delta))]
    else:
        return ()
    if not shows:
        return ()
    seed = shows[0]["seed"]
    pair = taken[seed[1]]
    run = (pair[seed[3]], pair[1 - seed[3]], seed, shows[0]["participate"], list(wanted))
    try:
        found = _reports(program, [run], primitives)[0].get("cause", [])
    except ValueError:
        return ()  # with another value of a variable a program may well end its process
    return tuple(
        Step(
            role=item["role"],
            file=item["where"][0],
            line=item["where"][1],
            function=item["where"][2],
            name=item["name"],
            first=item["first"],
            second=item["second"],
            sized=item["sized"],
            parameter=item.get("parameter", ""),
        )
        for item in found
    )


def _cost_at(report: Mapping[str, Any], place: tuple[Any, ...], delta: float) -> float:
    """What the draws of a line cost in one run."""
    rows = entries(report["draws"], report.get("place"), report.get("records"), report.get("sampled"))
    return compose([x for e in rows if e.where[:2] == place for x in e.losses or ()], delta)


def _is(finding: Mapping[str, Any], wanted: tuple[Any, ...]) -> bool:
    return (finding["kind"], *finding["where"][:2]) == wanted


def _chooses(report: Mapping[str, Any]) -> bool:
    """Whether a run chooses among places, with few enough draws to be run again."""
    rows = report["draws"]
    choices = [
        r
        for r in rows
        if r["kind"] in ("coin", "coins", "mechanism") or r["law"] in ("argmax", "argmin", "search")
    ]
    return bool(choices) and len(rows) <= FEW


def concluded(
    reports: Sequence[tuple[int, dict[str, Any]]],
    claim: tuple[float, float],
    seed: int,
    pairs: int,
    fixed_seeds: bool,
) -> TraceResult:
    """The result of the reports of all pairs; fixed_seeds: a seed of the program is for a test."""
    epsilon, delta = claim
    findings: dict[tuple[Any, ...], Finding] = {}
    lost: dict[tuple[Any, ...], Lost] = {}
    dearest: tuple[float, int, list[Entry]] = (-1.0, 0, [])
    unknown: list[tuple[int, Entry]] = []
    notes: dict[str, None] = {}
    draws, sampled, exact = 0, False, False
    fixed = {} if fixed_seeds else _fixed_seeds([report for _, report in reports])
    for place, report in reports:
        draws += len(report["draws"])
        rows = entries(report["draws"], report.get("place"), report.get("records"), report.get("sampled"))
        notes.update(dict.fromkeys(report["notes"]))
        for item in [*report["findings"], *_seed_findings(report, rows, fixed)]:
            file, line, function = item["where"]
            key = (item["kind"], file, line)
            run_seed = report["seed"][2] if len(report["seed"]) > 2 else 0
            findings.setdefault(
                key, Finding(item["kind"], file, line, function, item["text"], place, run_seed)
            )
        for item in report["lost"]:
            file, line, function = item["where"]
            lost.setdefault((file, line, item["text"][:40]), Lost(file, line, function, item["text"], place))
        for entry in rows:
            if entry.losses is None:
                unknown.append((place, entry))
                file, line, function = entry.where
                lost.setdefault((file, line, entry.why), Lost(file, line, function, entry.why, place))
        total = compose([loss for entry in rows for loss in entry.losses or ()], delta)
        if total > dearest[0]:
            dearest = (total, place, rows)
            sampled = any(entry.sampled for entry in rows)
            exact = any(row["kind"] == "enumerated" for row in report["draws"])
    if any(UNWATCHED in item.text or "not deterministic" in item.text for item in lost.values()):
        # What differs between two runs may then be chance: nothing is proved.
        findings = {}
    if dearest[2]:
        # A threshold that is too low shows what only one dataset has, with a probability that is known.
        likely = [(x, e) for e in dearest[2] for x in e.losses or () if x.ratio == 0.0 and x.delta > 0.0]
        if math.fsum(x.delta for x, _ in likely) > delta * (1.0 + TOLERANCE):
            first = max(likely, key=lambda pair: pair[0].delta)[1]
            text = f"{first.law} {first.distance}, more than δ = {delta:g}"
            findings[("threshold", *first.where[:2])] = Finding(
                "threshold", *first.where, text, dearest[1], 0
            )
    ordered = tuple(sorted(findings.values(), key=lambda f: KINDS.index(f.kind)))
    total, place, rows = dearest
    limit = epsilon * (1.0 + (SAMPLED if sampled else TOLERANCE)) + 1e-9
    if ordered:
        verdict = "leak"
    elif total > limit:
        verdict = "ledger-exceeds"
    elif lost:
        verdict = "lost"
    else:
        verdict = "nothing-found"
    vain = verdict == "lost" and total == 0.0  # what is lost may cost anything
    return TraceResult(
        verdict=verdict,
        epsilon_claimed=epsilon,
        delta=delta,
        epsilon_ledger=total if verdict == "ledger-exceeds" or not (vain or unknown or total < 0.0) else None,
        seen=max((excess(loss, epsilon) for e in rows for loss in e.losses or ()), default=0.0),
        epsilon_stated=compose([loss for e in rows if e.stated for loss in e.losses or ()], delta),
        ledger=tuple(ledger_lines(rows, delta)),
        findings=ordered,
        lost=tuple(lost.values()),
        pairs=pairs,
        draws=draws,
        runs=min(Counter(place for place, _ in reports).values()),
        seed=seed,
        seconds=0.0,
        pair_index=place,
        exact=exact,
        notes=tuple(notes),
    )


def _fixed_seeds(reports: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], str]:
    """{(file, line, function): seed} of generators that start from one number in every run."""
    known = [report["seeds"] for report in reports if report.get("seeds") is not None]
    always = [item for item in known[0] if all(item in items for items in known)] if len(known) > 1 else []
    return {tuple(where): seed for where, seed in always}


def _seed_findings(
    report: Mapping[str, Any], rows: Sequence[Entry], fixed: Mapping[tuple[Any, ...], str]
) -> list[dict[str, Any]]:
    """Findings of noise that hides data and comes from a generator whose seed is fixed."""
    draws = {row["index"]: row for row in report["draws"]}
    found: list[dict[str, Any]] = []
    for entry in rows:
        for index in entry.draws if entry.losses != () else ():
            origin = draws[index]["origin"] if index in draws else None
            if origin is None or fixed.get(tuple(origin[0])) != origin[1]:
                continue
            text = (
                f"the generator starts from {origin[1]} in every run, so that the noise of line "
                f"{draws[index]['where'][1]} is a constant: whoever knows it knows the data"
            )
            found.append({"kind": "seed", "where": list(origin[0]), "text": text})
    return found


def ledger_lines(rows: Sequence[Entry], delta: float) -> list[Line]:
    """The entries by line and law of the program, the dearest first."""
    groups: dict[tuple[Any, ...], list[Entry]] = defaultdict(list)
    for entry in rows:
        groups[entry.where, entry.law.split(",")[0]].append(entry)
    found: list[Line] = []
    costs: list[float | None] = []
    for (where, _), group in groups.items():
        known = all(entry.losses is not None for entry in group)
        cost = compose([loss for e in group for loss in e.losses or ()], delta) if known else None
        costs.append(cost)
        dearest = max(group, key=lambda e: sum(loss.ratio for loss in e.losses or ()))
        largest = max(
            (math.fsum(x.largest for x in e.losses) if e.losses is not None else math.inf for e in group),
            default=0.0,
        )
        squares = (x.ratio**2 for e in group for x in e.losses or () if x.kind == "gaussian")
        ratio = math.sqrt(math.fsum(squares))
        file, number, function = where
        found.append(
            Line(
                file=file,
                line=number,
                function=function,
                law=dearest.law,
                distance=dearest.distance,
                times=len(group),
                epsilon=cost,
                share=None,
                why=dearest.why,
                largest=largest,
                ratio=ratio,
            )
        )
    whole = math.fsum(cost for cost in costs if cost is not None and math.isfinite(cost))
    shares = [
        replace(
            x,
            share=x.epsilon / whole if x.epsilon is not None and math.isfinite(x.epsilon) and whole else None,
        )
        for x in found
    ]
    return sorted(shares, key=lambda x: -(x.epsilon if x.epsilon is not None else math.inf))


def _sampled(program: Any, taken: Any, result: TraceResult) -> dict[str, Any] | None:
    """A short audit by samples on the dearest pair; None where one run takes too long."""
    from audits.privacy import audit_privacy, each
    from audits.trace.watch.run import caller

    call = caller(program)
    rng = np.random.default_rng([result.seed, 2])
    pair = taken[result.pair_index]
    began = time.monotonic()
    try:
        for _ in range(3):
            call(pair[0], rng)
    except Exception:
        return None
    cost = (time.monotonic() - began) / 3.0
    if cost > CHEAP:
        return None
    try:
        found = audit_privacy(
            each(lambda data, rng: call(data, rng)),
            [pair],
            epsilon=result.epsilon_claimed,
            delta=result.delta,
            adjacency=lambda first, second: True,
            max_samples=SHORT,
            time_limit=PATIENCE,
            seed=result.seed,
            simplest=False,
        )
    except ValueError as error:
        return {"verdict": "not audited", "words": f"could not audit the output: {error}"}
    words = f"an audit of the output by {found.samples:,} samples: {found.verdict}, {found.bound}"
    return {
        "verdict": found.verdict,
        "epsilon_lower": found.epsilon_lower,
        "samples": found.samples,
        "words": words,
    }


def _versions(program: Any) -> dict[str, str]:
    found = {"python": sys.version.split()[0], "numpy": np.__version__}
    return found | {k: v for k, v in getattr(program, "libraries", {}).items() if k != "audits"}
