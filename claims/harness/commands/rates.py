"""`dpclaims rates`: the exponents and levels that claims fit, against the committed baseline."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from claims.harness import exchange
from claims.harness.claim import Claim
from claims.harness.commands.exponents import Compared, compared, exponent_of, status_of
from claims.harness.commands.progress import progress
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.discover import discover, select
from claims.harness.exchange import Outputs
from claims.harness.run.provenance import data_folder, numerics
from claims.harness.run.result import CRASHED, DIFFERS, PASSED, RunResult
from claims.harness.run.runner import ALPHA, run
from claims.harness.run.serialise import dumps, print_json, read_json

FORMAT = "dpclaims-baseline/2"
TIER, SEED = "ci", 0

Name = tuple[str, str, str]
"""Claim id, axis (of a level its quantity, which says the risk and the place), and the grid point as text."""
Entry = Mapping[str, Any]
"""An exponent or a level as a baseline holds it."""
KEPT = ("axis", "quantity", "worse", "point", "estimate", "standard_error", "degrees_of_freedom", "low",
        "high", "confidence", "claimed", "samples")  # fmt: skip
"""Fields of the evidence that an entry has, beside the claim; its point is text."""


def check_baseline(
    patterns: Sequence[str],
    *,
    asked: RatesAsked,
    jobs: int,
    folders: Sequence[Path],
    outputs: Outputs,
    json: bool,
) -> int:
    """Run the claims that fit exponents (finished ones are read from the store) and compare their exponents.

    An exponent is worse where the interval of its difference to the baseline, at the error level asked for
    over all exponents together, excludes zero by more than the tolerance. Prints the comparison, returns
    the exit status. With `asked.update` what changes is printed and the baselines of the papers concerned are
    rewritten; only with `asked.force` where a claim has another verdict than expected.

    Raises ValueError for a pattern without such a claim, or a baseline that is missing or malformed.
    """
    claims = _rate_claims(patterns, folders)
    files = {
        c.paper.key: asked.baseline or baseline_file(c.paper.key, for_writing=asked.update) for c in claims
    }
    old = _read_all(files.values(), may_be_missing=asked.update)
    with progress(len(claims)) as report:
        result = run(*(c.id for c in claims), tier=TIER, seed=SEED, jobs=jobs, claims=folders, notify=report)
    if crashed := [c for c in result.claims if c.error]:
        for claim in crashed:
            print(f"dpclaims: {claim.id} crashed\n{claim.error}", file=sys.stderr)
        return CRASHED
    new = exponents(result)
    # A pattern restricts the comparison: what it leaves out is not missing.
    wanted = {c.id for c in claims}
    before = {name: e for name, e in old.items() if name[0] in wanted or not patterns}
    rows = compare(new, before, asked)
    failed = [claim.id for claim in result.claims if not claim.ok]
    written = asked.update and (asked.force or not failed)
    if written:
        kept = {**old, **new} if patterns else new
        for file in dict.fromkeys(files.values()):
            papers = {key for key, place in files.items() if place == file}
            write_baseline(file, {n: e for n, e in kept.items() if n[0].split("/")[0] in papers})
    elif not asked.update:
        cases = [row.case(claim, row.name) for (claim, _, _), row in rows.items()]
        exchange.publish("dpclaims rates", "dpclaims: exponents against the baseline", cases, outputs)
    _print(rows, files.values(), written, json)
    if asked.update and not written:
        print(f"dpclaims: not written: {failed[0]} is not as expected (--force)", file=sys.stderr)
        return DIFFERS
    return PASSED if asked.update else status_of(row.outcome for row in rows.values())


def _read_all(files: Iterable[Path], *, may_be_missing: bool) -> dict[Name, Entry]:
    """The exponents of all baselines; ValueError where one is missing that must not be."""
    found: dict[Name, Entry] = {}
    for file in dict.fromkeys(files):
        if file.exists() or not may_be_missing:
            found |= read_baseline(file)
    return found


def exponents(result: RunResult) -> dict[Name, Entry]:
    """The exponents and levels of a run by name; ValueError where two have one name."""
    found: dict[Name, Entry] = {}
    for claim in result.claims:
        for e in claim.evidence:
            if e.standard_error is None:
                continue
            point = ", ".join(f"{k}={v}" for k, v in sorted(e.point.items()))
            name = (claim.id, e.axis or e.quantity, point)
            if name in found:
                raise ValueError(f"{claim.id} fits {name[1]!r} twice at one point: give them points")
            found[name] = {"claim": claim.id, **{key: getattr(e, key) for key in KEPT}, "point": point}
    return found


def compare(new: Mapping[Name, Entry], old: Mapping[Name, Entry], asked: RatesAsked) -> dict[Name, Compared]:
    """Each exponent or level beside the baseline.

    Which direction is worse is a field of an entry, and for a rate that is tight follows from the axis: a
    risk that falls faster is no regression. A level that is open leaves the status alone.
    """
    from audits.rates.question import falls, which_is_worse

    found: dict[Name, Compared] = {}
    each = asked.alpha / max(len(new), 1)
    for name in sorted(new.keys() | old.keys()):
        claim, what, point = name
        a, b = new.get(name), old.get(name)
        axis = next((e["axis"] for e in (a, b) if e is not None and e["axis"]), "")
        worse = "either" if a is None else a["worse"] or "either"
        if worse == "either":
            worse = which_is_worse(falls(what, np.ones(0)))
        found[name] = compared(
            f"{claim}, {point}" if point else claim,
            axis,
            f"exponent of {axis}" if axis else what,
            None if a is None else exponent_of(a),
            None if b is None else exponent_of(b),
            asked,
            each,
            worse=worse,
        )
    return found


def read_baseline(file: Path) -> dict[Name, Entry]:
    """The entries of a baseline file; ValueError, naming the file, where it is missing or malformed."""
    if not file.exists():
        raise ValueError(f"no baseline at {file}: write one with `dpclaims rates --update`")
    document = read_json(file)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{file}: not a baseline of dpclaims ({FORMAT})")
    try:
        for entry in document["exponents"]:
            exponent_of(entry)
        return {(e["claim"], e["axis"] or e["quantity"], e["point"]): e for e in document["exponents"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: malformed exponent ({error})") from error


def write_baseline(file: Path, found: Mapping[Name, Entry]) -> None:
    """Write the baseline, with where it comes from, by one rename."""
    document = {
        "format": FORMAT,
        "provenance": {
            "tier": TIER, "seed": SEED, "alpha": ALPHA, "versions": numerics(),
        },
        "exponents": [entry for _, entry in sorted(found.items())],
    }  # fmt: skip
    exchange.write(file, dumps(document))


def _rate_claims(patterns: Sequence[str], folders: Sequence[Path]) -> list[Claim]:
    claims = [c for c in select(discover(folders), patterns) if c.fits_exponents]
    if not claims:
        raise ValueError(f"no claim that fits exponents matches {', '.join(patterns)!r}")
    return claims


def baseline_file(paper: str, *, for_writing: bool = False) -> Path:
    """Where the baseline of a paper stands: below the current folder, or where the distribution put it."""
    here = Path("reports") / "baseline" / f"{paper}.json"
    there = data_folder("reports") / "baseline" / f"{paper}.json"
    return here if here.exists() or for_writing or not there.exists() else there


def _print(rows: Mapping[Name, Compared], files: Iterable[Path], update: bool, json: bool) -> None:
    names = ", ".join(str(f) for f in dict.fromkeys(files))
    if json:
        listed = [
            row.as_dict() | {"claim": claim, "axis": axis, "point": point}
            for (claim, axis, point), row in rows.items()
        ]
        document = {"format": "dpclaims-rates/1", "baseline": names, "updated": update}
        print_json(document | {"exponents": listed})
        return
    for row in rows.values():
        print(row)
    verb = "rewritten" if update else "compared"
    count = sum(bool(row.axis) for row in rows.values())
    print(f"{count} exponents and {len(rows) - count} levels, baseline {names} {verb}")
