"""`trace_privacy`: a program is recorded on D and replayed on D′ with every released value frozen."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.trace.ledger.claim import Claim
from audits.trace.ledger.entries import Entry, entries
from audits.trace.ledger.laws import HEAVY, scaled
from audits.trace.ledger.losses import excess
from audits.trace.limit import limited
from audits.trace.records import NOWHERE, Asked, Finding, Lost, Report, Row, Seed, Where
from audits.trace.replay.pair import trace_runs
from audits.trace.result import BlackBox, Line, TraceResult

if TYPE_CHECKING:
    from audits.privacy import claims

MORE_RUNS, MORE_SECONDS = 30, 1.0
"""Runs of each pair where they are cheap, and the seconds within which further ones are begun."""
BATCH = 8
"""Further runs that are made together."""
SEEDS = 3
"""Runs of each pair in each direction; in one more the record that differs takes part in every subset."""
TOLERANCE, SAMPLED = 1e-3, 0.03
"""A ledger exceeds a claim by more than this share of it; where a law was recognised from samples, by
more."""
CHEAP = 0.02
"""Seconds of one run up to which the black box audits by itself."""
SHORT, PATIENCE = 20_000, 5.0
"""Samples and seconds that this audit takes, at most."""
ENOUGH = 2_000
"""Samples after which an audit that is not done yet would have seen a leak."""
SEEN = 0.1
"""Excess of a ledger over a claim that an audit by thousands of samples sees, if it is one of the output."""
UNSURE = ("draws from a source that is not watched", "not deterministic", "adds numbers to noise one by one")
"""Words of what is lost where two runs may differ by chance, or by what is not followed in them."""
HIDDEN = "the output does not follow this noise: what is chosen with noised numbers may cost less than these"
"""Said of noise whose cost is no more than an upper bound."""
KINDS = ("seed", "output", "shared", "scale", "parameter", "path", "nan", "exception", "threshold")
"""Kinds of findings, the plainest first."""
BEYOND_SAMPLES = ("scale", "threshold", "seed")
"""Kinds that samples may not see: laws that are computed may differ in a tail alone, and a constant noise may
give the same output on D and on D′."""
Pair = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Program:
    """What is traced: the program, and names of functions and classes that add noise themselves."""

    call: Any
    primitives: Sequence[str] = ()

    def reports(self, asked: Sequence[Asked], kept: list[Report] | None = None) -> list[Report]:
        """The reports of runs, which are put into a list as they come; a program of another Python traces
        itself."""
        trace = getattr(self.call, "trace", None)
        if trace is None:
            return trace_runs(self.call, asked, self.primitives, kept)
        found: list[Report] = trace(asked, list(self.primitives), kept)
        return found


def trace_privacy(
    program: Callable[..., Any],
    pairs: Any,
    *,
    epsilon: float | None = None,
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
    options    claim: in place of ε and δ one of `audits.privacy.claims`, in whose unit the ledger sums;
               seeds: runs of each pair in each direction (default: 3, and further ones while they are cheap);
               black_box: False for none; fixed_seeds: True where the program fixes a seed for a test only,
               and its release has another one; time_limit: seconds for all of it (None).

    The program is recorded on D, and replayed on D′ with the randomness and the released values of D; then
    the other way round. What still differs was never noised (a leak, with its line). Each draw costs the
    exact privacy loss at the distance that its argument really moved; the costs compose to the ledger.
    Raises ValueError for bad input.
    """
    from audits.privacy.draw.pairs import take_pairs

    claimed = claim_of(epsilon, delta, options.pop("claim", None))
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
    began, traced = time.monotonic(), Program(program, primitives)
    # The processor's time, so that the number of runs of a quick program does not depend on other programs.
    clock = time.monotonic if hasattr(program, "trace") else time.process_time
    until = clock() + MORE_SECONDS
    in_time = (lambda: clock() < until) if more else (lambda: False)
    taken, _ = take_pairs(pairs, np.random.default_rng([seed, 1]), adjacency)
    reports: list[Report] = []
    with limited(limit) as over:
        for place, pair in enumerate(taken):
            kept: list[Report] = []
            try:
                collect(traced, pair, (seed, place), seeds, in_time, kept)
            finally:
                reports += finished(kept, claimed)
            if kept and all(report.raised for report in kept):
                raise ValueError(f"the program ends with {kept[0].raised} on both datasets")
    if over.reason:
        lost = Lost(NOWHERE, f"{over.reason} after {len(reports)} runs")
        reports.append(Report((seed, 0, 0), lost=(lost,)))
    fixed = frozenset[Seed]() if fixed_seeds else _fixed_seeds(reports)
    reports = [_with_fixed_subsets(report, fixed) for report in reports]
    result = concluded(reports, claimed, seed, len(taken), fixed)
    left = None if limit is None else began + limit - time.monotonic()
    result = unchecked(result) if over.reason else beside(traced, taken, reports, result, black_box, left)
    result = replace(result, seconds=time.monotonic() - began, versions=_versions(program))
    return disagreed(result)


