"""What the notebooks show: tables, prose and figures of one stored run, as blocks for `display(*…)`.

Every number comes from the run. The only choice of a notebook's own is how many digits it shows.
"""

from __future__ import annotations

import html
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import Evidence, Verdict
from claims.harness.claim import Claim
from claims.harness.closure import Sources, roots_of
from claims.harness.discover import discover
from claims.harness.places import other_folders
from claims.harness.report.findings import shown_findings
from claims.harness.report.mathematics import escape_markdown, inline_html
from claims.harness.report.plots import words
from claims.harness.run.result import ClaimResult
from claims.harness.run.store import read_claim, read_provenance, read_run, rows_digest

if TYPE_CHECKING:
    import pandas as pd

MARKS = {"CONFIRMED": "✓", "CONSISTENT": "≈", "REFUTED": "✗", "INCONCLUSIVE": "?", "CRASHED": "!"}
MEANING = {
    "CONFIRMED": "A computation decides the statement over its whole domain at the tested parameters.",
    "CONSISTENT": "The samples do not contradict the statement; the resolution is the smallest violation "
    "that this run would have caught with probability 0.9.",
    "REFUTED": "An exact counterexample, or data that contradict the statement at the run's error level.",
    "INCONCLUSIVE": "The resolution is worse than the statement asks for, or nothing decides it.",
    "CRASHED": "The check raised an exception before it could judge: a fault of the check, not a verdict.",
}
_SHOWN_EVIDENCE = 40
_RATIOS = 24
_FINDINGS = 10
"""Findings that the index shows; the page of each paper shows all of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One thing shown: Markdown, HTML or an SVG figure, for a notebook and for the site."""

    mime: str
    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {self.mime: self.text, "text/plain": ""}


def markdown(text: str) -> Block:
    """A block of Markdown with LaTeX between dollars."""
    return Block(mime="text/markdown", text=text)


def html_block(text: str) -> Block:
    """A block of HTML."""
    return Block(mime="text/html", text=text)


def page_path(claim_id: str) -> str:
    """Where the site keeps the page of a claim, without its suffix.

    >>> page_path("song2021/theorem-2.6:corrected")
    'song2021/theorem-2.6--corrected'
    """
    return claim_id.replace(":", "--")


def paper_of(claim_id: str) -> str:
    """The paper's key in a claim's id."""
    return claim_id.split("/")[0]


# ---------------------------------------------------------------- numbers


