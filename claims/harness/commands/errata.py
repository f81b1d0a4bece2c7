"""`dpclaims errata`: for each paper a document that can be sent to its authors, and the checks in it, run."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from claims.harness.claim import Claim, Paper
from claims.harness.commands.options import Folders
from claims.harness.commands.printed import harmless, untagged
from claims.harness.errata import Checked, check_file, owes_check, run_check
from claims.harness.finding import Weight
from claims.harness.report.shown import whole
from claims.harness.standing import by_weight

INTRODUCTION = """\
These remarks came up while every result of the paper was implemented and checked by computation. They are
sorted by how much they matter. What is said of the text is meant to be read beside it, and each remark gives
the reading that is kindest to the text. {checks}
"""
HEADINGS = {
    Weight.THEOREM: "Results that do not hold as stated",
    Weight.ALGORITHM: "Algorithms that do not do what their theorem needs",
    Weight.PROOF: "Steps of proofs",
    Weight.RANGE: "Results that hold on a smaller range",
    Weight.LOGARITHM: "Results that hold with another logarithm",
    Weight.CONSTANT: "Constants",
    Weight.TYPO: "Misprints",
    Weight.CORNER: "Corner cases",
}
LIGHT = (Weight.TYPO, Weight.CORNER)
"""A line each: what an author would call pedantry otherwise."""

PLAIN = {
    "CONFIRMED": "a computation confirms it",
    "CONSISTENT": "simulations agree with it",
    "REFUTED": "it falls as well",
    "INCONCLUSIVE": "nothing decides it",
}
"""What a verdict is called in a letter: its reader knows the paper and not our words."""
CLAIM_ID = r"`(?:[a-z]+[0-9]{4}/[a-z0-9.-]+|[a-z]+[a-z-]*-[a-z0-9.]+(?:-[a-z0-9.-]+)*)?(?::[a-z0-9.-]+)?`"
"""The id of a claim in back-quotes, with or without its paper or its result."""


def errata_command(
    paper: Annotated[list[str] | None, typer.Argument(metavar="[PAPER]...")] = None,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("docs/errata"),
    claims: Folders = None,
) -> None:
    """For each paper a document for its authors, with checks that import nothing of this project, run."""
    from claims.harness.discover import discover

    papers = paper or []
    catalogue = discover(claims or [])
    known = {p.key: p for p in catalogue.papers}
    for name in papers:
        if name not in known:
            raise ValueError(f"PAPER must be one of {', '.join(known)}, got {name!r}")
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {str(out)!r} is a file; name a folder")
    failed = 0
    for name in papers or [key for key in known if key != "controls"]:
        fallen = [c for c in catalogue.claims if c.paper.key == name and c.finding is not None]
        if not fallen:
            print(f"{name}: no finding", file=sys.stderr)
            continue
        checks = {c.id: run_check(check_file(c)) for c in fallen if owes_check(c)}
        file = out / f"{name}.md"
        out.mkdir(parents=True, exist_ok=True)
        file.write_text(document(known[name], fallen, checks), encoding="utf-8")
        print(f"wrote {file}: {len(fallen)} findings, {len(checks)} checks")
        for claim_id, checked in checks.items():
            if checked.problem is not None:
                failed += 1
                print(f"problem  {claim_id}: {checked.problem}")
    raise typer.Exit(1 if failed else 0)


def document(
    paper: Paper,
    claims: Sequence[Claim],
    checks: Mapping[str, Checked],
    label: Callable[[Claim], str] = lambda claim: claim.result,
) -> str:
    """The Markdown text of one paper.

    checks  what the checks of the heavy findings printed; where one is missing, its program alone is shown.
    label   how a heading names the result of a claim: by a link, say.
    """
    own = [c for c in by_weight(claims) if not _follows(c, claims)]
    have = "The longer ones end with a program of at most thirty lines that shows the numbers by itself."
    parts = [f"# Remarks on {untagged(paper.reference)}\n"]
    parts += [f"Read in the version {untagged(paper.text)}.\n"] if paper.text else []
    parts.append(INTRODUCTION.format(checks=have if any(map(owes_check, own)) else ""))
    heavy = [c for c in own if _weight(c) not in LIGHT]
    for weight in dict.fromkeys(map(_weight, heavy)):
        parts.append(f"## {HEADINGS[weight]}\n")
        parts += [_entry(c, claims, checks.get(c.id), label(c)) for c in heavy if _weight(c) is weight]
    for weight in LIGHT:
        lines = [_line(c) for c in own if _weight(c) is weight]
        if weight is Weight.TYPO:
            lines += [f"* *{m.place}*: printed {m.printed}; meant {m.meant}." for m in paper.misprints]
        if lines:
            parts += [f"## {HEADINGS[weight]}\n", untagged("\n".join(lines)) + "\n"]
    return "\n".join(parts)


def _weight(claim: Claim) -> Weight:
    assert claim.finding is not None
    return claim.finding.weight


def _follows(claim: Claim, claims: Sequence[Claim]) -> bool:
    assert claim.finding is not None
    return any(c.id == claim.finding.follows_from for c in claims)


def _entry(claim: Claim, claims: Sequence[Claim], checked: Checked | None, label: str) -> str:
    found = claim.finding
    assert found is not None
    lines = [
        f"### {label}. Claimed: {claim.title.removeprefix('Claimed: ')}\n",
        f"*{claim.place[:1].upper()}{claim.place[1:]}.* {claim.statement.strip()}\n",
        f"**What happens.** {_whole(plain(found.what))}\n",
        f"**What survives.** {_whole(plain(found.survives))}\n",
        f"**The friendliest reading.** {_whole(plain(found.favour))}\n",
    ]
    # Other readings of the same statement, and programs that show it, are no consequences to its authors.
    consequences = [
        c for c in claims if c.finding and c.finding.follows_from == claim.id and c.name != claim.name
    ]
    if consequences:
        named = ", ".join(dict.fromkeys(f"{c.result} ({c.place})" for c in consequences))
        lines.append(f"**What falls with it.** {named}.\n")
    lines.append(f"**The authors’ answer.** {_whole(found.answer) if found.answer else 'None yet.'}\n")
    lines = [untagged(line) for line in lines]
    if owes_check(claim) and check_file(claim).is_file():
        source = check_file(claim).read_text(encoding="utf-8")
        printed = f" It prints\n\n{fenced('text', checked.output)}" if checked is not None else ""
        lines.append(f"**A check by itself**, of less than ten seconds.{printed}\n")
        lines.append(f"{fenced('python', source)}\n")
    return "\n".join(lines)


def fenced(language: str, text: str) -> str:
    """A text as a block of code, whatever backquotes are in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}{language}\n{harmless(text).rstrip()}\n{fence}"