def claim_of(epsilon: float | None, delta: float, claim: claims.Claim | None) -> Claim:
    """The claim that is given; ValueError where none is, two are, or it makes no sense."""
    if (epsilon is None) == (claim is None) or (claim is not None and delta != 0.0):
        raise ValueError(f"give epsilon and delta, or claim, got {epsilon}, {delta} and {claim!r}")
    if claim is not None:
        return Claim.of_unit(claim)
    assert epsilon is not None
    if not 0.0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and ≥ 0, got {epsilon}")
    if not 0.0 <= delta < 1.0:
        raise ValueError(f"delta must be in [0, 1), got {delta}")
    return Claim(epsilon, delta)


# --- Runs -------------------------------------------------------------------------------------------------


def collect(
    program: Program,
    pair: Pair,
    seed: tuple[int, int],
    seeds: int,
    in_time: Callable[[], bool],
    kept: list[Report],
) -> None:
    """Put the reports of all runs on a pair, in both directions, into a list, as they come."""

    def asked(k: int, turned: int, **more: Any) -> Asked:
        return Asked(pair[turned], pair[1 - turned], (*seed, k), bool(turned), **more)

    runs = [asked(k, turned) for turned in (0, 1) for k in range(seeds)]
    runs += [asked(seeds, turned, participate=True) for turned in (0, 1)]
    program.reports(runs[:1], kept)
    if kept[0].coins and _enumerated(program, runs, kept):
        return
    if kept[0].raised:
        program.reports(runs[1:3], kept)
        if all(report.raised for report in kept):
            return  # it is no program of such data
        del kept[1:]
    program.reports(runs[1:], kept)
    for first in range(len(kept), MORE_RUNS, BATCH):
        if not in_time():
            return
        # Together: to watch every library anew takes longer than a run of a small program.
        more = [asked(1000 + k, k % 2) for k in range(first, min(first + BATCH, MORE_RUNS))]
        program.reports(more, kept)


def _enumerated(program: Program, runs: Sequence[Asked], kept: list[Report]) -> bool:
    """Whether the laws of the output are known from all paths of its coins, or from those of one record's
    coins: they take the place of the reports."""
    found = program.reports([replace(runs[0], task="paths")])
    if found[0].chances is None:
        return False
    if found[0].chances.kind == "own coins":
        found += program.reports([replace(run, task="own coins") for run in runs[1:]])
    found[0] = replace(kept[0], chances=found[0].chances)
    laws = [_exact(report, report.chances) for report in found if report.chances is not None]
    if len(laws) < len(found):
        return False
    # Two runs tell whether a seed of the program is the same in every run.
    known = laws[0].rows[0].origin is None or laws[1:]
    other = [] if known else kept[1:2] or program.reports(runs[1:2])
    kept[:] = [*laws, *(replace(report, rows=(), findings=(), lost=()) for report in other)]
    return True