def number_html(value: float | None, digits: int) -> str:
    """A number with `digits` significant digits.

    >>> number_html(0.000012345, 3), number_html(1234567.0, 4), number_html(None, 3), number_html(0.5, 4)
    ('1.23 × 10<sup>−5</sup>', '1.235 × 10<sup>6</sup>', '', '0.5')
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa.replace("-", "−")
    if not exponent:
        return mantissa
    power = f"10<sup>{str(int(exponent)).replace('-', '−')}</sup>"
    return power if mantissa == "1" else f"{mantissa} × {power}"


def interval_html(evidence: Evidence, digits: int) -> str:
    """Estimate and interval; an exact value alone.

    A refutation shows as many digits as tell the estimate from the claimed value.
    """
    if evidence.verdict is Verdict.REFUTED and evidence.claimed not in (None, evidence.estimate):
        claimed = evidence.claimed
        while digits < 15 and f"{claimed:.{digits}g}" == f"{evidence.estimate:.{digits}g}":
            digits += 1
    estimate = f"<strong>{number_html(evidence.estimate, digits)}</strong>"
    if evidence.low == evidence.high:
        return estimate
    low, high = number_html(evidence.low, digits), number_html(evidence.high, digits)
    return f'{estimate} <span class="interval">[{low}, {high}]</span>'


def confidence_html(confidence: float) -> str:
    """The confidence of an interval; close to one it is told by what is missing.

    >>> confidence_html(1.0), confidence_html(0.95), confidence_html(0.99999)
    ('exact', '95%', '1 − 10<sup>−5</sup>')
    """
    if confidence == 1.0:
        return "exact"
    if confidence > 0.999:
        return f"1 − {number_html(float(f'{1 - confidence:.2g}'), 2)}"
    return f"{100 * confidence:.4g}%"


def count_html(count: int) -> str:
    """An integer in groups of three digits."""
    return f"{count:,}".replace(",", "\u202f")


def point_html(point: Mapping[str, Any], digits: int) -> str:
    """A grid point in words."""
    items = (
        f"<span>{html.escape(words(str(k)))} = {_value_html(v, digits)}</span>" for k, v in point.items()
    )
    return ", ".join(items)


def _value_html(value: Any, digits: int) -> str:
    if isinstance(value, bool | str):
        return html.escape(str(value))
    if isinstance(value, int):
        return count_html(value)
    if not isinstance(value, float):  # a column of other people's may hold anything
        return html.escape(str(value))
    if float(value).is_integer() and abs(value) < 1e6:
        return count_html(int(value))
    return number_html(float(value), digits)


def hide_paths(text: str) -> str:
    """A traceback or a note without the folders of the machine that it was made on.

    >>> hide_paths('File "/home/ann/src/claims/song2021/a.py", line 3; /tmp/x/data.txt: no such file')
    'File "claims/song2021/a.py", line 3; …/data.txt: no such file'
    """
    known = r"(?:tests/)?(?:claims|audits|implementations|site-packages|python3\.\d+)/"
    last = rf"/({known}(?!(?:.*/)?{known}).*)$"
    # A path begins a word; a slash within one is a division.
    unix = r"(?<![^\s\"'`(\[{=,:])(?:/[\w.+@~ -]*[\w.+@~-])+"

    def shorten(found: re.Match[str]) -> str:
        path = found[0].replace("\\", "/")
        inside = re.search(last, path)
        if inside:
            return inside[1]
        return f"…/{path.rsplit('/', 1)[1]}" if path.count("/") > 1 else found[0]

    text = re.sub(r'(?<=")[A-Za-z]:\\[^"\n]+(?=")', shorten, text)
    return re.sub(unix, shorten, text)


# ---------------------------------------------------------------- pieces shared by the pages


def verdict_name(result: ClaimResult) -> str:
    """The verdict, or CRASHED."""
    return "CRASHED" if result.verdict is None else result.verdict.value


def badge(name: str, words: str = "") -> str:
    """A verdict as a mark and a word; `words` instead where another program calls it otherwise."""
    return f'<span class="badge {name.lower()}">{MARKS[name]} {html.escape(words or name)}</span>'


def expectation(result: ClaimResult) -> str:
    """Whether the verdict is the expected one, in words."""
    if result.ok:
        return '<span class="expected">as expected</span>'
    return f'<span class="differs">expected {result.expected}</span>'


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, name: str = "", label: str = "") -> str:
    """A table of HTML cells in a frame that scrolls on narrow screens; `name` is its CSS class."""
    head = "".join(f'<th scope="col">{h}</th>' for h in headings)
    body = "".join(f"<tr>{_row(headings, row)}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{html.escape(label or name)}">'
        f'<table class="{html.escape(name)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The cells of a row, each with its heading for screens too narrow for a table."""
    pairs = zip(headings, cells, strict=True)
    return "".join(f'<td data-head="{html.escape(_plain(heading))}">{cell}</td>' for heading, cell in pairs)


def _plain(text: str) -> str:
    """HTML without tags, its entities as signs: for an attribute."""
    return html.unescape(re.sub("<[^>]*>", "", text))


def facts(items: Iterable[tuple[str, str]]) -> str:
    """Named values, one below the other; empty ones are left out."""
    return '<dl class="facts">' + "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in items if v) + "</dl>"


def counts_html(results: Sequence[ClaimResult]) -> str:
    """How many claims have each verdict, as words and as a bar."""
    total = max(len(results), 1)
    counts = {name: sum(verdict_name(r) == name for r in results) for name in MARKS}
    bar = "".join(
        f'<span class="{name.lower()}" style="flex:{count}" title="{count} of {total}"></span>'
        for name, count in counts.items()
        if count
    )
    words = " ".join(
        f'<span class="count">{badge(name)} {count}</span>' for name, count in counts.items() if count
    )
    differing = sum(not r.ok for r in results)
    if not differing:
        said = f"All {len(results)} verdicts are the expected ones."
        if len(results) == 1:
            said = "The verdict is the expected one."
    else:
        said = f"{differing} of {len(results)} verdicts differ from the expected ones."
    return (
        f'<div class="counts">{words}</div><div class="bar" aria-hidden="true">{bar}</div>'
        f'<p class="{"summary" if not differing else "summary alarm"}">{said}</p>'
    )


