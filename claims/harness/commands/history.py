"""`dpclaims rates --history DIR`: the runs that a folder keeps as baselines, and which of them are worse."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claims.harness import exchange
from claims.harness.commands.exponents import Compared, against, read, status_of
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.exchange import Outputs
from claims.harness.run.serialise import print_json


def history_command(asked: RatesAsked, outputs: Outputs, *, json: bool) -> int:
    """Print the runs in the order of their names, each beside --baseline, or beside the first; returns the
    exit status of the last. Raises ValueError for a folder without runs, or with those of several risks."""
    folder = asked.history
    files = sorted(folder.glob("*.json")) if folder is not None else []
    if not files:
        raise ValueError(f"--history {str(folder)!r} holds no run: keep one by --baseline FILE --update")
    exchange.must_plot(asked.plot)
    first = read(asked.baseline or files[0])
    runs = {file.stem: list(against(read(file, first).fits, first.fits, asked)) for file in files}
    if asked.plot is not None:
        draw(runs, asked.plot)
    if json:
        found = [{"run": run, **row.as_dict()} for run, rows in runs.items() for row in rows]
        print_json({"format": "dpclaims-history/1", "runs": found})
    else:
        width = max(len(run) for run in runs)
        for run, row in ((run, row) for run, rows in runs.items() for row in rows):
            print(f"{run:{width}}  {row.name}: {_measured(row)}, {row.answer}")
        print(f"{len(runs)} runs beside {asked.baseline or files[0]}")
    cases = [row.case("dpclaims.rates", row.name) for row in runs[files[-1].stem]]
    exchange.publish("dpclaims rates", f"dpclaims: last run in {folder}", cases, outputs)
    return status_of(case.outcome for case in cases)


def _interval(row: Compared) -> list[float]:
    """What was measured with its 95 % interval; of a level the risk."""
    assert row.now is not None
    values = [row.now.estimate, *row.now.interval(0.025)]
    return values if row.axis else [math.exp(min(value, 700.0)) for value in values]


def _measured(row: Compared) -> str:
    return "none" if row.now is None else "{:.4g} [{:.4g}, {:.4g}]".format(*_interval(row))


def draw(runs: Mapping[str, Sequence[Compared]], file: Path) -> None:
    """A panel an exponent or level, the runs from left to right; those that are worse in another colour."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(row.name for rows in runs.values() for row in rows))
    figure = Figure(figsize=(8.0, 2.5 * len(names)), layout="constrained")
    panels: Any = figure.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
    for name, panel in zip(names, panels, strict=True):
        for at, rows in enumerate(runs.values()):
            for row in (row for row in rows if row.name == name and row.now is not None):
                value, low, high = _interval(row)
                colour = "C3" if row.answer == "worse" else "C0"
                panel.errorbar(at, value, [[value - low], [high - value]], fmt="o", color=colour)
        panel.set_title(name, fontsize="medium")
        panel.set_xticks(range(len(runs)), runs, rotation=45, ha="right")
    exchange.save_plot(figure, file)
