"""`dpclaims show`: whether a result holds, by which readings, and why to believe it; or a paper's map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from audits.evidence import Evidence
from claims.harness.claim import Claim
from claims.harness.commands.options import AsJson, Folders
from claims.harness.ids import result_of
from claims.harness.map import PaperMap, Support, dot, legend, map_of, tree, what_if
from claims.harness.report.describe import believed, describe
from claims.harness.report.shown import first_sentences
from claims.harness.report.terminal import as_text
from claims.harness.run.result import ClaimResult
from claims.harness.standing import readings_of, standing

Results = Mapping[str, ClaimResult | None]


def show_command(
    claim_id: Annotated[str, typer.Argument(metavar="ID", help="An id, 'Theorem 3.1', or a paper.")],
    claims: Folders = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="The argument and all evidence.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Print the independent checks of findings.")] = False,
    paper_map: Annotated[bool, typer.Option("--map", help="What the paper's proofs use, as a tree.")] = False,
    as_dot: Annotated[bool, typer.Option("--dot", help="The map for Graphviz.")] = False,
    without: Annotated[
        str, typer.Option(metavar="RESULT", help="What no longer has a proof without this result.")
    ] = "",
    json: AsJson = False,
) -> None:
    """Whether a result holds, its readings, what its proof uses and why to believe it; or a paper's map."""
    from claims.harness.discover import discover, select
    from claims.harness.run.serialise import print_json
    from claims.harness.run.store import last_result

    if sum(map(bool, (check, paper_map or as_dot, without, json))) > 1:
        raise ValueError("--check, --map, --without and --json exclude each other: give one of them")
    catalogue = discover(claims or [])
    found = select(catalogue, [claim_id])
    found = [c for c in found if c.id == claim_id] or found
    if paper_map or as_dot or without:
        _show_map(claim_id, catalogue.claims, found, as_dot=as_dot, without=without)
        return
    wanted = {result_of(c.id) for c in found}
    near = [c for c in catalogue.claims if result_of(c.id) in wanted]
    if check:
        typer.echo(_checks(claim_id, found if ":" in claim_id else near))
        return
    results = {c.id: last_result(c.id) for c in near}
    if json:
        shown = [show_json(c, results[c.id]) for c in found]
        print_json({"format": "dpclaims-show/1", "claims": shown})
    else:
        show_text(found, catalogue.claims, results, verbose)


def _show_map(
    asked: str, catalogue: Sequence[Claim], found: Sequence[Claim], *, as_dot: bool, without: str
) -> None:
    papers = list(dict.fromkeys(c.paper.key for c in found))
    if len(papers) > 1:
        raise ValueError(f"a map is of one paper, and {asked!r} is in {', '.join(papers)}")
    drawn = map_of(papers[0], catalogue)
    if as_dot:
        typer.echo(dot(drawn), nl=False)
        return
    if without:
        from claims.harness.discover import select

        own = [c for c in catalogue if c.paper.key == papers[0] and c.role != "program"]
        (result, *others) = dict.fromkeys(result_of(c.id) for c in select(own, [without]))
        if others:
            raise ValueError(f"--without takes one result, got {without!r}: {result}, {others[0]} …")
        lines = list(what_if(drawn, result))
    elif any(drawn.uses.values()):
        lines = [*legend(drawn), "", *tree(drawn)]
    else:
        raise ValueError(f"no claim of {papers[0]} says what its proof uses: uses=(…), see `Claim`")
    typer.echo("\n".join(map(as_text, lines)))


def _checks(asked: str, claims: Sequence[Claim]) -> str:
    """The independent checks of these claims, each below the id of its claim."""
    from claims.harness.errata import check_file

    files = {c.id: check_file(c) for c in claims if c.file is not None}
    texts = {i: f.read_text(encoding="utf-8").rstrip() for i, f in files.items() if f.is_file()}
    if not texts:
        raise ValueError(f"{asked} has no finding with a check; `dpclaims errata` lists those")
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n\n".join(f"# {claim_id}\n{text}" for claim_id, text in texts.items())