def finished(reports: Sequence[Report], claim: Claim) -> list[Report]:
    """The reports of a pair with what only all of them together tell.

    Runs from the smaller dataset to the larger say nothing of draws that only the larger makes, where the
    runs in the other direction explain these: both speak of one pair of laws. A record reaches a line through
    one fresh coin alone where it does so in all runs that tried it.
    """
    open_ = any(f.kind == "path" for r in reports if not r.mirror for f in r.findings)
    if any(report.gap for report in reports) and not open_:
        reports = [replace(r, findings=(), rows=(), lost=()) if r.mirror else r for r in reports]
    known = [{(file, line): by for file, line, by in r.reached} for r in reports if r.reached is not None]
    common = set.intersection(*(set(lines) for lines in known)) if known else set[tuple[str, int]]()
    reached = tuple((*line, max(lines[line] for lines in known)) for line in sorted(common))
    return [_scales_in_the_ledger(replace(report, reached=reached), claim) for report in reports]


def _scales_in_the_ledger(report: Report, claim: Claim) -> Report:
    """The report with scales that δ covers as rows of the ledger: no leak, but a cost."""
    rows = {row.index: row for row in report.rows}
    scales = [f for f in report.findings if f.kind == "scale" and f.draw in rows]
    covered = [f for f in scales if _excess(rows[f.draw], f.factors, claim) <= claim.delta]
    factors = {finding.draw: finding.factors for finding in covered}
    kept = tuple(finding for finding in report.findings if finding not in covered)
    both = tuple(replace(row, factors=factors.get(row.index, ())) for row in report.rows)
    return replace(report, findings=kept, rows=both) if covered else report


def _excess(row: Row, factors: Sequence[float], claim: Claim) -> float:
    """By how much one entry of noise of two scales exceeds ε; infinite where its laws are not known."""
    if claim.delta == 0.0 and row.law not in HEAVY:
        return math.inf  # in the tail the ratio of densities has no bound
    losses = scaled(row, factors)
    return math.inf if losses is None else max(excess(loss, claim.epsilon) for loss in losses)


def _exact(report: Report, row: Row) -> Report:
    """The report with the laws of the whole output, which say all that there is to say, but for the line
    of a leak where no output is possible on both datasets."""
    shared = any(p > 0.0 and q > 0.0 for p, q in zip(*row.chances, strict=True))
    return replace(report, rows=(row,), lost=(), findings=() if shared else report.findings)


# --- The verdict ------------------------------------------------------------------------------------------


def _priced(report: Report) -> list[Entry]:
    """The ledger of one run."""
    reached = {(file, line): factor for file, line, factor in report.reached or ()}
    return entries(report.rows, report.batches, reached)


