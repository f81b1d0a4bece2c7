"""What was checked, for other tools: files of JUnit and SARIF, a Markdown table, annotations.

Every command makes `Case`s of what it found; this module knows nothing else of it.
"""

from __future__ import annotations

import json
import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from audits.values import plain
from claims.harness.commands.printed import harmless, untagged
from claims.harness.run.temporary import write_whole

PASSED, FAILED, UNDECIDED, ERROR = "passed", "failed", "undecided", "error"
_TAGS = {FAILED: "failure", UNDECIDED: "skipped", ERROR: "error"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {FAILED: "error", UNDECIDED: "warning", ERROR: "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing that was checked: a claim, a mechanism, an exponent.

    group, name  of the test case in JUnit; `title` is what people read.
    outcome      PASSED, FAILED, UNDECIDED (a skipped test in JUnit: the exit status tells) or ERROR.
    verdict      in the words of the command, `expected` as well where another verdict was possible.
    message      one line that says why; `text` all of it.
    place        file and line that an annotation points to; ("", 0) for none.
    numbers      fields for scripts, each a JUnit property: epsilon_lower, samples, resolution …
    """

    group: str
    name: str
    title: str
    outcome: str
    verdict: str
    message: str
    expected: str = ""
    text: str = ""
    seconds: float = 0.0
    place: tuple[str, int] = ("", 0)
    numbers: Mapping[str, Any] = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class Outputs:
    """Files for other tools, None for a file that nobody asked for; ValueError for a file that cannot be
    written."""

    junit: Annotated[Path | None, typer.Option(help="Write a JUnit file.")] = None
    summary: Annotated[
        Path | None, typer.Option(help="Append a Markdown table: for GitHub, $GITHUB_STEP_SUMMARY.")
    ] = None
    sarif: Annotated[Path | None, typer.Option(help="Write a SARIF file, for code scanning.")] = None

    def __post_init__(self) -> None:
        must_be_writable("--junit", self.junit)
        must_be_writable("--summary", self.summary)
        must_be_writable("--sarif", self.sarif)


def must_be_writable(flag: str, file: Path | None) -> None:
    """ValueError where the file of an option cannot be written. Folders are made for it below the current
    one; a path from the root that is not there is a slip."""
    if file is None:
        return
    if file.is_dir():
        raise ValueError(f"{flag} {str(file)!r} is a folder: name a file in it")
    there = next(place for place in (file, *file.absolute().parents) if place.exists())
    if not os.access(there, os.W_OK) or (there != file and not there.is_dir()):
        raise ValueError(f"{flag} {str(file)!r} cannot be written: {str(there)!r} is in the way")
    if file.is_absolute() and not file.absolute().parent.exists():
        raise ValueError(f"{flag} {str(file)!r} cannot be written: there is no folder {str(file.parent)!r}")


def must_plot(file: Path | None) -> None:
    """ValueError where --plot can draw nothing: its file cannot be written, or there is no Matplotlib."""
    must_be_writable("--plot", file)
    if file is not None and find_spec("matplotlib") is None:
        raise ValueError("--plot needs the library Matplotlib: pip install matplotlib")


def save_plot(figure: Any, file: Path) -> None:
    """Write a figure of Matplotlib to the file of --plot, as PNG where it has no suffix; ValueError where it
    cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, format=file.suffix[1:] or "png")
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"--plot {str(file)!r} cannot be written: {words}") from error


def publish(command: str, headline: str, cases: Sequence[Case], outputs: Outputs) -> None:
    """Write what was asked for, and annotations where GitHub runs this; ValueError where a file cannot be."""
    if outputs.junit is not None:
        write_junit(outputs.junit, command, cases)
    if outputs.summary is not None:
        append_summary(outputs.summary, headline, cases)
    if outputs.sarif is not None:
        write_sarif(outputs.sarif, command, cases)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        # On standard error, which GitHub reads as well: standard output may be a JSON document.
        print("".join(f"{line}\n" for line in annotation_lines(cases)), end="", file=sys.stderr, flush=True)