def show_text(chosen: Sequence[Claim], catalogue: Sequence[Claim], results: Results, verbose: bool) -> None:
    """Print the answer for each result that the chosen claims read; then the claims, in full if verbose."""
    answered: set[str] = set()
    for claim in chosen:
        result = result_of(claim.id)
        if result not in answered:
            answered.add(result)
            _answer(claim, readings_of(result, catalogue), results, verbose)
            if claim.role != "program":
                _proof(result, map_of(claim.paper.key, catalogue))
            typer.echo("")
    for claim in chosen if verbose else chosen[:1]:
        _claim(claim, results.get(claim.id), verbose)
    if not verbose:
        typer.echo("-v shows every reading with its argument and all evidence.")


def _answer(claim: Claim, readings: Sequence[Claim], results: Results, verbose: bool) -> None:
    meant = ", as it must" if claim.role == "control" else ""
    title = f"{claim.result.removesuffix(', proof')} ({claim.paper.key}) {standing(readings)}{meant}."
    typer.echo(typer.style(title, bold=True))
    width = max(len(e.id) for e in readings)
    for each in readings:
        last = results.get(each.id)
        verdict = each.expected if last is None else (last.verdict or "crashed")
        weight = f"  [{each.finding.weight}]" if each.finding is not None else ""
        typer.echo(f"  {each.id:{width}}  {verdict:12}  {as_text(each.title)}{weight}")
        for line in _follows(each, last, verbose):
            typer.echo(f"  {'':{width}}  {line}")
    if all(results.get(e.id) is None for e in readings):
        asked = f"dpclaims run {result_of(readings[0].id)} --tier smoke"
        typer.echo(f"  Not run here, so these are the verdicts on record: {asked}")


def _follows(reading: Claim, last: ClaimResult | None, verbose: bool) -> list[str]:
    """What is wrong, its first sentences unless verbose, and the number that decides."""
    what = "" if reading.finding is None else reading.finding.what
    brief = what if verbose else first_sentences(what)
    said = [as_text(brief) + (" …" if brief != what else "")] if what else []
    if last is None:
        return said
    piece = next((e for e in last.evidence if e.verdict is last.verdict), None)
    if piece is not None:
        said.append(f"{piece.quantity}: {_number(piece)}")
    if last.verdict != reading.expected:
        said.append(f"expected {reading.expected}")
    return [*said, *([last.caveat] if last.caveat else [])]


def _number(piece: Evidence) -> str:
    exact = piece.low == piece.high
    interval = "" if exact else f" [{piece.low:.3g}, {piece.high:.3g}]"
    claimed = "" if piece.claimed is None else f", claimed {piece.claimed:.3g}"
    return f"{piece.estimate:.3g}{interval}{claimed}"


def _proof(result: str, drawn: PaperMap) -> None:
    """What the paper's proof uses, and what uses the result."""
    for words, names in (("Its proof uses", list(drawn.uses[result])), ("Used by", drawn.used_by(result))):
        if names:
            labels = [f"{drawn.nodes[n].label} {drawn.nodes[n].standing.mark}" for n in names]
            typer.echo(f"  {words}: {', '.join(labels)}")
    if drawn.nodes[result].support is not Support.SOUND:
        typer.echo(f"  Mind that {drawn.nodes[result].support}.")


def _claim(claim: Claim, result: ClaimResult | None, verbose: bool) -> None:
    heading = claim.id if verbose else claim.result
    typer.echo(f"{typer.style(heading, bold=True)}, {claim.place}. {claim.paper.reference}")
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
    facts: list[tuple[str, str]] = []
    if found is not None:
        facts += [
            ("In its favour", found.favour),
            ("What survives", found.survives),
            ("Follows from", found.follows_from),
        ]
    facts += [("In short", claim.summary), ("Takes for granted", ", ".join(claim.rests_on))]
    facts.append(("Why believe it", believed(claim, result)))
    return [(name, text) for name, text in facts if text]


def show_json(claim: Claim, result: ClaimResult | None) -> dict[str, Any]:
    """One entry of `show --json`."""
    from claims.harness.commands.listing import listed

    return listed(claim, None if result is None else result.verdict) | {
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
