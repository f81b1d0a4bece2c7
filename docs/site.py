"""What MkDocs cannot do by itself: pages that are made from the code, formulas as MathML, examples as code.

`mkdocs.yml` names this file as a hook, and its class `Examples` as an extension of Griffe, which reads
docstrings.
"""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
TEXTS = {
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "changes.md": "CHANGELOG.md",
    "libraries.md": "benchmarks/wild/README.md",
}
"""Pages that stand elsewhere in the project, because other tools look for them there."""
FINDINGS = ROOT / "benchmarks" / "wild" / "findings"
OPEN, CLOSE = "\ue000", "\ue001"
"""Private characters around the number of a formula, which Markdown leaves alone."""
_FORMULA = re.compile(
    r"(?P<code>^(?P<fence>```+).*?^(?P=fence)$|`[^`\n]+`)"
    r"|(?<![\\$])\$(?=[^\s$])(?P<tex>[^$\n]+?)(?<![\s\\])\$(?!\d)",
    re.DOTALL | re.MULTILINE,
)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    pages = {
        "reference/commands.md": commands(),
        "reference/python.md": names(),
        "findings.md": findings(),
        **{page: (ROOT / source).read_text(encoding="utf-8") for page, source in TEXTS.items()},
        **{f"findings/{f.name}": f.read_text(encoding="utf-8") for f in sorted(FINDINGS.glob("*.md"))},
    }
    for path, text in pages.items():
        # "output[0][0]" is no link.
        shown = re.sub(r"\[(\d+)\](?!\()", r"\\[\1\\]", text) if path == "libraries.md" else text
        files.append(File.generated(config, path, content=shown))
    for figure in [f for kind in ("*.png", "*.csv") for f in sorted((ROOT / "benchmarks").glob(kind))]:
        files.append(File.generated(config, f"measured/{figure.name}", abs_src_path=str(figure)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Set formulas aside, as MathML; let links to figures of the benchmarks lead to their copies."""
    from claims.harness.report.mathematics import mathml

    markdown = markdown.replace("](../benchmarks/", "](measured/")
    formulas: list[str] = []

    def aside(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        formulas.append(mathml(found["tex"]))
        return f"{OPEN}{len(formulas) - 1}{CLOSE}"

    page.meta["formulas"] = formulas
    return _FORMULA.sub(aside, markdown)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Put the formulas back."""
    formulas = page.meta["formulas"]
    return re.sub(f"{OPEN}(\\d+){CLOSE}", lambda found: formulas[int(found[1])], html)


def on_post_build(config: Any) -> None:
    """The index of the search as a script, too: a page that is opened as a file can load nothing else."""
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index}", encoding="utf-8")


def findings() -> str:
    """All findings in one table: what `dpclaims list --fallen --markdown` prints."""
    from claims import load
    from claims.harness.commands.listing import fallen_table
    from claims.harness.standing import by_weight, has_fallen

    everything = load()
    return f"# All findings\n\n{fallen_table(by_weight(list(filter(has_fallen, everything))), everything)}\n"


def commands() -> str:
    """The page of all commands, from the command line itself."""
    import typer.main

    from claims.harness.commands.main import app

    group: Any = typer.main.get_command(app)
    parts = ["# Commands", group.help, f"{group.epilog}\n"]
    for name, command in group.commands.items():
        parts += [f"## dpclaims {name}", _plain(command.help or ""), *_parameters(command)]
    return "\n\n".join(parts) + "\n"


def _parameters(command: Any) -> Iterator[str]:
    rows = [
        (_names(each), f"{_plain(getattr(each, 'help', '') or '')}{_default(each)}")
        for each in command.params
        if not getattr(each, "hidden", False) and each.name != "help"
    ]
    if rows:
        lines = ["| argument or option | what it is |", "|---|---|"]
        yield "\n".join([*lines, *(f"| {a} | {b} |" for a, b in rows)])


def _names(parameter: Any) -> str:
    value = (parameter.metavar or parameter.name.upper()).replace("|", "or")
    if parameter.param_type_name == "argument":
        return f"`{value}`"
    return ", ".join(f"`{name}`" if parameter.is_flag else f"`{name} {value}`" for name in parameter.opts)


def _default(parameter: Any) -> str:
    default = parameter.default
    return (
        f" Default: `{default}`."
        if isinstance(default, str | int | float | Path) and default is not False
        else ""
    )


def _plain(text: str) -> str:
    return re.sub(r"([|<>*_])", r"\\\1", " ".join(text.split()))


def names() -> str:
    """The page of all public names, each with its docstring from where it stands."""
    parts = ["# Python", "Every name can be imported from `dpclaims`: `from dpclaims import audit_privacy`."]
    public = {
        name: getattr(importlib.import_module(package), name)
        for package in ("audits", "claims")
        for name in importlib.import_module(package).HOMES
    }
    # The four verdicts are members of Verdict.
    public = {name: value for name, value in public.items() if hasattr(value, "__qualname__")}
    for package, title in (("audits", "Instruments"), ("claims", "Claims"), ("implementations", "Datasets")):
        parts.append(f"## {title}")
        found = {n: v for n, v in public.items() if v.__module__.split(".")[0] == package}
        parts += [_reference(value) for _, value in sorted(found.items())]
    return "\n\n".join(parts) + "\n"


def _reference(value: Any) -> str:
    """The line that mkdocstrings replaces; of enumerations it shows the members."""
    members = "\n    options:\n      members: true" if isinstance(value, EnumType) else ""
    return f"::: {value.__module__}.{value.__qualname__}{members}"


class Examples(griffe.Extension):
    """Docstrings are text with lists of names: lists become lists, and examples blocks of code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


_ENTRY = re.compile(r"(?P<names>\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*) {2,}(?P<text>\S.*)")


def as_markdown(docstring: str) -> str:
    """A docstring with its lists of names as lists, and its examples as blocks of code.

    >>> print(as_markdown("One.\\n\\nn, m  two\\n      numbers"))
    One.
    <BLANKLINE>
    * `n, m`: two
      numbers
    """
    return "\n\n".join(map(_part, re.split(r"\n\s*\n", textwrap.dedent(docstring).strip())))


def _part(part: str) -> str:
    lines = textwrap.dedent(part).splitlines()
    if lines[0].startswith(">>>"):
        return "```pycon\n" + "\n".join(lines) + "\n```"
    # A list may begin below a sentence.
    start = next((i for i, line in enumerate(lines) if _ENTRY.fullmatch(line)), None)
    if start is None:
        return f"```text\n{textwrap.dedent(part)}\n```" if part.startswith("    ") else part
    items = [
        f"* `{found['names']}`: {found['text']}" if (found := _ENTRY.fullmatch(line)) else f"  {line.strip()}"
        for line in lines[start:]
    ]
    return "\n".join([*lines[:start], *([""] if start else []), *items])
