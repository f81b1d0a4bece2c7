"""Record on D, replay on D′ with what D released, compare: the rows of a ledger, and what was never
noised."""

from __future__ import annotations

import sys
import zlib
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

from . import chance, paths
from .certain import certain
from .explain import explained, rescaled, scaled, shows
from .gaps import closed, longer
from .intervals import filled
from .mechanisms import mechanisms
from .rejection import Redrawn, redrawn, shown_draws
from .report import deterministic, errors, finding, lost, seeds, sequence, stripped, unlike_words
from .rows import left_out, rows_of
from .run import Run, caller, last_line, run_once
from .sampling import sampled_lines
from .session import BITS, Changes, Current, Session, Tape, own_rng
from .shifts import Explanation, Pair, row_of, shifts_of, shown_again
from .sources import exchanged, watched
from .threads import others
from .values import SAME, changed, count, shown, unlike_places, unread
from .withdraw import withdraw

VARIANTS = 7919
"""Marks the seeds of further runs."""
FIRST_FRESH = 1000
"""Number of the first run that has draws of its own."""
UNSEEN = 8
"""Runs on the same data of a program that draws nothing that is watched."""


def trace_runs(
    program: Callable[..., Any],
    runs: Sequence[Sequence[Any]],
    primitives: Sequence[str] = (),
    kept: Optional[List[Dict[str, Any]]] = None,
) -> List[Dict[str, Any]]:
    """The reports of several runs (D, D′, seed, participate, and perhaps explain) of a program, see
    `trace_pair`; they are put into the list `kept` as they come."""
    reports: List[Dict[str, Any]] = [] if kept is None else kept
    last = len(reports) + len(runs)
    first = len(reports)
    apart = others()
    proved: Set[Tuple[Any, ...]] = set()
    while True:
        current: Any = Current(apart)
        current.actual = Session(own_rng(0))
        known = len(sys.modules)
        with watched(current) as (rng, begin), exchanged(mechanisms(current, primitives)):
            while len(reports) < last:
                sure = set(proved)
                report = trace_pair(program, current, (rng, begin), sure, runs[len(reports) - first])
                if len(sys.modules) > known:
                    # The run has imported what is not watched yet: it proves nothing.
                    break
                reports.append(report)
                proved = sure
            else:
                return reports[first:]