def concluded(
    reports: Sequence[Report], claim: Claim, seed: int, pairs: int, fixed: frozenset[Seed]
) -> TraceResult:
    """The result of the reports of all pairs; fixed: generators that start from one number in every run."""
    findings: dict[tuple[Any, ...], Finding] = {}
    lost: dict[tuple[Any, ...], Lost] = {}
    dearest: tuple[float, int, list[Entry]] = (-1.0, 0, [])
    unknown = exact = False
    for report in reports:
        rows, place = [_in_unit(entry, claim) for entry in _priced(report)], report.seed[1]
        for item in [*report.findings, *_seed_findings(report, rows, fixed)]:
            found = replace(item, pair=place, seed=report.seed[2])
            findings.setdefault((item.kind, *item.where[:2]), found)
        whys = [Lost(entry.where, entry.why) for entry in rows if entry.losses is None]
        for item in (*report.lost, *whys):
            lost.setdefault((*item.where[:2], item.text[:40]), replace(item, pair=place))
        unknown = unknown or bool(whys)
        total = _composed(rows, claim)
        if total > dearest[0]:
            dearest = (total, place, rows)
            exact = any(row.kind == "enumerated" for row in report.rows)
    if any(words in item.text for item in lost.values() for words in UNSURE):
        findings = {}
    total, place, rows = dearest
    low = _low_threshold(rows, claim.delta, place)
    shown = list(findings.values()) + ([] if low is None else [low])
    ordered = sorted(shown, key=lambda finding: KINDS.index(finding.kind))
    sampled = any(entry.sampled for entry in rows)
    limit = claim.value * (1.0 + (SAMPLED if sampled else TOLERANCE)) + 1e-9
    surely = _composed([e if e.least is None else replace(e, losses=e.least) for e in rows], claim)
    if surely <= limit < total:
        lost |= {e.where: Lost(e.where, e.why, place) for e in rows if e.least is not None}
        unknown = True
    verdict = (
        "leak" if ordered else "ledger-exceeds" if surely > limit else "lost" if lost else "nothing-found"
    )
    vain = unknown or total < 0.0 or (verdict == "lost" and total == 0.0)  # what is lost may cost anything
    return TraceResult(
        verdict=verdict,
        claim=claim,
        epsilon_ledger=None if vain and verdict != "ledger-exceeds" else total,
        seen=max((excess(loss, claim.epsilon) for e in rows for loss in e.losses or ()), default=0.0),
        epsilon_stated=_composed([e for e in rows if e.stated], claim),
        ledger=tuple(ledger_lines(rows, claim)),
        findings=tuple(ordered),
        lost=tuple(lost.values()),
        pairs=pairs,
        draws=sum(len(report.rows) for report in reports),
        runs=min(Counter(report.seed[1] for report in reports).values()),
        seed=seed,
        seconds=0.0,
        pair_index=place if verdict != "leak" else ordered[0].pair,
        exact=exact,
    )


def _composed(rows: Sequence[Entry], claim: Claim) -> float:
    """What the known losses of all entries cost together, in the unit of the claim."""
    return claim.cost([loss for entry in rows for loss in entry.losses or ()])


def _in_unit(entry: Entry, claim: Claim) -> Entry:
    """The entry, whose loss is not known where what it costs in the unit of the claim is not."""
    known = claim.of is None or entry.losses is None or not math.isnan(claim.cost(entry.losses))
    return entry if known else replace(entry, losses=None, why=f"what it costs in {claim.unit} is not known")


def _low_threshold(rows: Sequence[Entry], delta: float, place: int) -> Finding | None:
    """A threshold that is too low shows what only one dataset has, with a probability that is known."""
    likely = [(x.delta, e) for e in rows for x in e.losses or () if x.ratio == 0.0 and x.delta > 0.0]
    if math.fsum(chance for chance, _ in likely) <= delta * (1.0 + TOLERANCE):
        return None
    first = max(likely, key=lambda pair: pair[0])[1]
    text = f"{first.law} {first.distance}, more than δ = {delta:g}"
    return Finding("threshold", first.where, text, pair=place)


def _fixed_seeds(reports: Sequence[Report]) -> frozenset[Seed]:
    """Generators that start from one number in every run."""
    known = [set(report.seeds) for report in reports if report.seeds is not None]
    return frozenset(set.intersection(*known)) if len(known) > 1 else frozenset()


def _with_fixed_subsets(report: Report, fixed: frozenset[Seed]) -> Report:
    """The report, in which a subset that is the same in every run amplifies nothing."""
    batches = [replace(b, rate=1.0) if b.origin in fixed else b for b in report.batches]
    return replace(report, batches=tuple(batches))


def _seed_findings(report: Report, rows: Sequence[Entry], fixed: frozenset[Seed]) -> list[Finding]:
    """Findings of noise that hides data and comes from a generator whose seed is fixed."""
    draws = {row.index: row for row in report.rows}
    found: list[Finding] = []
    for row in (draws[i] for e in rows if e.losses != () for i in e.draws if i in draws):
        if row.origin is not None and row.origin in fixed:
            text = (
                f"the generator starts from {row.origin[1]} in every run, so that the noise of line "
                f"{row.where[1]} is a constant: whoever knows it knows the data"
            )
            found.append(Finding("seed", row.origin[0], text))
    return found


