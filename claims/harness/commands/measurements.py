"""`dpclaims rates --csv`: exponents of the user's own measurements, against claims and against a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from audits.evidence import Side, Verdict
from claims.harness import exchange
from claims.harness.commands import exponents
from claims.harness.commands.exponents import Baseline, Compared, Kept, status_of
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.exchange import Case, Outputs
from claims.harness.report.describe import describe
from claims.harness.run.serialise import dumps, evidence_to_json, print_json

if TYPE_CHECKING:
    from audits.rates import FormFit, RateFit

T = TypeVar("T")
Fits = Mapping[str, "RateFit"]


def measurements_command(asked: RatesAsked, outputs: Outputs, *, json: bool) -> int:
    """Fit the exponents of a CSV table, one measured cell or trial a line; prints them, returns the status.

    0 as claimed and no worse than the baseline · 1 refuted, or worse · 3 undecided.
    Raises ValueError for a file, a column or a text that cannot be used.
    """
    exchange.must_plot(asked.plot)
    exchange.must_be_writable("--baseline", asked.baseline if asked.update else None)
    file, update = asked.baseline, asked.update
    assert asked.risk is not None
    old: Mapping[str, Kept] = {}
    if file is not None and (asked.judged or file.exists()):
        old = exponents.read(file, Baseline(asked.risk, asked.groups, {})).fits
    fits = fitted(asked)
    new = {name: exponents.kept(fit, old.get(name)) for name, fit in fits.items()}
    rows = list(exponents.against(new, old, asked)) if old else []
    if asked.plot is not None:
        draw([(name, fit, asked.axis) for name, fit in fits.items()], asked.plot)
    refuted = any(axis.verdict is Verdict.REFUTED for fit in fits.values() for axis in fit.axes)
    writes = file is not None and update and (asked.force or not refuted)
    if file is not None and writes:
        exchange.write(file, dumps(exponents.document(fits, asked.risk, asked.groups)))
    cases = list(_cases(fits, rows, asked))
    exchange.publish("dpclaims rates", f"dpclaims: exponents of {asked.csv}", cases, outputs)
    if json:
        print_json(_document(fits, rows, asked, writes))
    else:
        print("\n".join(_text(fits, rows, asked, writes)))
    return status_of(case.outcome for case in cases)


def fitted(asked: RatesAsked) -> dict[str, RateFit]:
    """The fit of each group, "" of the only one; a refutation has the level asked for, a pass its own."""
    from audits.rates import fit_rate

    risk, vanishing = str(asked.risk), [name for name in asked.vanishing if name != "none"]

    def fit(rows: Any, alpha: float) -> RateFit:
        return fit_rate(
            rows, risk, list(asked.axis), assignments(asked.claimed, asked.axis), asked.tolerance,
            side=Side(asked.side), alpha=alpha / (2.0 if asked.judged else 1.0),
            standard_error=asked.error,
            vanishing=vanishing if asked.vanishing else None,
            trial=False if asked.trial == "none" else asked.trial,
        )  # fmt: skip

    return by_group(asked, fit)


def by_group(asked: RatesAsked, work: Callable[[Any, float], T]) -> dict[str, T]:
    """What ``work(rows, alpha)`` finds in the rows of each group, by its name "method=a, dataset=b", "" of
    the only one; all groups share α. ValueError as `read_table`, and naming the group, as `work`."""
    parts = {"": read_table(asked)}
    if asked.groups:
        parts = {
            ", ".join(f"{column}={value}" for column, value in zip(asked.groups, key, strict=True)): rows
            for key, rows in parts[""].groupby(asked.groups, sort=True, dropna=False)
        }
    found: dict[str, T] = {}
    for name, rows in parts.items():
        try:
            found[name] = work(rows, asked.alpha / len(parts))
        except ValueError as error:
            raise ValueError(f"{name}: {error}" if name else str(error)) from error
    return found


def draw(fits: Sequence[tuple[str, RateFit | FormFit, Sequence[str]]], file: Path) -> None:
    """A row for each name, fit and axes, one panel an axis, in the kind of file of its suffix; ValueError
    where that fails."""
    from matplotlib.figure import Figure

    columns = max(len(axes) for _, _, axes in fits)
    figure = Figure(figsize=(4.5 * columns, 4.5 * len(fits)))
    figure.subplots_adjust(bottom=0.36 / len(fits), hspace=0.75, wspace=0.3)
    rows: Any = figure.subplots(len(fits), columns, squeeze=False)
    for (name, fit, axes), panels in zip(fits, rows, strict=True):
        for axis, panel in zip(axes, panels, strict=False):
            fit.plot(axis, panel).set_title(name)
        for unused in panels[len(axes) :]:
            unused.set_axis_off()
    exchange.save_plot(figure, file)


def _cases(fits: Fits, rows: Sequence[Compared], asked: RatesAsked) -> Iterator[Case]:
    place = (exchange.from_here(asked.csv), 1)
    outcomes = {Verdict.REFUTED: exchange.FAILED, Verdict.INCONCLUSIVE: exchange.UNDECIDED}
    for group, fit in fits.items():
        for axis, evidence in zip(fit.axes, fit.evidence(), strict=True):
            why = f"{describe(evidence)}{f'; {axis.advice}' if axis.advice else ''}"
            name = f"{group}: {evidence.quantity}" if group else evidence.quantity
            yield Case(
                group="dpclaims.rates", name=name, title=name, message=why, place=place,
                outcome=outcomes.get(axis.verdict, exchange.PASSED) if axis.verdict else exchange.PASSED,
                verdict="" if axis.verdict is None else axis.verdict.value,
                numbers={
                    "estimate": evidence.estimate, "low": evidence.low, "high": evidence.high,
                    "claimed": evidence.claimed, "samples": evidence.samples,
                    "resolution": evidence.resolution,
                },
            )  # fmt: skip
    for row in rows if asked.judged else ():
        yield row.case("dpclaims.rates", f"{row.name} against the baseline", place)


def _text(fits: Fits, rows: Sequence[Compared], asked: RatesAsked, written: bool) -> Iterator[str]:
    for group, fit in fits.items():
        if group:
            yield f"{group}:"
        for axis, evidence in zip(fit.axes, fit.evidence(), strict=True):
            yield describe(evidence)
            if axis.advice:
                yield f"  what would decide: {axis.advice}"
        if found := _predicted(fit, asked):
            interval = "{risk:.4g} [{low:.4g}, {high:.4g}]".format(**found)
            yield f"  risk of one more cell at {asked.predict}: {interval} (95 %), if the law goes on there"
        if fit.trials:
            yield f"  {fit.trials[1]} trials by column {fit.trials[0]!r}, each left out of all cells"
    for row in rows:
        yield str(row)
        if row.advice:
            yield f"  what would decide: {row.advice}"
    if asked.update:
        count = sum(len(fit.axes) for fit in fits.values())
        done = f"written: {count} exponents" if written else "not written: an exponent is refuted (--force)"
        yield f"baseline {asked.baseline} {done}"


def _document(fits: Fits, rows: Sequence[Compared], asked: RatesAsked, written: bool) -> dict[str, Any]:
    return {
        "format": "dpclaims-rates/1",
        "exponents": [
            evidence_to_json(e)
            | {"diagnosis": asdict(axis.diagnosis), "advice": axis.advice, "group": group}
            for group, fit in fits.items()
            for e, axis in zip(fit.evidence(), fit.axes, strict=True)
        ],
        "predictions": [
            {"group": group, "at": asked.predict, **_predicted(fit, asked)}
            for group, fit in fits.items() if asked.predict
        ],
        "trials": [
            {"group": group, "column": fit.trials[0], "count": fit.trials[1]}
            for group, fit in fits.items() if fit.trials
        ],
        "baseline": None if asked.baseline is None else str(asked.baseline),
        "updated": written,
        "compared": [row.as_dict() for row in rows],
    }  # fmt: skip


def assignments(
    text: str | None, axes: Sequence[str], flag: str = "--claimed", like: str = "n=-1,m=-0.5"
) -> dict[str, float] | None:
    """Numbers by axis: claimed exponents, or a place.

    >>> assignments("n=-1, m=-0.5", ["n", "m"])
    {'n': -1.0, 'm': -0.5}
    """
    if text is None:
        return None
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (p.strip() for p in part.partition("="))
        if name in found:
            raise ValueError(f"{flag} names {name!r} twice, got {text!r}")
        try:
            found[name] = float(value)
        except ValueError:
            raise ValueError(f"{flag} must look like {like!r}, got {text!r}") from None
        if name not in axes:
            raise ValueError(f"{flag} names {name!r}, which is no --axis; axes are {', '.join(axes)}")
    return found


def _predicted(fit: RateFit, asked: RatesAsked) -> dict[str, float]:
    """The risk of one more cell at the place of --predict, with its 95 % interval; nothing where none is
    named."""
    place = assignments(asked.predict, asked.axis, "--predict", "n=1e6")
    return {} if place is None else dict(zip(("risk", "low", "high"), fit.predict(place), strict=True))


def read_table(asked: RatesAsked) -> Any:
    """The table of --csv; ValueError for a file or a column that cannot be used."""
    import pandas as pd

    assert asked.csv is not None
    file, trial = asked.csv, None if asked.trial == "none" else asked.trial
    try:
        table = pd.read_csv(file)
    except OSError:
        raise
    except Exception as error:
        # Each kind of archive has errors of its own where it is cut off, damaged or called by another's name.
        words = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"--csv {str(file)!r} is not a CSV table: {words}") from error
    used = [c for c in (asked.risk, *asked.axis, asked.error, *asked.groups, trial) if c is not None]
    names = [str(c) for c in table.columns]
    missing = [c for c in used if c not in names]
    if missing:
        raise ValueError(f"--csv {str(file)!r} has no column {missing[0]!r}; it has {names}")
    # pandas calls the second column of a name "risk.1".
    again = [c for c in used if f"{c}.1" in names]
    if again and (pd.read_csv(file, header=None, nrows=1).iloc[0] == again[0]).sum() > 1:
        raise ValueError(f"--csv {str(file)!r} has several columns {again[0]!r}: give each a name of its own")
    _nothing_is_averaged(table, asked, set(used))
    return table


def _nothing_is_averaged(table: Any, asked: RatesAsked, used: set[str]) -> None:
    """ValueError where rows of one cell differ in a column of words, a method, that no option names."""
    import pandas as pd

    from audits.rates.cells import TRIAL_NAMES

    if asked.groups or not asked.axis:
        return
    for column in table.columns:
        words = table[column]
        if column in used or column.lower() in TRIAL_NAMES or pd.api.types.is_numeric_dtype(words):
            continue
        # A word that stands in one cell only says where the cell comes from.
        if (table.groupby(list(asked.axis))[column].nunique() > 1).all() and words.nunique() <= len(
            table
        ) / 3:
            raise ValueError(
                f"--csv {str(asked.csv)!r}: each cell has rows of several {column!r} "
                f"({', '.join(map(str, words.unique()[:3]))}): fit them apart by --group {column}, or name "
                f"trials by --trial {column}"
            )