def _line(claim: Claim) -> str:
    """A misprint or a corner case as an item of a list: place, what is printed, what is meant."""
    found = claim.finding
    assert found is not None
    where = f"* *{claim.result}*, {claim.place}: "
    if found.printed and found.meant:
        return f"{where}printed {plain(found.printed)}, meant {plain(found.meant)}."
    return where + " ".join(_whole(plain(part)) for part in (found.what, found.favour) if part)


def plain(text: str) -> str:
    """A text without the ids of claims and with verdicts in words: what a letter to the authors has.

    >>> plain("with 2/n it holds: CONFIRMED (`:corrected`), as in Lemma 3 (`lemma-3`, CONSISTENT)")
    'with 2/n it holds: a computation confirms it, as in Lemma 3 (simulations agree with it)'
    """
    text = re.sub(rf"\(((?:{CLAIM_ID}[,;]? ?(?:and )?)+)((?:{'|'.join(PLAIN)})?)\)", r"(\2)", text)
    text = re.sub(r" ?\(\)", "", text)
    return re.sub("|".join(PLAIN), lambda verdict: PLAIN[verdict[0]], text)


def _whole(text: str) -> str:
    """A phrase as a sentence; a first word of one letter is a variable and stays.

    >>> _whole("line 3 lacks a factor"), _whole("n = 2 is enough."), _whole("(See line 4.)")
    ('Line 3 lacks a factor.', 'n = 2 is enough.', '(See line 4.)')
    """
    text = whole(text)
    return text if text.rstrip(")”").endswith((".", "!", "?")) else f"{text}."