def write_junit(file: Path, name: str, cases: Sequence[Case]) -> None:
    """Write the cases as JUnit's XML; ValueError where the file cannot be written."""
    count = {tag: sum(_TAGS.get(c.outcome) == tag for c in cases) for tag in ("failure", "error", "skipped")}
    numbers = {"tests": len(cases), "failures": count["failure"], "errors": count["error"]}
    numbers["skipped"] = count["skipped"]
    suite = ET.Element("testsuite", {"name": name, **{k: str(v) for k, v in numbers.items()}})
    suite.extend(map(_element, cases))
    write(file, ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")


def _element(case: Case) -> ET.Element:
    found = {"classname": case.group, "name": case.name, "time": f"{case.seconds:.3f}"}
    file, line = case.place
    if file:
        found |= {"file": file, "line": str(line)}
    element = ET.Element("testcase", found)
    properties = ET.SubElement(element, "properties")
    known = {"verdict": case.verdict, "expected": case.expected, **case.numbers}
    for name, value in known.items():
        if value not in (None, ""):
            ET.SubElement(properties, "property", {"name": name, "value": str(plain(value))})
    if case.outcome == PASSED:
        ET.SubElement(element, "system-out").text = case.text or case.message
    else:
        ET.SubElement(element, _TAGS[case.outcome], {"message": case.message}).text = (
            case.text or case.message
        )
    return element


def write_sarif(file: Path, command: str, cases: Sequence[Case]) -> None:
    """Write what did not pass as results of SARIF 2.1.0, as code scanning shows them; ValueError where the
    file cannot be written. A verdict is a rule: `refuted`, `leak`, `undecided` …"""
    found = [case for case in cases if case.outcome != PASSED]
    rules = [{"id": verdict} for verdict in sorted({case.verdict for case in found})]
    driver = {"name": command, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": list(map(_result, found)),
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    write(file, json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _result(case: Case) -> dict[str, Any]:
    """A case as a result of SARIF; one that belongs to no file has no location."""
    path, line = case.place
    where = {"artifactLocation": {"uri": quote(path)}, "region": {"startLine": max(line, 1)}}
    numbers = {name: str(plain(value)) for name, value in case.numbers.items() if value not in (None, "")}
    return {
        "ruleId": case.verdict, "level": _LEVELS[case.outcome],
        "message": {"text": f"{case.title}: {case.message}"},
        "locations": [{"physicalLocation": where}] if path else [],
        # The same finding on the next push is the same alert, whatever its line and its figures.
        "partialFingerprints": {"dpclaims/v1": f"{case.group}/{case.name}/{case.verdict}"},
        "properties": numbers,
    }  # fmt: skip


def append_summary(file: Path, headline: str, cases: Sequence[Case]) -> None:
    """Append a Markdown table, what did not pass first; ValueError where the file cannot be written."""
    expecting = any(case.expected for case in cases)
    heads = ["what", "verdict", *(["expected"] if expecting else []), "why"]
    lines = [f"### {headline}", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for case in sorted(cases, key=lambda c: c.outcome == PASSED):
        title = case.title if case.outcome == PASSED else f"**{case.title}**"
        cells = [title, case.verdict, *([case.expected] if expecting else []), case.message]
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    write(file, "\n".join(lines) + "\n\n", append=True)


def _cell(text: str) -> str:
    """A text as one cell of a Markdown table.

    >>> _cell("a|b\\nc")
    'a\\\\|b c'
    """
    return untagged(" ".join(text.split()).replace("|", "\\|"))


def annotation_lines(cases: Sequence[Case]) -> Iterator[str]:
    """One line of GitHub's workflow commands for each case that did not pass.

    >>> case = Case(group="g", name="n", title="t: n", outcome=FAILED, verdict="refuted", message="50 %",
    ...             place=("a,b.py", 3))
    >>> list(annotation_lines([case]))
    ['::error file=a%2Cb.py,line=3,title=t%3A n::50 %25']
    """
    for case in cases:
        if case.outcome == PASSED:
            continue
        file, line = case.place
        properties = {"file": file, "line": line or "", "title": case.title}
        words = ",".join(f"{k}={_escaped(str(v), ':,')}" for k, v in properties.items() if v)
        yield f"::{_LEVELS[case.outcome]} {words}::{_escaped(case.message)}"


def _escaped(text: str, further: str = "") -> str:
    """As GitHub reads it: percent signs and ends of lines, in a property colons and commas as well."""
    for letter in ("%", "\r", "\n", *further):
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text


def from_here(file: str | Path | None) -> str:
    """A file's path from the current folder, as in a checkout; "" for one that is elsewhere, or for none."""
    if not file:
        return ""
    inside = os.path.relpath(file)
    return "" if inside.startswith("..") else Path(inside).as_posix()


def line_of(function: Any) -> tuple[str, int]:
    """File and line of a function, for an annotation; ("", 0) where Python does not know them."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    return ("", 0) if code is None else (from_here(code.co_filename), code.co_firstlineno)


def write(file: Path, text: str, *, append: bool = False) -> None:
    """Write by one rename; control characters of other people's texts, which XML forbids, are escaped."""
    try:
        if file.exists() and not file.is_file():
            # A device such as /dev/null or a pipe is written to: a rename would put a file in its place.
            file.write_text(harmless(text), encoding="utf-8")
            return
        before = file.read_bytes() if append and file.exists() else b""
        write_whole(file, before + harmless(text).encode())
    except OSError as error:
        raise ValueError(f"{str(file)!r} cannot be written: {error.strerror}") from error