def deciding(result: ClaimResult) -> Evidence | None:
    """The first piece of evidence that carries the verdict by itself."""
    if result.verdict is None:
        return None
    return next((e for e in result.evidence if e.verdict is result.verdict), None)


def deciding_html(result: ClaimResult, digits: int) -> str:
    """The deciding piece of evidence in one line."""
    if result.error is not None:
        return html.escape(hide_paths(result.error.strip().splitlines()[-1]))
    piece = deciding(result)
    if piece is None:
        return "no deciding evidence"
    text = f"{inline_html(piece.quantity)}: {interval_html(piece, digits)}"
    if piece.claimed is not None:
        text += f", claimed {number_html(piece.claimed, digits)}"
    if piece.point:
        text += f' <span class="at">at {point_html(piece.point, digits)}</span>'
    return text


def _check_digits(digits: int) -> int:
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 15:
        raise ValueError(f"digits must be an integer from 1 to 15, got {digits!r}")
    return digits


def _catalogue() -> dict[str, Claim]:
    return {claim.id: claim for claim in discover().claims}


def _title(claims: Mapping[str, Claim], claim_id: str) -> str:
    return (
        inline_html(claims[claim_id].title) if claim_id in claims else "<em>no longer in the catalogue</em>"
    )


# ---------------------------------------------------------------- the suite


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePage:
    """The whole run: counts, error budget, every claim, provenance."""

    provenance: Mapping[str, Any]
    results: Sequence[ClaimResult]
    claims: Mapping[str, Claim]
    digits: int = 4

    def summary(self) -> list[Block]:
        """Heading and counts by verdict."""
        papers = len({paper_of(r.id) for r in self.results})
        text = (
            f'<p class="lead">{len(self.results)} {"claim" if len(self.results) == 1 else "claims"} of '
            f"{papers} {'paper' if papers == 1 else 'papers'}, checked by computation "
            f"(tier {html.escape(str(self.provenance['tier']))}, "
            f"seed {html.escape(str(self.provenance['seed']))}).</p>"
        )
        return [
            markdown("# Claims and verdicts"),
            html_block(text + counts_html(self.results)),
            *_findings(self.results, self.claims, "## What weighs most", most=_FINDINGS),
        ]

    def table(self) -> list[Block]:
        """Every claim with its verdict, by paper."""
        blocks: list[Block] = []
        for paper in dict.fromkeys(paper_of(r.id) for r in self.results):
            results = [r for r in self.results if paper_of(r.id) == paper]
            safe = html.escape(paper)
            link = f'<h2 id="{safe}"><a href="{safe}.html">{safe}</a></h2>'
            rows = [
                (
                    f'<a href="{html.escape(page_path(r.id))}.html">{html.escape(r.id.split("/", 1)[1])}</a>',
                    _title(self.claims, r.id),
                    html.escape(r.kind),
                    f"{badge(verdict_name(r))} {expectation(r)}",
                    number_html(r.resolution, self.digits),
                    number_html(r.alpha_spent, 2) if r.alpha_spent else "0",
                    f"{r.seconds:.1f} s",
                )
                for r in results
            ]
            headings = ("claim", "title", "kind", "verdict", "resolution", "α spent", "time")
            blocks.append(html_block(link + table(headings, rows, name="claims", label=f"claims of {paper}")))
        return blocks

    def budget(self) -> list[Block]:
        """The error budget of the run: what it may spend, what each claim may, what was spent."""
        spent = sum(r.alpha_spent for r in self.results)
        share = float(self.provenance["alpha_per_claim"])
        largest = max(self.results, key=lambda r: r.alpha_spent, default=None)
        most = ""
        if largest is not None and largest.alpha_spent:
            most = f"{number_html(largest.alpha_spent, 3)} ({html.escape(largest.id)})"
        exact = sum(r.alpha_spent == 0 and r.error is None for r in self.results)
        items = [
            ("α of the run", number_html(float(self.provenance["alpha"]), self.digits)),
            ("share of each claim", number_html(share, self.digits)),
            ("spent by this run", number_html(spent, self.digits) if spent else "0"),
            ("largest spender", most),
            ("claims that spend nothing", f"{exact} (exact computations only)" if exact else ""),
        ]
        said = (
            '<p class="quiet">α is the probability that a run over the whole catalogue calls any true claim '
            "refuted. It is shared equally, and every test records what it spends.</p>"
        )
        return [markdown("## Error budget"), html_block(said + facts(items))]

    def origin(self) -> list[Block]:
        """Where the numbers come from: seed, tier, versions, digest of the sources, platform, data."""
        p = self.provenance
        machine = p.get("machine", {})
        data = p.get("data")
        items = [
            ("tier", html.escape(str(p["tier"]))),
            ("seed", html.escape(str(p["seed"]))),
            ("data", "synthetic stand-ins" if data is None else _data_html(data)),
            ("started", html.escape(str(p.get("started", "")))),
            ("finished", html.escape(str(p.get("finished") or "not finished"))),
            ("platform", html.escape(" ".join(str(machine.get(k, "")) for k in ("system", "machine")))),
            ("cores", html.escape(str(machine.get("cores", "")))),
            (
                "versions",
                ", ".join(f"{html.escape(str(k))} {html.escape(str(v))}" for k, v in p["versions"].items()),
            ),
        ]
        return [
            markdown("## Where these numbers come from"),
            html_block(facts(items)),
            *_changed(p, list(self.claims.values())),
        ]