def trace_pair(
    program: Callable[..., Any],
    current: Any,
    source: Tuple[Any, Callable[[Sequence[int]], None]],
    proved: Set[Tuple[Any, ...]],
    asked: Sequence[Any],
) -> Dict[str, Any]:
    """Rows and findings of a program on a pair of datasets, as plain values.

    program       program(data, rng) → what is released; or (data, size, rng), called with size 1.
    current       the session that all sources report to.
    source        the generator that the program is given, and what sets all generators to their start.
    proved        findings of earlier runs that noise cannot explain, see `withdraw`.
    asked         (D, D′, seed, participate, and perhaps explain). participate: the record that differs takes
                  part in every random subset. explain: (kind, file, line) of a finding whose cause is looked
                  for; the kind "" stands for a draw; or ("paths",), for the exact law of a program of coins.
    Returns a dictionary: "draws" rows, "findings" (kind, where, text), "lost" (where, text), "notes".
    """
    first, second, seed, participate = asked[:4]
    explain = asked[4] if len(asked) > 4 else None
    call = caller(program)
    have, want = count(first), count(second)
    place = changed(first, second)
    records = None if have is None or want is None or place is None else (have, want, place)

    opened: FrozenSet[int] = frozenset()

    def run(
        data: Any, variant: Optional[int] = None, tracer: Any = None, script: Any = None, **options: Any
    ) -> Run:
        words, on_tape = [*seed] if variant is None else [*seed, VARIANTS, variant], options.pop("tape", None)
        session = Session(own_rng(words), on_tape, Changes(records=records, opened=opened, **options))
        session.tracer, session.script, session.others = tracer, script, current.others
        current.actual = session
        source[1](words)
        return run_once(call, data, session, source[0])

    recorded = run(first, forced=place if participate else None)
    tape = Tape(recorded.session)
    report: Dict[str, Any] = {"draws": [], "findings": [], "lost": [], "notes": [], "seed": list(seed)}
    report["participate"] = participate
    report["place"], report["records"], report["others"] = place, have, want
    if explain is not None and explain[0] == "way":
        report["way"] = way(recorded, run(second, tape=tape))
        return report
    # Without a draw that is seen, chance may come from elsewhere: outputs that repeat by luck take more runs.
    for _ in range(1 if recorded.session.draws or recorded.error is not None else UNSEEN):
        again = run(first, tape=tape, release="last")
        if not deterministic(recorded, again, report):
            report["way"] = way(recorded, again)
            return stripped(report)
    if recorded.error is None and recorded.session.compared:
        opened = shown_draws(recorded, lambda **options: run(first, tape=tape, **options))
    frozen = run(second, tape=tape)
    report["way"] = way(recorded, frozen)
    strangers = recorded.session.strangers + frozen.session.strangers
    if strangers:
        # What differs may be the work of that draw: nothing is proved.
        where, name = strangers[0]
        lost(report, where, "%s draws by a law that is not followed" % name)
        return stripped(report)
    kinds = unread(recorded.output) + unread(frozen.output)
    if kinds:
        words = "the output holds a %s, which cannot be looked into: return numbers, texts, lists of them"
        lost(report, last_line(recorded), words % kinds[0])
    replay: Any = lambda **options: run(second, tape=tape, **options)  # noqa: E731
    gap = None
    if recorded.error is None and longer(recorded.session, frozen.session, frozen.session.diverged):
        gap = closed(
            recorded,
            frozen,
            lambda **options: run(first, tape=tape, **options),
            lambda other, **options: run(second, tape=other, **options),
            place,
        )
        if gap is not None:
            recorded, frozen, replay = gap.recorded, gap.frozen, gap.replay
            report["gap"] = [row["where"][:2] for row in gap.rows]
    runs: Dict[str, Callable[..., Run]] = {
        "replay": replay,
        "again": lambda **options: run(first, tape=tape, **options),
        "fresh": lambda which, k: run((first, second)[which], variant=FIRST_FRESH + k),
    }
    pair = Pair(runs, recorded, frozen, place)
    if recorded.error is not None or frozen.error is not None:
        errors(recorded, frozen, report)
        if recorded.error is not None:
            withdraw(pair, Explanation(frozen, {}, {}, []), report, proved)
            return stripped(report)
    if frozen.session.diverged is None:
        seeds(recorded, frozen, report)
    report["mirror"] = frozen.error is None and longer(
        frozen.session, recorded.session, frozen.session.diverged
    )
    if gap is None:
        sequence(recorded, frozen, report)
    found = Explanation(frozen, *shifts_of(recorded.session, frozen.session))
    chosen = filled(pair, found) if frozen.session.diverged is None else {}
    found.filled = chosen
    if frozen.error is None and not _parted(report):
        found = explained(pair, found)
        found.filled = chosen
        if found.unlike and not recorded.session.opaque:
            unexplained(pair, found, report, (run, first, second, tape))
        elif not found.unlike:
            _shared(pair, found, report)
    found.redrawn = redrawn(pair, found) if recorded.error is None and frozen.error is None else Redrawn()
    report["draws"] = rows_of(recorded, found, report, gap is not None) + (
        [] if gap is None else gap.rows + left_out(recorded, frozen)
    )
    withdraw(pair, found, report, proved)
    if recorded.session.opaque and (report["findings"] or found.unlike):
        # Noise inside of a function, which is then minimised: nothing is released where it is added.
        where, name = recorded.session.opaque[0]
        report["findings"], report["draws"] = [], []
        lost(
            report,
            where,
            "%s adds noise to a function (objective perturbation): what that costs is not known" % name,
        )
    report["coins"] = paths.few(recorded.session)
    report["sampled"] = None
    if participate and records is not None and records[0] >= records[1]:
        report["sampled"] = sampled_lines(pair, records)
    if explain is not None and explain[0] == "paths":
        report["paths"] = paths.enumerated(run, first, second, recorded)
    elif explain is not None and explain[0] == "certain":
        report["certain"] = certain(pair.fresh, int(explain[1]))
        report["shows"] = [shows(pair, index) for index in explain[2:]]
    elif explain is not None:
        from .cause import causes_of

        def runner(on_first: bool, tracer: Any, **options: Any) -> Run:
            return run(first if on_first else second, tape=tape, tracer=tracer, **options)

        report["cause"] = causes_of(pair, runner, (first, second), report["findings"], explain)
    return stripped(report)


