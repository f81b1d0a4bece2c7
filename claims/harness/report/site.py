"""Pages from templates: Jinja2 with escaping on, nothing fetched but the font that lies beside the pages.

No page is made by a function that joins strings: what is shown is handed to a template of `templates/`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from claims.harness.report import numbers
from claims.harness.report.mathematics import docstring_to_html, inline_html, markdown_to_html, plain_text
from claims.harness.report.plots import GRID, INK, PALETTE
from claims.harness.report.shown import whole

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "templates"
FONT = "mathematics.woff2"
"""The mathematics font, a subset of STIX Two Math; it lies at the top of the site."""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src 'self'; form-action 'none'; "
    "base-uri 'none'"
)
"""Nothing may be fetched but the font, and nothing run but the one script whose digest a page names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of the site: its title, and where it stands.

    path   of the page in the site, "song2021/theorem-2.6.html".
    trail  the pages above it: (title, path) from the index down.
    """

    title: str
    path: str
    trail: Sequence[tuple[str, str]] = ()

    def link(self, path: str) -> str:
        """A path of the site as seen from this page."""
        return "../" * self.path.count("/") + path


def fill(template: str, page: Page, *, script: str = "", **values: Any) -> str:
    """The HTML of a page: a template of `templates/`, filled.

    script  the text of the one script of the page; its digest goes into the page's policy.
    """
    policy = f"{POLICY}; script-src '{digest(script)}'" if script else POLICY
    return environment().get_template(template).render(page=page, policy=policy, script=script, **values)


def digest(script: str) -> str:
    """The digest of a script as a policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def environment() -> Any:
    """The environment of the templates; everything that is not made here is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    furnish(made)
    return made


def furnish(environment: Any) -> None:
    """Give an environment of Jinja2 the filters of the pages: numbers, formulas, prose, figures."""
    from markupsafe import Markup

    environment.filters |= {
        "inline": lambda text: Markup(inline_html(text)),
        "prose": lambda text: Markup(markdown_to_html(text)),
        "docstring": lambda text: Markup(docstring_to_html(text)),
        "plain": plain_text,
        "number": numbers.number_text,
        "point": numbers.point_text,
        "estimate": numbers.estimate_text,
        "interval": numbers.interval_text,
        "method": numbers.method_text,
        "hide_paths": numbers.hide_paths,
        "themed": lambda svg: Markup(themed(svg)),
        "whole": whole,
    }
    environment.globals |= {
        "style": Markup(asset("style.css")),
        "pieces": environment.get_template("pieces.html.j2").module,
        "maps": environment.get_template("map.html.j2").module,
    }


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script of the templates. Every page holds all of its style sheet."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def themed(svg: str) -> str:
    """A figure whose colours follow the page: its ink, its grid and the palette become CSS variables.

    >>> themed('<path style="stroke: #0072b2"/>')
    '<path style="stroke: var(--plot-1, #0072b2)"/>'
    """
    names = {INK: "--ink", GRID: "--grid"} | {c: f"--plot-{k}" for k, c in enumerate(PALETTE, 1)}
    return re.sub(
        r"(?<=[: ])#[0-9a-f]{6}\b",
        lambda m: f"var({names[m[0]]}, {m[0]})" if m[0] in names else m[0],
        svg,
    )