def _data_html(data: Mapping[str, Any]) -> str:
    digest = str(data.get("sha256") or "")
    return html.escape(str(data.get("name"))) + (
        f" (SHA-256 <code>{html.escape(digest)}</code>)" if digest else ""
    )


def _changed(provenance: Mapping[str, Any], claims: Sequence[Claim]) -> list[Block]:
    """A warning where the sources of a claim are no longer those of the run."""
    ran = provenance.get("sources", {})
    sources = Sources(roots_of(*other_folders()))
    if all(sources.digest(c.module) == ran[c.id] for c in claims if c.id in ran):
        return []
    return [
        html_block(
            '<p class="warning">The sources have changed since this run: statements and plots are of today’s '
            "sources, verdicts and numbers of the run.</p>"
        )
    ]


def open_suite(run: str, digits: int = 4) -> SuitePage:
    """The page of the run folder `run` (relative to the current folder)."""
    stored = read_run(Path(run))
    return SuitePage(
        provenance=stored.provenance,
        results=stored.claims,
        claims=_catalogue(),
        digits=_check_digits(digits),
    )


# ---------------------------------------------------------------- a paper


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperPage:
    """The results of one paper."""

    paper: str
    provenance: Mapping[str, Any]
    results: Sequence[ClaimResult]
    claims: Mapping[str, Claim]
    digits: int = 4

    def header(self) -> list[Block]:
        """The paper's key, its reference, and counts by verdict."""
        references = dict.fromkeys(
            self.claims[r.id].paper.reference for r in self.results if r.id in self.claims
        )
        cited = "".join(f'<p class="reference">{inline_html(reference)}</p>' for reference in references)
        return [
            markdown(f"# {escape_markdown(self.paper)}"),
            html_block(cited + counts_html(self.results)),
            *_findings(self.results, self.claims, "## What was found"),
        ]

    def table(self) -> list[Block]:
        """Every result of the paper, with the evidence that decides it."""
        rows = [
            (
                f'<a href="{html.escape(page_path(r.id))}.html">{self._printed(r.id)}</a>'
                f'<div class="reading">{html.escape(_reading(r.id))}</div>',
                f"{_title(self.claims, r.id)}<div class='key'>{deciding_html(r, self.digits)}</div>",
                f"{badge(verdict_name(r))} {expectation(r)}",
            )
            for r in self.results
        ]
        return [
            markdown("## Results"),
            html_block(
                table(
                    ("result", "what it says, and what decides it", "verdict"),
                    rows,
                    name="results",
                    label="results",
                )
            ),
        ]

    def _printed(self, claim_id: str) -> str:
        if claim_id in self.claims:
            return inline_html(self.claims[claim_id].result)
        return html.escape(claim_id.split("/", 1)[1].split(":")[0])


