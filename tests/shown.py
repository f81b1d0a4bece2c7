"""The commands that README and tutorials show, run, and the output that stands below them.

    python -m tests.shown                       compare all pages with what the commands print today
    python -m tests.shown --update [PAGE…]      write what they print into the pages

A block of the kind ```console holds commands, each after "$ ", and what they print. A block with a
title, as in ```python title="my_claims/theorem_1.py", is written to that file first. The commands of a
page run one after the other in one folder, which holds a copy of `examples`. Lines of more than 100
characters are folded. Where a block ends with a line "…" as many lines are shown as stand above it, and
long ones are cut.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs" / "tutorials").glob("*.md"))]
WIDTH = 100
MORE = "…"
SECONDS = 300.0
OUTCOMES = frozenset({0, 1, 3})
"""Exit statuses that are answers: as expected, refuted or different, undecided."""
_BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<body>.*?)^```$', re.M | re.S)
# What differs from run to run: seconds, and the name of a run folder.
_VARIES = re.compile(r"\d+(?:[.,]\d+)* ?(?:ms|s|min)\b|-[0-9a-f]{10}\b")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it is shown, and the lines below it; `most` lines are shown, all of them with None."""

    text: str
    shown: tuple[str, ...]

    @property
    def most(self) -> int | None:
        return len(self.shown) - 1 if self.shown and self.shown[-1] == MORE else None

    @property
    def line(self) -> str:
        """What Bash is given: lines after the first begin with "> "."""
        return self.text.replace("\n> ", "\n")


def commands(body: str) -> list[Command]:
    """The commands of a block.

    >>> commands("$ echo a\\na\\n$ true\\n")
    [Command(text='echo a', shown=('a',)), Command(text='true', shown=())]
    """
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        elif found:
            found[-1][1].append(line)
    return [Command(text, tuple(_without_end(lines))) for text, lines in found]


def _without_end(lines: Sequence[str]) -> Sequence[str]:
    """Without blank lines at the end."""
    kept = len(lines)
    while kept and not lines[kept - 1].strip():
        kept -= 1
    return lines[:kept]


def printed(command: Command, folder: Path) -> tuple[str, ...]:
    """What a command prints today, as it is shown; ValueError where it does not end with an answer."""
    environment = os.environ | {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "PYTHONUTF8": "1"}
    # Not what a user has: a cache of earlier runs, settings, the `GITHUB_ACTIONS` of this very test.
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment["XDG_CACHE_HOME"] = str(folder / ".cache")
    for name in ("GITHUB_ACTIONS", "DPCLAIMS_CLAIMS", "DPCLAIMS_DATA"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-c", command.line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if done.returncode not in OUTCOMES:
        raise ValueError(f"{command.line!r} has exit status {done.returncode}: {done.stderr[-500:]}")
    lines = _without_end([line.rstrip() for line in done.stdout.splitlines()])
    if command.most is None:
        return tuple(part for line in lines for part in _folded(line))
    return (*map(_cut, lines[: command.most]), MORE)


def _folded(line: str) -> list[str]:
    """A line in parts of at most 100 characters, those after the first indented."""
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False)


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rstrip() + " " + MORE


def same(shown: Sequence[str], today: Sequence[str]) -> bool:
    """Whether two outputs agree but for what differs from run to run.

    >>> same(["done in 1.5 s"], ["done in 12 s"]), same(["ε ≥ 1"], ["ε ≥ 2"])
    (True, False)
    """
    one, other = ([_VARIES.sub("#", line) for line in lines] for lines in (shown, today))
    if not shown or shown[-1] != MORE:
        # Times of another width move where a line is folded.
        return " ".join(one).split() == " ".join(other).split()
    return len(one) == len(other) and all(
        a == b or (a.endswith(MORE) and b.endswith(MORE) and a[:-8] == b[: len(a) - 8])
        for a, b in zip(one, other, strict=True)
    )


def run_page(text: str) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Every command of a page, with what it prints today."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        for block in _BLOCK.finditer(text):
            if block["file"]:
                file = folder / block["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block["body"], encoding="utf-8")
            elif block["kind"] == "console":
                for command in commands(block["body"]):
                    yield command, printed(command, folder)


def updated(text: str) -> str:
    """The page with what its commands print today; output that is the same but for times stays."""
    today = run_page(text)

    def again(block: re.Match[str]) -> str:
        if block["file"] or block["kind"] != "console":
            return block[0]
        lines: list[str] = []
        for command in commands(block["body"]):
            _, out = next(today)
            shown = command.shown if same(command.shown, out) else out
            lines += [f"$ {command.text}", *shown, *([""] if shown else [])]
        return "```console\n" + "\n".join(_without_end(lines)) + "\n```"

    return _BLOCK.sub(again, text)


def differences(text: str) -> list[str]:
    """One sentence for each command whose output is no longer what the page shows."""
    return [
        f"$ {command.text}\nshown:\n" + "\n".join(command.shown) + "\ntoday:\n" + "\n".join(out)
        for command, out in run_page(text)
        if not same(command.shown, out)
    ]


def main(arguments: Sequence[str]) -> int:
    update = "--update" in arguments
    wrong = 0
    for page in [a for a in arguments if a != "--update"] or PAGES:
        file = ROOT / page
        text = file.read_text(encoding="utf-8")
        if update:
            file.write_text(updated(text), encoding="utf-8")
        else:
            for difference in differences(text):
                wrong += 1
                print(f"{page}: {difference}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
