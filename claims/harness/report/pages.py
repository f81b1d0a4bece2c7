"""The pages of a run: what each template is filled with. Every number comes from the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claims.harness.claim import Claim
from claims.harness.commands.errata import document
from claims.harness.finding import Weight
from claims.harness.ids import result_of
from claims.harness.map import Layout, PaperMap, layout, legend, map_of
from claims.harness.report.describe import believed
from claims.harness.report.maps import drawn, mind
from claims.harness.report.numbers import count_text, number_text
from claims.harness.report.plots import Picture, pictures_of
from claims.harness.report.shown import (
    MEANING,
    VERDICTS,
    Reading,
    Result,
    anchor_of,
    as_found,
    doi_of,
    first_sentence,
    first_sentences,
    said_by,
)
from claims.harness.report.site import Page, asset, fill
from claims.harness.run.result import ClaimResult, RunResult
from claims.harness.run.store import read_claim
from claims.harness.standing import Standing, by_weight, has_fallen, slip_of

if TYPE_CHECKING:
    import pandas as pd

TOP = ("All results", "index.html")
MOST_EVIDENCE, MOST_FOLDED = 40, 500
DIGITS = 4
"""Significant digits of numbers."""
STANDS = {
    "CONFIRMED": "holds",
    "CONSISTENT": "not contradicted",
    "REFUTED": "falls",
    "INCONCLUSIVE": "not decided",
    "CRASHED": "crashed",
}
"""What a verdict on a reading means for it; the verdict itself stands with its evidence."""
WORDS = {
    Standing.HOLDS: "hold",
    Standing.NEARLY: "hold but for a detail",
    Standing.LETTER_ONLY: "hold to the letter only",
    Standing.FALLS: "fall",
    Standing.OPEN: "open",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A run as its pages see it.

    results  the printed results of the run, see `shown.results_of`; catalogue the claims by their ids.
    changed  ids of the claims whose sources are no longer those of the run.
    """

    run: RunResult
    results: Sequence[Result]
    catalogue: Mapping[str, Claim]
    changed: frozenset[str] = frozenset()
    _maps: dict[str, tuple[PaperMap, Layout | None]] = field(
        default_factory=dict[str, "tuple[PaperMap, Layout | None]"]
    )

    def of(self, paper: str) -> list[Result]:
        return [r for r in self.results if r.paper == paper]

    def map(self, paper: str) -> tuple[PaperMap, Layout | None]:
        """The map of a paper by the verdicts of the run, and where Graphviz puts its results."""
        if paper not in self._maps:
            # What the run does not hold counts as it is expected.
            own = {c.id: c for c in self.catalogue.values() if c.paper.key == paper}
            own |= {r.id: as_found(r) for result in self.of(paper) for r in result.readings}
            found = map_of(paper, list(own.values()))
            file = next((c.file for c in self.catalogue.values() if c.paper.key == paper), None)
            self._maps[paper] = found, None if file is None else layout(found, file.parent / "map.plain")
        return self._maps[paper]

    def computed(self, result: Result) -> str:
        """The claim whose check the notebook of a result repeats; "" where its sources are other ones now."""
        first = next(r for r in result.readings if r.result is not None)
        return "" if first.id in self.changed else first.id

    @property
    def errata(self) -> set[str]:
        """The papers about which the catalogue has a finding."""
        return {c.paper.key for c in self.catalogue.values() if c.finding is not None} - {"controls"}

    @property
    def papers(self) -> list[str]:
        return list(dict.fromkeys(r.paper for r in self.results))


# ---------------------------------------------------------------- the index


def index_page(site: Site, page: Page) -> str:
    """The index: what was found, then every result, with search and filters."""
    listed = [r for r in site.results if not r.is_control and not r.is_line_by_line]
    papers = [paper_shown(site, key) for key in site.papers if key != "controls"]
    return fill(
        "index.html.j2",
        page,
        script=asset("filter.js"),
        papers=papers,
        total=_standings(listed),
        stand_ins=sum(r.stand_in and r.standing is Standing.OPEN for r in listed),
        results=listed,
        lines=[r for r in site.results if r.is_line_by_line and not r.is_control],
        controls=[r for r in site.results if r.is_control],
        filters=_filters(listed),
        meanings=[(s.badge, words) for s, words in MEANING.items()],
        verdicts=list(VERDICTS.items()),
        origin=_origin(site.run),
        changed=bool(site.changed),
        said=_expected(site.run.claims),
    )