def _findings(
    results: Sequence[ClaimResult], claims: Mapping[str, Claim], heading: str, most: int | None = None
) -> list[Block]:
    """A table of what fell, the heaviest first; nothing where nothing fell."""
    rows: list[tuple[str, ...]] = []
    for entry, consequences in shown_findings(results, claims)[:most]:
        found = entry.finding
        assert found is not None
        follow = ", ".join(html.escape(_reading(c.id)) for c in consequences)
        also = f'<div class="key">the same slip: {follow}</div>' if follow else ""
        rows.append(
            (
                html.escape(found.weight),
                f'<a href="{page_path(entry.id)}.html">{html.escape(entry.id)}</a>',
                inline_html(found.what) + also,
                inline_html(found.favour),
            )
        )
    if not rows:
        return []
    headings = ("weight", "statement", "what happens", "friendliest reading")
    return [markdown(heading), html_block(table(headings, rows, name="results", label=heading[3:]))]


def _said_of(claim: Claim, result: ClaimResult) -> list[tuple[str, str]]:
    """The rows of a claim's table that say what is wrong with it, or what it rests on."""
    found = claim.finding
    rows = [("in short", claim.summary)]
    if found is not None:
        rows += [
            (f"finding ({found.weight})", found.what),
            ("in its favour", found.favour),
            ("what survives", found.survives),
            ("follows from", f"`{found.follows_from}`" if found.follows_from else ""),
        ]
    rows += [("rests on", ", ".join(f"`{c}`" for c in claim.rests_on)), ("premises", result.caveat)]
    return [(name, inline_html(text)) for name, text in rows if text]


def _reading(claim_id: str) -> str:
    name = claim_id.split("/", 1)[1]
    return name if ":" not in name else f"{name.split(':')[0]} · {name.split(':')[1]}"


def open_paper(run: str, paper: str, digits: int = 4) -> PaperPage:
    """The page of one paper of the run folder `run`; ValueError where the run has no claim of it."""
    stored = read_run(Path(run))
    results = [r for r in stored.claims if paper_of(r.id) == paper]
    if not results:
        raise ValueError(f"the run {run} has no claim of the paper {paper!r}")
    return PaperPage(
        paper=paper,
        provenance=stored.provenance,
        results=results,
        claims=_catalogue(),
        digits=_check_digits(digits),
    )


