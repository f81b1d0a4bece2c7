"""`dpclaims show`: whether a result holds, by which readings, what follows; argument and evidence at -v."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from audits.evidence import Evidence
from claims.harness.claim import Claim
from claims.harness.index import Entry, entry_of
from claims.harness.report.describe import describe
from claims.harness.report.terminal import as_text
from claims.harness.run.result import ClaimResult
from claims.harness.standing import readings_of, result_of, standing

Results = Mapping[str, ClaimResult | None]


def show_text(chosen: Sequence[Claim], catalogue: Sequence[Claim], results: Results, verbose: bool) -> None:
    """Print the answer for each result that the chosen claims read; then the claims, in full if verbose."""
    entries = [entry_of(c) for c in catalogue]
    answered: set[str] = set()
    for claim in chosen:
        result = result_of(entry_of(claim))
        if result not in answered:
            answered.add(result)
            _answer(claim, readings_of(result, entries), results)
    shown = chosen if verbose else chosen[:1]
    for claim in shown:
        _claim(claim, results.get(claim.id), verbose)
    if not verbose:
        typer.echo("-v shows every reading with its argument and all evidence.")


def _answer(claim: Claim, readings: Sequence[Entry], results: Results) -> None:
    title = f"{claim.result.removesuffix(', proof')} ({claim.paper.key}) {standing(readings)}."
    typer.echo(typer.style(title, bold=True))
    width = max(len(e.id) for e in readings)
    for each in readings:
        last = results.get(each.id)
        verdict = each.expected if last is None else (last.verdict or "crashed")
        weight = f"  [{each.finding.weight}]" if each.finding is not None else ""
        typer.echo(f"  {each.id:{width}}  {verdict:12}  {as_text(each.title)}{weight}")
        for line in _follows(each, last):
            typer.echo(f"  {'':{width}}  {line}")
    typer.echo("")


def _follows(reading: Entry, last: ClaimResult | None) -> list[str]:
    """What follows from a reading, and the number that decides it."""
    said = [as_text(reading.finding.what)] if reading.finding is not None else []
    piece = None if last is None else next((e for e in last.evidence if e.verdict is last.verdict), None)
    return said if piece is None else [*said, f"{piece.quantity}: {_number(piece)}"]


def _number(piece: Evidence) -> str:
    exact = piece.low == piece.high
    interval = "" if exact else f" [{piece.low:.3g}, {piece.high:.3g}]"
    claimed = "" if piece.claimed is None else f", claimed {piece.claimed:.3g}"
    return f"{piece.estimate:.3g}{interval}{claimed}"


def _claim(claim: Claim, result: ClaimResult | None, verbose: bool) -> None:
    typer.echo(typer.style(f"{claim.id}: {as_text(claim.title)}", bold=True))
    typer.echo(f"{claim.result}, {claim.place}. {claim.paper.reference}")
    typer.echo(f"\n{as_text(claim.statement.strip())}\n")
    if verbose:
        typer.echo(f"{as_text(claim.doc.strip())}\n")
    for name, text in _facts(claim, result):
        typer.echo(f"{name}: {as_text(text)}")
    if verbose and result is not None:
        for item in result.evidence:
            typer.echo(f"  {describe(item)}")
    if result is not None and result.error:
        typer.echo(result.error)
    typer.echo("")


def _facts(claim: Claim, result: ClaimResult | None) -> list[tuple[str, str]]:
    found = claim.finding
    facts = [("Expected", f"{claim.expected} ({claim.kind}, {claim.role})")]
    if found is not None:
        facts += [
            ("Finding", f"{found.what} [{found.weight}]"),
            ("In its favour", found.favour),
            ("What survives", found.survives),
            ("Follows from", found.follows_from),
        ]
    facts += [("In short", claim.summary), ("Rests on", ", ".join(claim.rests_on))]
    facts.append(("Last verdict", "not run yet" if result is None else result.verdict or "crashed"))
    if result is not None:
        facts.append(("Its premises", result.caveat))
    return [(name, text) for name, text in facts if text]


def show_json(claim: Claim, result: ClaimResult | None) -> dict[str, Any]:
    """One entry of `show --json`."""
    from claims.harness.commands.listing import listed

    return listed(entry_of(claim), None if result is None else result.verdict) | {
        "statement": claim.statement,
        "how": claim.doc.strip(),
        "source": {
            "paper": claim.paper.key,
            "result": claim.result,
            "place": claim.place,
            "reference": claim.paper.reference,
        },
        "last": None if result is None else result.to_json(),
    }
