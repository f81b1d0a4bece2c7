"""Executed notebooks as the pages of a site: plain HTML and CSS, no script, nothing fetched from anywhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from claims.harness.report.mathematics import markdown_to_html
from claims.harness.report.plots import GRID, INK, PALETTE

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of the site: its title, where it stands, its neighbours.

    path   of the page in the site, "song2021/theorem-2.6.html".
    trail  the pages above it: (title, path) from the index down.
    near   neighbours: (words, title, path).
    """

    title: str
    path: str
    trail: Sequence[tuple[str, str]] = ()
    near: Sequence[tuple[str, str, str]] = ()

    def link(self, path: str) -> str:
        """A path of the site as seen from this page."""
        return "../" * self.path.count("/") + path


def render(page: Page, notebook: Any) -> str:
    """The HTML of a page: the outputs of the executed notebook between navigation and footer.

    Code is left out: it is in the notebook, which the footer links to.
    """
    here = page.path.rsplit("/", 1)[-1].removesuffix(".html")
    source = "suite" if page.path == "index.html" else here
    made = (
        f'Made by dpclaims from <a href="{html.escape(source)}.ipynb">{html.escape(source)}.ipynb</a>, '
        "an executed notebook: every number is read from the run."
    )
    return document(page, "\n".join(_cells(notebook)), made)


def document(page: Page, body: str, made: str) -> str:
    """The HTML of a page: its body between navigation and footer; `made` says from what it was made."""
    trail = "".join(
        f'<li><a href="{html.escape(page.link(path))}">{html.escape(title)}</a></li>'
        for title, path in page.trail
    )
    near = "".join(
        f'<a class="{words}" rel="{words}" href="{html.escape(page.link(path))}">{html.escape(title)}</a>'
        for words, title, path in page.near
    )
    title = html.escape(page.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Nothing may be fetched and nothing run: the page is complete in itself.
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">\n"
        f'<title>{title} · dpclaims</title>\n<link rel="icon" href="data:,">\n'
        f"<style>{style_sheet()}</style>\n</head>\n<body>\n"
        f'<header><nav aria-label="position"><ol>{trail}<li aria-current="page">{title}</li>'
        f"</ol></nav></header>\n<main>\n{body}\n</main>\n"
        f'<footer><nav class="near" aria-label="neighbours">{near}</nav>'
        f"<p>{made}</p></footer>\n</body>\n</html>\n"
    )


@cache
def style_sheet() -> str:
    """The style sheet. Every page holds all of it, so that a page can be sent alone."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def _cells(notebook: Any) -> Iterable[str]:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield markdown_to_html(cell.source)
        elif cell.cell_type == "code":
            for output in cell.outputs:
                yield _output(output)


def _output(output: Mapping[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f'<pre class="stream">{html.escape(_ANSI.sub("", output["text"]))}</pre>'
    if output["output_type"] == "error":
        return f'<pre class="traceback">{html.escape(_ANSI.sub("", "".join(output["traceback"])))}</pre>'
    data = output["data"]
    if "image/svg+xml" in data:
        return f"<figure>{themed(data['image/svg+xml'])}</figure>"
    if "text/html" in data:
        return data["text/html"]
    if "image/png" in data:
        return f'<figure><img alt="" src="data:image/png;base64,{data["image/png"].strip()}"></figure>'
    if "text/markdown" in data:
        text = markdown_to_html(data["text/markdown"])
        return f'<div class="statement">{text}</div>' if not text.startswith("<h") else text
    return f"<pre>{html.escape(data.get('text/plain', ''))}</pre>" if data.get("text/plain") else ""


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