# ---------------------------------------------------------------- a claim


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPage:
    """One claim: its statement, its evidence, its figures, its measurements."""

    result: ClaimResult
    rows: pd.DataFrame
    provenance: Mapping[str, Any]
    claim: Claim | None
    folder: Path
    rows_digest: str = ""
    others: Sequence[str] = ()
    digits: int = 4

    def statement(self) -> list[Block]:
        """Heading, verdict, statement, and the argument: the docstring of the claim's module."""
        result = self.result
        head = f'<p class="verdict">{badge(verdict_name(result))} {expectation(result)}</p>'
        meaning = f'<p class="quiet">{MEANING[verdict_name(result)]}</p>'
        if self.claim is None:
            missing = (
                '<p class="warning">This claim is no longer in the catalogue: the run keeps its evidence, '
                "but its statement, its source and its plots are gone.</p>"
            )
            return [markdown(f"# {escape_markdown(result.id)}"), html_block(head + meaning + missing)]
        claim = self.claim
        readings = ", ".join(
            f'<a href="{html.escape(page_path(o).split("/")[1])}.html">{html.escape(o)}</a>'
            for o in self.others
        )
        file = f"<code>{html.escape(claim.module.replace('.', '/'))}.py</code>" if claim.module else ""
        items = [
            ("id", f"<code>{html.escape(claim.id)}</code>"),
            ("kind", f"{html.escape(result.kind)}, {html.escape(claim.role)}"),
            (
                "source",
                inline_html(f"{claim.result}, {claim.place}. {claim.paper.reference}"),
            ),
            *_said_of(claim, result),
            ("other readings", readings),
            ("checked by", file),
        ]
        return [
            markdown(f"# {escape_markdown(claim.title)}"),
            html_block(head + meaning),
            markdown("## Statement"),
            markdown(claim.statement),
            html_block(facts(items)),
            *_changed(self.provenance, [claim]),
            *self._argument(claim),
        ]

    @staticmethod
    def _argument(claim: Claim) -> list[Block]:
        """The docstring of the claim's module, which holds for all readings of the result."""
        text = inspect.cleandoc(claim.doc)
        return [markdown("## Argument, and how it is checked"), markdown(text)] if text else []

    def evidence(self) -> list[Block]:
        """The table of evidence; for a crashed check its traceback."""
        result = self.result
        if result.error is not None:
            trace = html.escape(hide_paths(result.error))
            return [
                markdown("## Evidence"),
                html_block(f'<p>The check crashed.</p><pre class="traceback">{trace}</pre>'),
            ]
        share = number_html(float(self.provenance["alpha_per_claim"]), 3)
        spent = number_html(result.alpha_spent, 3) if result.alpha_spent else "0"
        work = f"tier {self.provenance['tier']}, seed {self.provenance['seed']}, {result.seconds:.1f} s"
        items = [
            ("verdict", f"{badge(verdict_name(result))} (expected {result.expected})"),
            ("resolution", number_html(result.resolution, self.digits)),
            ("α spent", f"{spent} of {share}"),
            ("measured", html.escape(work)),
        ]
        if not result.evidence:
            return [markdown("## Evidence"), html_block(facts(items) + "<p>The check gave no evidence.</p>")]
        pieces = list(result.evidence)
        first, rest = pieces, []
        if len(pieces) > _SHOWN_EVIDENCE + 5:
            first, rest = pieces[:_SHOWN_EVIDENCE], pieces[_SHOWN_EVIDENCE:]
        text = facts(items) + evidence_table(first, self.digits)
        if rest:
            text += (
                f"<details><summary>{len(rest)} more pieces of evidence</summary>"
                f"{evidence_table(rest, self.digits)}</details>"
            )
        return [markdown("## Evidence"), html_block(text)]

    def figures(self) -> list[Block]:
        """The claim's plots, and every measured value over its claimed value."""
        from claims.harness.report.figures import kept
        from claims.harness.report.plots import Drawn, NoRowsError, draw, draw_ratios, has_ratio, select_words
        from claims.harness.run.serialise import evidence_to_json

        blocks: list[Block] = []

        evidence = [evidence_to_json(e) for e in self.result.evidence]

        def add(title: str, make: Callable[[], Drawn], what: Any, where: str = "") -> None:
            try:
                drawn = kept([what, evidence, self.rows_digest], make)
            except NoRowsError as error:
                blocks.append(html_block(f'<p class="quiet">Not drawn: {html.escape(str(error))}.</p>'))
                return
            except ValueError as error:
                blocks.append(html_block(f'<p class="problem">Not drawn: {html.escape(str(error))}</p>'))
                return
            blocks.append(Block(mime="image/svg+xml", text=_named(drawn.svg, title)))
            words = " ".join(part for part in (where, drawn.caption) if part)
            if words:
                blocks.append(html_block(f'<p class="caption">{html.escape(words)}</p>'))

        if self.claim is not None and not self.rows.empty:
            for plot in self.claim.plots:
                where = f"At {select_words(plot.select)}." if plot.select else ""
                add(plot.title, lambda p=plot: draw(p, self.rows, self.result.evidence), asdict(plot), where)
        ratios = [e for e in self.result.evidence if has_ratio(e)]
        if len(ratios) >= 2:
            chosen = ratios[:_RATIOS]  # the deciding piece comes first
            where = (
                ""
                if len(chosen) == len(ratios)
                else f"{len(chosen)} of {len(ratios)} pieces, the gravest first."
            )
            add("Measured against claimed", lambda: draw_ratios(chosen), len(chosen), where)
        return [markdown("## Plots"), *blocks] if blocks else []

    def measurements(self, limit: int = 20) -> list[Block]:
        """The first rows that were measured, folded away; the run folder keeps all of them."""
        if limit < 0:
            raise ValueError(f"rows must be ≥ 0, got {limit}")
        if self.rows.empty or limit == 0:
            return []
        shown = self.rows.head(limit)
        rows = [[_cell_html(v, self.digits) for v in row] for row in shown.itertuples(index=False)]
        total = f"{count_html(len(self.rows))} {'row' if len(self.rows) == 1 else 'rows'}"
        which = total if len(self.rows) <= limit else f"the first {limit} of {total}"
        columns = [html.escape(str(c)) for c in self.rows.columns]
        where = '<p class="quiet">All rows are in <code>rows.parquet</code> of the run folder.</p>'
        listed = table(columns, rows, name="measured", label="measurements")
        return [
            html_block(f"<details><summary>Measurements: {which}</summary>{listed}{where}</details>"),
        ]