def _filters(results: Sequence[Result]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    kinds = sorted({r.kind for r in results})
    weights = [w.value for w in Weight if any(r.weight == w.value for r in results)]
    papers = list(dict.fromkeys(r.paper for r in results))
    standings = [(s.word, s.value) for s in Standing if any(r.badge[0] == s.word for r in results)]
    return [
        ("paper", "Paper", [(p, p) for p in papers]),
        ("standing", "Verdict", standings),
        ("kind", "Kind", [(k, k) for k in kinds]),
        ("weight", "Weight", [(w, w) for w in weights]),
    ]


def _standings(results: Sequence[Result]) -> list[dict[str, Any]]:
    """How many results stand how; what must fall has a badge of its own."""
    badges = {r.standing: r.badge for r in results if r.is_control}
    return [
        {"badge": badges.get(s, s.badge), "words": WORDS[s], "count": sum(r.standing is s for r in results)}
        for s in Standing
    ]


def _made(run: RunResult) -> str:
    """Tier, seed and versions of a run, for the foot of its pages."""
    p = run.provenance
    versions = ", ".join(f"{name} {version}" for name, version in p["versions"].items())
    return f"Computed at tier {p['tier']}, seed {p['seed']}, with {versions}."


def _expected(results: Sequence[ClaimResult]) -> str:
    differing = sum(not r.ok for r in results)
    if not differing:
        return f"{len(results)} claims were checked; every verdict is the one that is on record."
    return f"{differing} of {len(results)} verdicts differ from the expected ones."


def _origin(run: RunResult) -> list[tuple[str, str]]:
    p = run.provenance
    machine, data = p.get("machine", {}), p.get("data")
    spent = sum(r.alpha_spent for r in run.claims)
    largest = max(run.claims, key=lambda r: r.alpha_spent, default=None)
    named = "synthetic stand-ins"
    if data is not None:
        named = f"{data.get('name')} (SHA-256 {data.get('sha256') or 'unknown'})"
    return [
        ("tier", str(p["tier"])),
        ("seed", str(p["seed"])),
        ("data", named),
        ("α of the run", number_text(float(p["alpha"]), 4)),
        ("share of each claim", number_text(float(p["alpha_per_claim"]), 4)),
        ("spent by this run", number_text(spent, 4) if spent else "0"),
        ("largest spender", largest.id if largest is not None and largest.alpha_spent else ""),
        ("started", str(p.get("started", ""))),
        ("finished", str(p.get("finished") or "not finished")),
        ("platform", " ".join(str(machine.get(k, "")) for k in ("system", "machine"))),
        ("cores", str(machine.get("cores", ""))),
        ("versions", ", ".join(f"{name} {version}" for name, version in p["versions"].items())),
    ]


# ---------------------------------------------------------------- a paper and its errata


def paper_page(site: Site, page: Page, key: str) -> str:
    """The page of one paper: how its results stand, what was found, all of them."""
    paper = paper_shown(site, key)
    results = site.of(key)
    return fill(
        "paper.html.j2",
        page,
        paper=paper,
        findings=_findings(site, key),
        map=_map_shown(site, key),
        results=[r for r in results if not r.is_line_by_line],
        lines=[r for r in results if r.is_line_by_line],
        options=said_by(site.run.provenance),
        made=_made(site.run),
    )


def _map_shown(site: Site, key: str) -> dict[str, Any] | None:
    """The map of a paper: its picture, or the list of what each proof uses; None where no claim says."""
    found, places = site.map(key)
    if not any(found.uses.values()):
        return None
    listed = [
        (found.nodes[result], [(found.nodes[each], note) for each, note in used.items()])
        for result, used in found.uses.items()
        if used
    ]
    return {
        "drawn": None if places is None else drawn(found, places),
        "legend": legend(found),
        "known": {r.id for r in site.results},
        "listed": listed,
    }


def paper_shown(site: Site, key: str) -> dict[str, Any]:
    """What pages say of a paper."""
    results = [r for r in site.of(key) if not r.is_line_by_line]
    claim = results[0].printed.claim if results else site.of(key)[0].printed.claim
    return {
        "key": key,
        "reference": claim.paper.reference,
        "doi": doi_of(claim),
        "standings": _standings(results),
        "gravest": next(iter(_findings(site, key)), None),
    }


def errata_page(site: Site, page: Page, key: str) -> str:
    """The remarks on one paper, as `dpclaims errata` writes them, with links to the pages of results."""
    claims = [c for c in site.catalogue.values() if c.paper.key == key and c.finding is not None]
    pages = {r.id for r in site.results}

    def label(claim: Claim) -> str:
        known = result_of(claim.id) in pages
        return f"[{claim.result}]({page.link(claim_path(claim.id))})" if known else claim.result

    return fill(
        "errata.html.j2",
        page,
        key=key,
        text=document(claims[0].paper, claims, {}, label),
        doi=doi_of(claims[0]),
        mapped=any(site.map(key)[0].uses.values()),
    )


# ---------------------------------------------------------------- a result


def result_page(site: Site, page: Page, result: Result) -> str:
    """The page of a printed result: the answer, then statement, argument and all evidence."""
    drawn = {r.id: _measured(site, r) for r in result.readings}
    telling = _telling(result, {r: pictures for r, (_, pictures) in drawn.items()})
    parts = [_part(site, r, *drawn[r.id], telling) for r in result.readings]
    claim = result.printed.claim
    return fill(
        "result.html.j2",
        page,
        result=result,
        telling=telling,
        parts=parts,
        stands=STANDS,
        arguments=_arguments(result),
        changed=not site.changed.isdisjoint(r.id for r in result.readings),
        digits=DIGITS,
        share=float(site.run.provenance["alpha_per_claim"]),
        options=said_by(site.run.provenance),
        made=_made(site.run),
        notebook=result.name if site.computed(result) else "",
        reference=claim.paper.reference,
        doi=doi_of(claim),
        has_errata=result.paper in site.errata,
        proof=_proof_shown(site, result),
    )


def _proof_shown(site: Site, result: Result) -> dict[str, Any] | None:
    """What the paper's proof of a result uses, what uses it, and both on the map."""
    found, places = site.map(result.paper)
    if result.id not in found.nodes:
        return None
    uses = [(found.nodes[each], note) for each, note in found.uses[result.id].items()]
    used_by = [(found.nodes[each], "") for each in found.used_by(result.id)]
    if not uses and not used_by:
        return None
    near = found.near(result.id)
    return {
        "uses": uses,
        "used_by": used_by,
        "mind": mind(found.nodes[result.id]),
        "known": {r.id for r in site.results},
        "drawn": None if places is None else drawn(found, places, near, result.id),
    }


def _arguments(result: Result) -> list[dict[str, str]]:
    """The docstrings of the modules that check the result, each once, with the readings that it is about."""
    found: dict[str, list[str]] = {}
    for reading in result.readings:
        if reading.argument:
            found.setdefault(reading.argument, []).append(reading.name)
    return [{"text": text, "names": ", ".join(names)} for text, names in found.items()]


def _measured(site: Site, reading: Reading) -> tuple[pd.DataFrame | None, list[Picture]]:
    if reading.result is None:
        return None, []
    stored = read_claim(site.run.folder, reading.id)
    assert stored is not None  # the run was read before
    return stored.rows, list(pictures_of(reading.claim, reading.result.evidence, stored.rows))


def _telling(result: Result, pictures: Mapping[str, Sequence[Picture]]) -> dict[str, Any] | None:
    """The picture beside the answer: of the reading that decides, else of the printed statement, else any."""
    first = [result.gravest] if result.gravest is not None else []
    for reading in [*first, *result.readings]:
        drawn = next((p for p in pictures[reading.id] if p.svg), None)
        if drawn is not None:
            return {"reading": reading, "picture": drawn}
    return None


def _part(
    site: Site,
    reading: Reading,
    rows: pd.DataFrame | None,
    pictures: Sequence[Picture],
    telling: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """One reading on the page of its result."""
    evidence = list(reading.result.evidence) if reading.result is not None else []
    # What decides nothing is folded, where anything decides.
    deciding = [piece for piece in evidence if piece.verdict is not None] or evidence
    cut = MOST_EVIDENCE if len(deciding) > MOST_EVIDENCE + 5 else len(deciding)
    idle = [piece for piece in evidence if piece.verdict is None] if deciding is not evidence else []
    rest = deciding[cut:] + idle
    return {
        "reading": reading,
        "meaning": VERDICTS[reading.verdict],
        "rests_on": list(reading.claim.rests_on),
        "believed": believed(reading.claim, reading.result),
        "first": deciding[:cut],
        "rest": rest[:MOST_FOLDED],
        "more": len(rest),
        "idle": sum(piece.verdict is None for piece in rest),
        "pictures": [p for p in pictures if telling is None or p is not telling["picture"]],
        "rows": "" if rows is None else count_text(len(rows)),
    }


def claim_path(claim_id: str) -> str:
    """The page and the anchor of a claim in the site.

    >>> claim_path("song2021/theorem-3.1:private")
    'song2021/theorem-3.1.html#private'
    """
    anchor = anchor_of(claim_id)
    return f"{result_of(claim_id)}.html" + (f"#{anchor}" if anchor != "printed" else "")


# ---------------------------------------------------------------- findings


def _findings(site: Site, paper: str) -> list[dict[str, Any]]:
    """What the run refutes of a paper, the heaviest first, with what falls by the same slip."""
    refuted = [r.id for r in site.run.claims if r.verdict == "REFUTED" and r.id in site.catalogue]
    own = [c for c in refuted if c.split("/")[0] == paper != "controls"]
    fallen = by_weight([site.catalogue[c] for c in own if has_fallen(site.catalogue[c])])
    known = {e.id: e for e in fallen}
    below: dict[str, list[Claim]] = {}
    for each in fallen:
        below.setdefault(slip_of(each, known).id, []).append(each)
    return [_finding(site, known[slip], [e for e in found if e.id != slip]) for slip, found in below.items()]


def _finding(site: Site, claim: Claim, consequences: Sequence[Claim]) -> dict[str, Any]:
    found = claim.finding
    assert found is not None
    return {
        "path": claim_path(claim.id),
        "heading": claim.result,
        "paper": claim.paper.key,
        "reading": claim.variant.replace("-", " "),
        "weight": found.weight.value,
        "brief": first_sentences(found.what),
        "favour": first_sentence(found.favour),
        "consequences": [
            c.result + (f" ({c.variant.replace('-', ' ')})" if c.variant else "")
            for c in consequences
            if result_of(c.id) != result_of(claim.id)  # not its own readings
        ],
    }