def way(recorded: Run, frozen: Run) -> List[Any]:
    """What tells runs of a program apart: where they draw what, how comparisons end, and how the run on D′
    differs."""
    drawn = [(row["where"][1], row["law"], row["shape"]) for row in recorded.session.draws]
    falls = [(e["where"][1], str(e["outcome"])[:80]) for e in recorded.session.compared]
    ends = [
        None if run.error is None else (type(run.error).__name__, run.where) for run in (recorded, frozen)
    ]
    unlike = [path for path, _, _ in unlike_places(recorded.output, frozen.output, SAME, most=3)]
    text = repr((drawn, falls, ends, frozen.session.diverged, unlike))
    return [zlib.crc32(text.encode("utf-8", "replace")), len(text)]


def _parted(report: Dict[str, Any]) -> bool:
    """Whether the runs draw differently: what they put out is then not compared."""
    return any(finding["kind"] == "path" for finding in report["findings"])


def _shared(pair: Pair, found: Explanation, report: Dict[str, Any]) -> None:
    """Reports noise that is shown, by itself or in another sum, beside the sum that it hides."""
    seen = shown_again(pair, found)
    if seen is None:
        return
    row, (path, _, _) = seen
    sums = [
        use["where"][1]
        for use in pair.recorded.session.uses
        if any(int(e) >> BITS == row["index"] for e in np.ravel(use["ids"]) if e >= 0)
    ]
    beside = "in the sum of line %d" % sums[-1] if sums else "in another sum"
    text = "output%s shows the noise of %s of this line, which hides the data %s: both together show them"
    finding(report, "shared", row["where"], text % (path, row["law"], beside))


def unexplained(pair: Pair, found: Explanation, report: Dict[str, Any], located: Tuple[Any, ...]) -> None:
    """Report what differs in the outputs though every release is the same, with the line that it comes
    from."""
    for index, (one, other) in found.several.items():
        row = row_of(pair.recorded.session, index)
        finding(
            report,
            "shared",
            other,
            "line %d releases a number with the noise of line %d, and line %d another one with the same "
            "noise: their difference has none" % (one[1], row["where"][1] if row else 0, other[1]),
        )
        return
    factors = scaled(pair)
    if factors is not None:
        row, one, other = factors
        finding(
            report,
            "scale",
            row["where"],
            "the noise is multiplied by %s on D and by %s on D′: its scale depends on the data"
            % (shown(abs(one)), shown(abs(other))),
            {"what": "moved", "key": row["index"], "one": one, "other": other},
        )
        return
    still = chance.never_noised(pair, found, report)
    if still is None:
        return
    from .locate import line_of

    run, first, second, tape = located
    where = line_of(run, first, second, tape, still) or last_line(pair.recorded)
    factors = rescaled(pair)
    if factors is not None:
        row, one, other = factors
        text = "the noise of line %d is multiplied by %s on D and by %s on D′: its scale depends on the data"
        about = {"what": "moved", "key": row["index"], "one": one, "other": other}
        finding(report, "scale", where, text % (row["where"][1], shown(abs(one)), shown(abs(other))), about)
        return
    about = {"what": "output", "key": still[0], "one": still[1], "other": still[2]}
    finding(report, "output", where, unlike_words(still), about)
