"""Record on D, replay on D′ with what D released, compare: the rows of a ledger, and what was never
noised."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, Callable, FrozenSet, List, Optional, Sequence, Tuple

from ..explain import chance, paths
from ..explain.explain import explained
from ..explain.follow import follows, placed, scaled, shown_draws
from ..explain.gaps import closed, keyed, longer
from ..explain.intervals import filled, filling
from ..explain.parting import reused, seeds, sequence, strange, told_apart, twins, undetermined
from ..explain.rejection import redrawn
from ..explain.rows import left_out, rows_of
from ..explain.sampling import batches, coins_in_loops, sampled_lines
from ..explain.withdraw import Said, key, withdrawn
from ..record.ended import told
from ..record.mechanisms import mechanisms
from ..record.run import Run, caller, last_line, run_once
from ..record.session import Changes, Current, Session, own_rng
from ..record.sources import exchanged, watched
from ..record.threads import others
from ..record.values import changed, count, shown, unread
from ..records import NOWHERE, About, Asked, Finding, Lost, Report
from .plain import hidden_by_plain
from .shifts import Pair, Release, initial, shifts_of, shown_again

VARIANTS = 7919
"""Marks the seeds of further runs."""
OWN = 7
"""Marks the seeds of coins that are not those of the record that differs."""
UNSEEN = 8
"""Runs on the same data of a program that draws nothing that is watched."""
DOUBTS = (strange, keyed)
"""(session on D, session on D′) → why nothing is known of a run, None where that is not so."""
UNREAD = "the output holds a %s, which cannot be looked into: return numbers, texts, lists of them"


def trace_runs(
    program: Callable[..., Any],
    runs: Sequence[Asked],
    primitives: Sequence[str] = (),
    kept: Optional[List[Report]] = None,
) -> List[Report]:
    """The reports of several runs of a program; they are put into the list `kept` as they come."""
    reports: List[Report] = [] if kept is None else kept
    first, apart = len(reports), others()
    while True:
        current: Any = Current(apart)
        current.actual = Session(own_rng(0))
        known = len(sys.modules)
        with watched(current) as (rng, begin), exchanged(mechanisms(current, primitives)):
            while len(reports) < first + len(runs):
                report = Traced(program, current, (rng, begin), runs[len(reports) - first], reports).report()
                if len(sys.modules) > known:
                    # The run has imported what is not watched yet: it proves nothing.
                    break
                reports.append(report)
            else:
                return reports[first:]


class Traced:
    """One traced pair.

    program   program(data, rng) → what is released; or (data, size, rng), called with size 1.
    current   the session that all sources report to.
    source    the generator that the program is given, and what sets all generators to their start.
    earlier   reports of the pair, whose findings (told), places of the output that were never noised (sure),
              and entries of plain noise that were moved (tried) are not looked at again; which sums share
              noise is looked at in the first report (first).
    """

    def __init__(
        self,
        program: Callable[..., Any],
        current: Any,
        source: Tuple[Any, Callable[[Sequence[int]], None]],
        asked: Asked,
        earlier: Sequence[Report],
    ) -> None:
        self.call, self.current, self.source, self.asked = caller(program), current, source, asked
        self.have, self.want = count(asked.first), count(asked.second)
        self.place = changed(asked.first, asked.second)
        known = self.have is not None and self.want is not None and self.place is not None
        self.records: Any = (self.have, self.want, self.place) if known else None
        self.opened: FrozenSet[int] = frozenset()
        self.fixed: FrozenSet[int] = frozenset()
        self.filling: List[Any] = []
        self.initial: Tuple[FrozenSet[int], bool] = (frozenset(), False)
        self.tried = [line for report in earlier for line in report.tried]
        self.known = len(self.tried)
        found = [(report.turned, finding) for report in earlier for finding in report.findings]
        self.first = not any(report.turned == asked.turned for report in earlier)
        self.told = {key(finding) for _, finding in found}
        self.sure = {f.about.key for turned, f in found if f.about and turned == asked.turned}

    def run(
        self,
        data: Any,
        tape: Any = None,
        variant: Optional[int] = None,
        tracer: Any = None,
        script: Any = None,
        **changes: Any,
    ) -> Run:
        """One run on a dataset; tape: the session of D; variant: draws of its own."""
        words = [*self.asked.seed, int(self.asked.turned)]
        words += [] if variant is None else [VARIANTS, variant]
        given = Changes(records=self.records, opened=self.opened, fixed=self.fixed, **changes)
        session = Session(own_rng(words), tape, given)
        session.tracer, session.script, session.others = tracer, script, self.current.others
        self.current.actual = session
        self.source[1](words)
        return run_once(self.call, data, session, self.source[0])

    def report(self) -> Report:
        """What the pair tells.

        Where draws may be no more than where the program starts from, it is told with these as they are, if
        nothing is found or lost then.
        """
        if self.asked.task in ("paths", "own coins"):
            return self._laws()
        report = self._report()
        self.fixed, meets = self.initial
        doubt = report.findings or report.lost or any(row.unknown or row.bound for row in report.rows)
        if not self.fixed or not (meets or doubt):
            return report
        self.opened = frozenset()
        other = self._report()
        return report if other.findings or other.lost else other

    def _laws(self) -> Report:
        """The laws of the output of a program of coins, on D and on D′."""
        asked = self.asked
        datasets, recorded = (asked.first, asked.second), self.run(asked.first)
        row = paths.enumerated(self.run, datasets, recorded) if asked.task == "paths" else None
        if row is None and self.records is not None:
            row = paths.of_one(self.run, datasets, recorded, self.records, own_rng([*asked.seed, OWN]))
        return Report(asked.seed, asked.turned, seeds=tuple(recorded.session.seeds), chances=row)

    def _report(self) -> Report:
        """`report`, with the draws that are fixed."""
        asked, run = self.asked, self.run
        report = Report(asked.seed, asked.turned, asked.participate)
        recorded = run(asked.first, forced=self.place if asked.participate else None)
        if asked.participate and self.records is not None:
            loops = coins_in_loops(recorded.session, self.records)
            recorded = run(asked.first, forced=self.place, loops=loops) if loops else recorded
        tape = recorded.session
        # Without a draw that is seen, chance may come from elsewhere: outputs that repeat by luck take more
        # runs.
        for _ in range(1 if tape.draws or recorded.error is not None else UNSEEN):
            again = run(asked.first, tape, release="last")
            unsure = undetermined(recorded, again)
            if unsure is not None:
                return replace(report, lost=(unsure,))
        if recorded.error is None and tape.compared:
            self.opened = shown_draws(recorded, lambda **options: run(asked.first, tape, **options))
        frozen = run(asked.second, tape)
        self.filling = filling(tape, frozen.session, lambda **options: run(asked.first, tape, **options))
        if self.filling:
            self.opened |= frozenset(uniform.index for uniform, _ in self.filling)
            frozen = run(asked.second, tape)
        self.initial = initial(tape, frozen.session)
        if recorded.error is not None and frozen.error is not None:
            words = told(recorded.error)
            lost = Lost(recorded.where or NOWHERE, "the program ends with %s on both datasets" % words)
            return replace(report, raised=words, lost=(lost,))
        return self._compared(report, recorded, frozen)

    def _compared(self, report: Report, recorded: Run, frozen: Run) -> Report:
        """The report of runs of which at least one has ended without an error."""
        asked, run, tape = self.asked, self.run, recorded.session
        again = lambda **options: run(asked.first, tape, **options)  # noqa: E731
        replay: Callable[..., Run] = lambda **options: run(asked.second, tape, **options)  # noqa: E731
        for doubt in DOUBTS:
            unsure = doubt(tape, frozen.session)
            if unsure is not None:
                return replace(report, lost=(unsure,))
        gap = None
        if recorded.error is None and longer(tape, frozen.session):
            second = lambda other, **options: run(asked.second, other, **options)  # noqa: E731
            gap = closed((recorded, frozen), again, second, self.place)
        if gap is not None:
            recorded, frozen, replay = gap.recorded, gap.frozen, gap.replay
        pair = Pair(replay, again, (recorded, frozen))
        apart = filled(pair, self.filling)
        if isinstance(apart, Lost):
            return replace(report, lost=(apart,))
        kinds = unread(recorded.output) + unread(frozen.output)
        lost = [Lost(last_line(recorded), UNREAD % kinds[0])] if kinds else []
        findings = told_apart(recorded, frozen)
        if recorded.error is not None:
            _, findings, lost = withdrawn(pair, Release(frozen), ([], findings, lost), self.told)
            return replace(report, findings=tuple(findings), lost=tuple(lost))
        if frozen.session.diverged is None:
            findings += seeds(recorded, frozen)
            lost += twins(recorded) + (reused(recorded, frozen) if self.first else [])
            report = replace(report, seeds=tuple(recorded.session.seeds))
        findings += sequence(recorded, frozen) if gap is None else []
        release, said = self._released(pair, any(finding.kind == "path" for finding in findings))
        unsure = redrawn(pair, release) if frozen.error is None else None
        if unsure is not None:
            return replace(report, lost=(unsure,))
        rows, more, less = rows_of(
            recorded, release, (self.have, self.want), gap is not None, apart[1], placed(pair)
        )
        rows += apart[0]
        rows += [] if gap is None else [*gap.rows, *left_out(recorded, frozen)]
        said = rows, _once(findings + said[1] + more), _once(lost + said[2] + less)
        rows, findings, lost = withdrawn(pair, release, said, self.told)
        findings = [self._with_cause(pair, finding) for finding in findings]
        report = replace(
            report, rows=tuple(rows), findings=tuple(findings), lost=tuple(_once(lost)), gap=gap is not None,
            mirror=frozen.error is None and longer(frozen.session, recorded.session),
            coins=paths.few(recorded.session), tried=tuple(self.tried[self.known :]),
        )  # fmt: skip
        if self.records is not None:
            report = replace(report, batches=batches(pair, self.records))
        if asked.participate and self.records is not None and self.records[0] >= self.records[1]:
            report = replace(report, reached=sampled_lines(pair, self.records))
        return self._tasked(report, pair)

    def _released(self, pair: Pair, parted: bool) -> Tuple[Release, Said]:
        """How the output on D can be that on D′, and what is said where it cannot; parted: the runs draw
        differently, and what they put out is not compared."""
        recorded, frozen = pair.recorded, pair.frozen
        release = Release(frozen, *shifts_of(recorded.session, frozen.session))
        said: Said = ([], [], [])
        if frozen.error is None and not parted:
            release = explained(pair, release)
            if not release.unlike:
                shown_too = shown_again(pair, release)
                said = [], [], [] if shown_too is None else [shown_too]
            else:
                said = self._unexplained(pair, release)
        if not (release.unlike or said[1] or self.asked.task):
            hidden = hidden_by_plain(pair, release, self.tried, own_rng(self.asked.seed))
            said = said[0], said[1], [*said[2], *([] if hidden is None else [hidden])]
        return release, said

    def _unexplained(self, pair: Pair, release: Release) -> Said:
        """What differs in the outputs though every release is the same, with the line that it comes from."""
        for index, (one, other) in release.several.items():
            row = pair.recorded.session.row(index)
            if chance.of_coins(pair.recorded.session, index):
                return [], [], [Lost(one, chance.COINS)]
            text = (
                "line %d releases a number with the noise of line %d, and line %d another one with the same "
                "noise: their difference has none"
            )
            drawn = 0 if row is None else row.where[1]
            return [], [Finding("shared", other, text % (one[1], drawn, other[1]))], []
        factors = scaled(pair)
        if factors is not None:
            return [], [_two_scales(factors, factors[0].where)], []
        still = chance.never_noised(pair, release, self.sure)
        if isinstance(still, Lost):
            return [], [], [still]
        from ..lines.watch import line_of

        where = line_of(self._watched(pair), still) or last_line(pair.recorded)
        factors = scaled(pair, released=True)
        if factors is not None:
            # Of a library only its caller's line is known: then the draw's own line says more.
            drawn = factors[0].where
            return [], [_two_scales(factors, where if where[0] == drawn[0] else drawn)], []
        return [], [Finding("output", where, chance.unlike_words(still), About("output", *still))], []

    def _watched(self, pair: Pair) -> Callable[..., Run]:
        """A function (on D, tracer, …) → a replay that is watched line by line."""
        asked, tape = self.asked, pair.recorded.session

        def runner(on_first: bool, tracer: Any, **options: Any) -> Run:
            return self.run(asked.first if on_first else asked.second, tape, tracer=tracer, **options)

        return runner

    def _with_cause(self, pair: Pair, finding: Finding) -> Finding:
        """A finding of two numbers with the line that computes them."""
        from ..lines.watch import computed

        if finding.kind == "output" or key(finding) in self.told:
            return finding
        return replace(finding, cause=computed(self._watched(pair), finding.about))

    def _tasked(self, report: Report, pair: Pair) -> Report:
        """The report with what was asked for beside it."""
        asked = self.asked
        if asked.task == "moves":
            rows = (pair.recorded.session.row(index) for index in asked.draws)
            return replace(report, moves=tuple(follows(pair.again, row, far=True) for row in rows))
        return report


def _once(said: Sequence[Any]) -> List[Any]:
    """Findings of one kind, and what is lost, once a line."""
    kept = {key(item) if isinstance(item, Finding) else item: item for item in reversed(said)}
    return [item for item in said if item is kept.get(key(item) if isinstance(item, Finding) else item)]


def _two_scales(scaled_by: Any, where: Any) -> Finding:
    """Noise that is multiplied by a number of the data."""
    row, one, other = scaled_by
    text = "the noise of line %d is multiplied by %s on D and by %s on D′: its scale depends on the data"
    text = text % (row.where[1], shown(abs(one)), shown(abs(other)))
    return Finding("scale", where, text, About("moved", row.index, one, other), row.index, (one, other))