def ledger_lines(rows: Sequence[Entry], claim: Claim) -> list[Line]:
    """The entries by line and law of the program, the dearest first."""
    groups: dict[tuple[Any, ...], list[Entry]] = defaultdict(list)
    for entry in rows:
        groups[entry.where, entry.law.split(",")[0]].append(entry)
    found = [_line(where, group, claim) for (where, _), group in groups.items()]
    costs = [x.epsilon for x in found if x.epsilon is not None and math.isfinite(x.epsilon)]
    whole = math.fsum(costs)
    shares = [replace(x, share=x.epsilon / whole) if x.epsilon in costs and whole else x for x in found]
    return sorted(shares, key=lambda x: -(x.epsilon if x.epsilon is not None else math.inf))


def _line(where: Where, group: Sequence[Entry], claim: Claim) -> Line:
    """One line of the ledger."""
    losses = [loss for e in group for loss in e.losses or ()]
    known = all(entry.losses is not None for entry in group)
    dearest = max(group, key=lambda e: sum(loss.ratio for loss in e.losses or ()))
    each = [math.inf if e.losses is None else math.fsum(x.largest for x in e.losses) for e in group]
    return Line(
        *where,
        law=dearest.law,
        distance=dearest.distance,
        times=len(group),
        epsilon=claim.cost(losses) if known else None,
        share=None,
        why=dearest.why,
        largest=max(each, default=0.0),
        ratio=math.sqrt(math.fsum(x.ratio**2 for x in losses if x.kind == "gaussian")),
    )


# --- What stands beside it --------------------------------------------------------------------------------


def beside(
    program: Program,
    taken: Sequence[Pair],
    reports: Sequence[Report],
    result: TraceResult,
    black_box: bool,
    limit: float | None,
) -> TraceResult:
    """The result with what stands beside it, as far as there is time: a short audit. It is lost where the
    output does not follow the noise of a leak or a cost that samples do not see."""
    if result.verdict not in ("leak", "ledger-exceeds"):
        return result
    with limited(limit):
        if black_box and not hasattr(program.call, "trace"):
            result = replace(result, black_box=_audited(program.call, taken, result))
        if result.black_box is not None and result.black_box.verdict == "refuted":
            return result
        if result.verdict == "ledger-exceeds":
            return hidden(program, taken, reports, result)
        first = result.findings[0]
        if first.kind == "scale" and result.black_box is not None:
            shows = next(
                r for r in reports for f in r.findings if f.kind == "scale" and f.where == first.where
            )
            found = program.reports([_again(taken, shows, task="moves", draws=(first.draw,))])[0]
            return result if found.moves == (True,) else disagreed(result, ())
    return result


def hidden(
    program: Program, taken: Sequence[Pair], reports: Sequence[Report], result: TraceResult
) -> TraceResult:
    """The result, which is lost where the output does not follow noise of the ledger that exceeds the claim:
    what was chosen with it may cost less."""
    of_pair = [report for report in reports if report.seed[1] == result.pair_index]
    report = max(of_pair, key=lambda r: _composed(_priced(r), result.claim))
    shifted = {row.index for row in report.rows if row.shift is not None}
    costly = [e for e in _priced(report) if e.losses and shifted.issuperset(e.draws[:1] or (-1,))]
    # The first and the last draw of a line stand for all of them.
    ends = [(e.where, e.draws[0]) for e in {e.where: e for e in (*costly, *costly[::-1])}.values()]
    ends += [(e.where, e.draws[0]) for e in {e.where: e for e in costly}.values()]
    draws = tuple(draw for _, draw in ends)
    found = program.reports([_again(taken, report, task="moves", draws=draws)])[0].moves if draws else ()
    moved = {where for (where, _), moves in zip(ends, found, strict=False) if moves}
    lost = [Lost(where, HIDDEN, result.pair_index) for where in dict(ends) if found and where not in moved]
    return _lost(result, *lost) if lost else result


