"""Executed notebooks as the pages of a site: plain HTML and CSS, no script, nothing fetched from anywhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
        f'Made by dpclaims from <a href="{source}.ipynb">{html.escape(source)}.ipynb</a>, '
        "an executed notebook: every number is read from the run."
    )
    return document(page, "\n".join(_cells(notebook)), made)


def document(page: Page, body: str, made: str) -> str:
    """The HTML of a page: its body between navigation and footer; `made` says from what it was made."""
    trail = "".join(
        f'<li><a href="{page.link(path)}">{html.escape(title)}</a></li>' for title, path in page.trail
    )
    near = "".join(
        f'<a class="{words}" rel="{words}" href="{page.link(path)}">{html.escape(title)}</a>'
        for words, title, path in page.near
    )
    title = html.escape(page.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Nothing may be fetched and nothing run: the page is complete in itself.
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">\n"
        f'<title>{title} · dpclaims</title>\n<link rel="icon" href="data:,">\n'
        f"<style>{CSS}</style>\n</head>\n<body>\n"
        f'<header><nav aria-label="position"><ol>{trail}<li aria-current="page">{title}</li>'
        f"</ol></nav></header>\n<main>\n{body}\n</main>\n"
        f'<footer><nav class="near" aria-label="neighbours">{near}</nav>'
        f"<p>{made}</p></footer>\n</body>\n</html>\n"
    )


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


CSS = """
:root{--paper:#fff;--ink:#1f2328;--soft:#57606a;--grid:#d5d9de;--line:#d0d7de;--fill:#f6f8fa;--link:#0550ae;
--confirmed:#116329;--consistent:#0b5a75;--refuted:#a4380a;--inconclusive:#57606a;--crashed:#8b1a5c;
--confirmed-fill:#dff3e3;--consistent-fill:#dceff6;--refuted-fill:#fde6d9;--inconclusive-fill:#e8ebee;
--crashed-fill:#fbe3f0;--plot-1:#0072b2;--plot-2:#d55e00;--plot-3:#009e73;--plot-4:#cc79a7;--plot-5:#e69f00;
--plot-6:#56b4e9;--plot-7:#7f7f7f}
@media(prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e3e8ee;--soft:#a2adb9;--grid:#39424d;
--line:#39424d;--fill:#1c2229;--link:#79b8ff;--confirmed:#7ee09a;--consistent:#7fd0ec;--refuted:#ffab7d;
--inconclusive:#b6c0cb;--crashed:#ff9fd0;--confirmed-fill:#12351f;--consistent-fill:#0e3342;
--refuted-fill:#47230f;--inconclusive-fill:#2b333c;--crashed-fill:#471a33;--plot-1:#58b1ea;--plot-2:#ff8b3d;
--plot-3:#2fcfa0;--plot-4:#e59cc6;--plot-5:#f0b429;--plot-6:#8fd3ff;--plot-7:#a8a8a8}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif}
header,main,footer{max-width:68rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1rem}
header ol{display:flex;flex-wrap:wrap;gap:.15rem .5rem;list-style:none;margin:0;padding:0;font-size:.9rem}
header li+li::before{content:"›";margin-right:.5rem;color:var(--soft)}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.15em}
h1{font-size:1.75rem;line-height:1.25;margin:1.2rem 0 .6rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;line-height:1.3;margin:2.2rem 0 .6rem;padding-bottom:.25rem;
border-bottom:1px solid var(--line)}
h2 a{color:inherit}
p{margin:.5rem 0}
.lead{font-size:1.05rem}
.quiet,.caption,.reference,.at,.interval,.reading,.key,footer{color:var(--soft)}
.quiet,.caption,.reference{font-size:.9rem}
code{font-family:ui-monospace,"SFMono-Regular",Menlo,Consolas,"Liberation Mono",monospace;font-size:.88em;
overflow-wrap:anywhere}
pre{overflow-x:auto;padding:.8rem 1rem;background:var(--fill);border:1px solid var(--line);border-radius:6px;
font:.82rem/1.45 ui-monospace,"SFMono-Regular",Menlo,Consolas,"Liberation Mono",monospace}
math{font-family:"STIX Two Math","Latin Modern Math","Cambria Math","Noto Sans Math",math;
font-size:1.06em}
math[display="block"]{margin:.6rem 0;overflow-x:auto;overflow-y:hidden;max-width:100%;padding:.2rem 0}
mtd[columnalign="left"]{text-align:left}
mtd[columnalign="right"]{text-align:right}
.statement{background:var(--fill);border-left:4px solid var(--plot-1);border-radius:0 6px 6px 0;
padding:.6rem 1.1rem;margin:.8rem 0;overflow-x:auto;font-size:1.04rem;line-height:1.75}
.badge{display:inline-block;white-space:nowrap;padding:.08rem .5rem;border-radius:1rem;font-size:.78rem;
font-weight:650;letter-spacing:.02em;line-height:1.5}
.confirmed{color:var(--confirmed);background:var(--confirmed-fill)}
.consistent{color:var(--consistent);background:var(--consistent-fill)}
.refuted{color:var(--refuted);background:var(--refuted-fill)}
.inconclusive{color:var(--inconclusive);background:var(--inconclusive-fill)}
.crashed{color:var(--crashed);background:var(--crashed-fill)}
.expected{color:var(--soft);font-size:.85rem;white-space:nowrap}
.differs{color:var(--crashed);font-weight:700;font-size:.85rem}
.verdict{font-size:1.1rem}.verdict .badge,.verdict .expected,.verdict .differs{font-size:.95rem}
.counts{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;margin:.8rem 0 .5rem}
.count{white-space:nowrap;font-variant-numeric:tabular-nums}
.bar{display:flex;height:.7rem;border-radius:.35rem;overflow:hidden;gap:2px}
.bar span{background:currentColor;min-width:3px}
.alarm,.warning,.problem{padding:.5rem .9rem;border-radius:6px;color:var(--refuted);
background:var(--refuted-fill)}
.facts{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.3rem 1.2rem;margin:.8rem 0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.7rem 0;border:1px solid var(--line);border-radius:6px}
.scroll:focus-visible{outline:2px solid var(--link)}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:last-child td{border-bottom:0}
th{background:var(--fill);font-weight:600;white-space:nowrap}
.claims td:first-child{overflow-wrap:anywhere;min-width:9rem}
.claims td:nth-child(2){min-width:14rem}
.claims td:nth-child(n+3),.results td:last-child{white-space:nowrap}
.claims td .expected::before,.claims td .differs::before{content:"";display:block}
.results td:last-child .expected,.results td:last-child .differs{display:block}
.results td:first-child{min-width:8rem}
.reading,.key{font-size:.84rem;overflow-wrap:anywhere}
.evidence td,.measured td{white-space:nowrap}
.releases td:nth-child(n+3){white-space:nowrap}
.releases td:first-child{min-width:10rem}
.releases td:nth-child(2){min-width:17rem}
.releases td:nth-child(n+6){text-align:right}
.evidence td:first-child{white-space:normal;min-width:14rem}
.evidence .at{white-space:normal;font-size:.84rem;min-width:9rem}
.at span{white-space:nowrap}
sup{line-height:0}
.evidence tr.noted td{border-bottom:0;padding-bottom:.1rem}
.evidence tr.note td{white-space:normal;padding-top:.1rem}
.evidence tr.note td div{color:var(--soft);max-width:min(60rem,calc(100vw - 4rem));
font-size:.86rem;border-left:3px solid var(--line);
padding-left:.7rem}
details{margin:1.2rem 0}
summary{cursor:pointer;color:var(--link)}
figure{margin:1.2rem 0 .3rem}
figure svg,figure img{display:block;width:100%;max-width:44rem;height:auto}
.caption{max-width:44rem;margin-top:.1rem}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:2rem;border-top:1px solid var(--line);font-size:.85rem}
.near{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.4rem 1.5rem}
.near .prev::before{content:"‹ "}.near .next{margin-left:auto}.near .next::after{content:" ›"}
@media(max-width:40rem){body{font-size:15px}header,main,footer{padding-left:.9rem;padding-right:.9rem}
h1{font-size:1.4rem}.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:.5rem}
.statement{padding:.5rem .8rem}th,td{padding:.35rem .5rem}
.claims,.results,.evidence,.releases,.claims tbody,.results tbody,.evidence tbody,.releases tbody
{display:block}
.claims thead,.results thead,.evidence thead,.releases thead{display:none}
.claims tr,.results tr,.evidence tr,.releases tr
{display:block;padding:.45rem .7rem;border-bottom:1px solid var(--line)}
.claims tr:last-child,.results tr:last-child,.evidence tr:last-child,.evidence tr.noted{border-bottom:0}
.claims td,.results td,.evidence td,.releases td{display:block;padding:.1rem 0;border:0;
min-width:0!important;white-space:normal!important;text-align:left!important}
.claims td:empty,.results td:empty,.evidence td:empty,.releases td:empty{display:none}
.claims td:nth-child(n+3)::before,.evidence td:nth-child(n+2)::before,
.releases td:nth-child(n+3)::before{content:attr(data-head) ": ";
color:var(--soft)}
.claims td .expected::before,.claims td .differs::before{display:none}
.results td:last-child .expected,.results td:last-child .differs{display:inline}
.evidence tr.note{padding-top:0}.evidence tr.note td::before{display:none}}
@media print{.scroll{overflow:visible}details{display:block}}
"""
