"""`dpclaims new`: writes a claim that runs, from the templates of CONTRIBUTING."""

from __future__ import annotations

import importlib.util
import keyword
import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from claims.harness.ids import check_id
from claims.harness.places import OWN, other_folders
from claims.harness.words import Kind

TEMPLATES = {Kind.PRIVACY: "privacy", Kind.RATE: "rate"}
"""All other kinds begin as an exact check."""


def new_command(
    name: Annotated[str, typer.Argument(metavar="PAPER/RESULT", help="E.g. doe2020/theorem-9.")],
    kind: Annotated[
        str, typer.Option("--kind", help="privacy, rate, or one that is decided exactly.")
    ] = "bound",
    claims: Annotated[
        Path | None, typer.Option("--claims", metavar="DIR", help="Where the paper's folder stands or goes.")
    ] = None,
) -> None:
    """Write a claim that runs, in this project or in a folder of your own."""
    if ":" in check_id(name):
        raise ValueError(f"the name must be that of a result, without its reading, got {name!r}")
    if kind not in set(Kind):
        raise ValueError(f"--kind must be one of {', '.join(Kind)}, got {kind!r}")
    paper, _, result = name.partition("/")
    place = _place(paper, claims)
    package = f"claims.{paper}" if place == OWN else paper
    if place != OWN and not (place / paper).is_dir() and _is_taken(paper):
        raise ValueError(f"the paper must have a name that no module of Python has, got {paper!r}")
    target = place / paper / (re.sub(r"[^a-z0-9]", "_", result) + ".py")
    if target.exists():
        raise ValueError(f"{target} exists already; name another result")
    init = target.parent / "__init__.py"
    words = {"{package}": package, "{paper}": paper, "{result}": _title(result), "{name}": result}
    target.parent.mkdir(parents=True, exist_ok=True)
    if not init.exists():
        init.write_text(_filled("paper", words), encoding="utf-8")
    target.write_text(_filled(TEMPLATES.get(Kind(kind), "exact"), words), encoding="utf-8")
    where = "" if place == OWN or place in other_folders() else f" --claims {_shown(place)}"
    print(f"wrote {_shown(target)}\nnext: dpclaims run '{paper}/*' --tier smoke{where}")
    if where:
        print(f'      or once, in pyproject.toml: [tool.dpclaims] claims = ["{_shown(place)}"]')


def _is_taken(paper: str) -> bool:
    """Whether Python would import something else by this name, or nothing."""
    return keyword.iskeyword(paper) or importlib.util.find_spec(paper) is not None


def _place(paper: str, folder: Path | None) -> Path:
    """The folder that holds, or will hold, the paper's folder."""
    if folder is not None:
        return folder.resolve()
    if (OWN / paper).is_dir() or OWN.parent == Path.cwd().resolve():
        return OWN
    known = other_folders()
    for each in known:
        if (each / paper).is_dir():
            return each
    return known[0] if known else (Path.cwd() / "my_claims").resolve()


def _title(result: str) -> str:
    """ "theorem-9" as it is printed: "Theorem 9"."""
    head, _, rest = result.partition("-")
    return f"{head.capitalize()} {rest.replace('-', ' ')}".strip()


def _filled(template: str, words: dict[str, str]) -> str:
    text = files("claims.harness").joinpath("templates", f"{template}.py.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _shown(path: Path) -> str:
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