def _named(svg: str, title: str) -> str:
    """The SVG as an image with a name, for screen readers."""
    name = html.escape(title, quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)


def _cell_html(value: Any, digits: int) -> str:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return _value_html(value, digits) if not isinstance(value, float) else number_html(value, digits)


def evidence_table(evidence: Sequence[Evidence], digits: int) -> str:
    """Evidence as a table; a note stands below its row, and a column that is empty throughout is left out."""
    columns: list[tuple[str, Callable[[Evidence], str]]] = [
        ("quantity", lambda e: inline_html(e.quantity) + _below(point_html(e.point, digits))),
        ("measured", lambda e: interval_html(e, digits) + _below(_method_html(e))),
        ("claimed", lambda e: number_html(e.claimed, digits)),
        ("says", lambda e: badge(e.verdict.value) if e.verdict is not None else ""),
        ("resolution", lambda e: number_html(e.resolution, digits)),
        ("α spent", lambda e: number_html(e.alpha_spent, 2) if e.alpha_spent else ""),
    ]
    cells = [[cell(e) for _, cell in columns] for e in evidence]
    filled = [k for k in range(len(columns)) if any(row[k] for row in cells)]
    headings = [columns[k][0] for k in filled]
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    body = ""
    for piece, row in zip(evidence, cells, strict=True):
        noted = ' class="noted"' if piece.note else ""
        body += f"<tr{noted}>" + _row(headings, [row[k] for k in filled]) + "</tr>"
        if piece.note:
            note = inline_html(hide_paths(piece.note))
            body += f'<tr class="note"><td colspan="{len(filled)}"><div>{note}</div></td></tr>'
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="evidence">'
        f'<table class="evidence"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _below(text: str) -> str:
    return f'<div class="at">{text}</div>' if text else ""


def _method_html(evidence: Evidence) -> str:
    """How sure and by what: the instrument, the confidence, the standard error, the samples."""
    parts = [html.escape(evidence.method)]
    if evidence.confidence < 1.0:
        parts.append(f"confidence {confidence_html(evidence.confidence)}")
    if evidence.standard_error is not None:
        parts.append(f"standard error {number_html(evidence.standard_error, 2)}")
    if evidence.samples:
        parts.append(f"{count_html(evidence.samples)} samples")
    return ", ".join(f"<span>{part}</span>" for part in parts)


def open_claim(run: str, claim: str, digits: int = 4) -> ClaimPage:
    """The page of one claim of the run folder `run`; ValueError where the run has no such claim."""
    provenance = read_provenance(Path(run))
    stored = read_claim(Path(run), claim)
    if stored is None:
        raise ValueError(f"the run {run} has no claim {claim!r}")
    result = claim.split(":")[0]
    return ClaimPage(
        result=stored.result,
        rows=stored.rows,
        provenance=provenance,
        claim=_catalogue().get(claim),
        folder=Path(run),
        rows_digest=rows_digest(Path(run), claim),
        others=[c for c in provenance["claims"] if c.split(":")[0] == result and c != claim],
        digits=_check_digits(digits),
    )