def disagreed(result: TraceResult, unseen: Sequence[str] = BEYOND_SAMPLES) -> TraceResult:
    """The result, which is lost where the black box does not see a leak, or a cost that it could not fail to
    see."""
    audit = result.black_box
    if audit is None or audit.verdict == "refuted":
        return result
    passed = audit.verdict == "not-refuted"
    if result.verdict == "ledger-exceeds" and result.seen > SEEN and passed:
        often = f"tell D from D′ with probability {result.seen:.2g} more than allowed"
        return _lost(result, _dearest(result, f"the draws of a run would {often}, and {audit.words}"))
    looked = passed or (audit.samples or 0) >= ENOUGH
    if result.verdict == "leak" and looked and result.findings[0].kind not in unseen:
        first = result.findings[0]
        return _lost(result, Lost(first.where, f"{first.text}: but {audit.words}", first.pair))
    return result


def unchecked(result: TraceResult) -> TraceResult:
    """The result of a trace that was cut off: it accuses nobody, as the runs that explain may be missing."""
    texts = [Lost(finding.where, finding.text, finding.pair) for finding in result.findings]
    if result.verdict == "ledger-exceeds":
        cost = result.claim.words(result.epsilon_ledger or 0.0)
        texts.append(_dearest(result, f"the draws of one run cost up to {cost}, as far as runs have told"))
    return replace(_lost(result, *texts), epsilon_ledger=None) if texts else result


def _dearest(result: TraceResult, text: str) -> Lost:
    """What is lost at the dearest line of the ledger."""
    line = result.ledger[0]
    return Lost((line.file, line.line, line.function), text, result.pair_index)


def _lost(result: TraceResult, *lost: Lost) -> TraceResult:
    """The result, which accuses nobody."""
    cost = None if result.verdict == "ledger-exceeds" else result.epsilon_ledger
    return replace(result, verdict="lost", findings=(), lost=(*lost, *result.lost), epsilon_ledger=cost)


def _again(taken: Sequence[Pair], report: Report, **task: Any) -> Asked:
    """The run of a report once more, with a task."""
    pair, turned = taken[report.seed[1]], report.turned
    first, second = pair[turned], pair[not turned]
    return Asked(first, second, report.seed, turned, report.participate, **task)


def _audited(program: Any, taken: Sequence[Pair], result: TraceResult) -> BlackBox | None:
    """A short audit by samples on the dearest pair; None where one run takes too long."""
    from audits.privacy import audit_privacy, each
    from audits.trace.record.run import caller

    call, of = caller(program), result.claim
    rng = np.random.default_rng([result.seed, 2])
    pair = taken[result.pair_index]
    began = time.monotonic()
    try:
        for _ in range(3):
            call(pair[0], rng)
    except Exception:
        return None
    if (time.monotonic() - began) / 3.0 > CHEAP:
        return None
    try:
        found = audit_privacy(
            each(lambda data, rng: call(data, rng)),
            [pair],
            **({"epsilon": of.epsilon, "delta": of.delta} if of.of is None else {"claim": of.of}),
            adjacency=lambda first, second: True,
            max_samples=SHORT,
            time_limit=PATIENCE,
            seed=result.seed,
            simplest=False,
        )
    except ValueError as error:
        return BlackBox("not audited", f"could not audit the output: {error}")
    words = f"an audit of the output by {found.samples:,} samples: {found.verdict}, {found.bound}"
    return BlackBox(found.verdict, words, found.epsilon_lower, found.samples)


def _versions(program: Any) -> Mapping[str, str]:
    found = {"python": sys.version.split()[0], "numpy": np.__version__}
    return found | {k: v for k, v in getattr(program, "libraries", {}).items() if k != "audits"}
