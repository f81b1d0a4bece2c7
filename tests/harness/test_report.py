"""The report: pages complete, self-contained, without paths of the machine; bad input refused."""

from __future__ import annotations

import ast
import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from audits.evidence import Evidence, Verdict
from audits.judge import at_most, reported
from claims.harness.claim import Claim, Kind, Paper, Plot
from claims.harness.discover import Catalogue, load
from claims.harness.report import write as write_module
from claims.harness.report.notebooks import notebooks_folder, read_notebooks
from claims.harness.report.numbers import estimate_text, hide_paths, number_text
from claims.harness.report.plots import INK, NoRowsError, draw, pictures_of
from claims.harness.report.site import asset, digest
from claims.harness.report.write import write_report
from claims.harness.run import provenance
from claims.harness.run.runner import Settings, run_claims
from implementations.interfaces import Adjacency
from tests.harness.synthetic import Tags

pytest.importorskip("papermill")

ROOT = Path(__file__).resolve().parents[2]
MADE = Paper("made2024", reference="A. Nobody 2024", adjacency=Adjacency.REPLACE)


def make_claim(name: str, judge: Any, *, expected: Verdict, measure: Any = None, **changes: Any) -> Claim:
    name, _, variant = name.partition(":")
    points = [{"n": 10}, {"n": 100}, {"n": 1000}]
    values: dict[str, Any] = {
        "kind": Kind.BOUND,
        "title": "A *made* claim about x_1",
        "statement": r"For all $n\ge 1$: $$\frac{a_1}{b_2}\le\sqrt{n}.$$",
        "smoke": points,
        "ci": points,
        "measure": measure or (lambda point: {"risk": 2.0 / point.n, "bound": 3.0 / point.n}),
    }
    return Claim(
        MADE, "Lemma 1", "section 1", name=name, variant=variant, judge=judge, expected=expected,
        **(values | changes),
    )  # fmt: skip


def confirmed(rows: pd.DataFrame, budget: Any) -> list[Evidence]:
    return [
        replace(reported("risk", r.risk, claimed=r.bound, point={"n": int(r.n)}), verdict=Verdict.CONFIRMED)
        for r in rows.itertuples()
    ] + [reported("context", 7.0)]


def refuted(rows: pd.DataFrame, budget: Any) -> list[Evidence]:
    return [
        Evidence(
            quantity="ε at δ = 1e-05", estimate=1.23456789, low=1.23456789, high=np.inf,
            confidence=1 - budget.alpha, method="sequential", samples=123456, claimed=1.0,
            verdict=Verdict.REFUTED, alpha_spent=budget.alpha,
            note="a <counterexample> in /home/nobody/secret/data.txt",
        )
    ]  # fmt: skip


def crash(point: Any) -> Any:
    raise RuntimeError("no such file: /home/nobody/secret/data.txt")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with reports/runs/trial: a claim of the catalogue, and four that the report is told of."""
    place = tmp_path_factory.mktemp("workplace")
    claims = [
        make_claim("bound", confirmed, expected=Verdict.CONFIRMED),
        make_claim("bound:corrected", confirmed, expected=Verdict.REFUTED),
        make_claim("crash", confirmed, expected=Verdict.CONFIRMED, measure=crash),
        make_claim("privacy", refuted, expected=Verdict.REFUTED),
        *load("song2021/lemma-b.2"),
    ]
    run_claims(claims, Settings(tier="smoke"), out=place / "reports" / "runs" / "trial")
    everything = (*claims[:-1], *load("song2021"))
    known = Catalogue(claims=everything, papers=(), problems=(), folders=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_module, "discover", lambda: known)
        yield place


@pytest.fixture(scope="module")
def site(workplace: Path) -> Path:
    run = workplace / "reports" / "runs" / "trial"
    index = write_report(run, workplace / "site", jobs=2)
    assert index == workplace / "site" / "index.html"
    return index.parent


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


# ---------------------------------------------------------------- the site


def test_every_claim_has_its_page_and_its_notebook(site: Path) -> None:
    names = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    made = {f"made2024/{name}" for name in ("bound", "crash", "privacy")}
    # Nothing computes a claim that stands in no file.
    results = {"made2024", "song2021", "song2021/lemma-b.2"}
    expected = {f"{name}.{kind}" for name in results for kind in ("html", "ipynb", "notebook.html")}
    expected |= {f"{name}.html" for name in made}
    expected |= {"suite.ipynb", "suite.notebook.html", "errata/song2021.html", "mathematics.woff2"}
    assert names == expected | {"index.html", "report.json"}
    assert '<section id="corrected">' in (site / "made2024" / "bound.html").read_text(encoding="utf-8")


def test_pages_are_well_formed_and_their_links_lead_somewhere(site: Path) -> None:
    for page in pages(site):
        found = Tags(page.read_text(encoding="utf-8"))
        assert found.open == [], page
        links = [a["href"] for tag, a in found.tags if tag == "a" and "href" in a]
        assert links
        # DOIs, and references of the released libraries, lead out of the site.
        for link in [k for k in links if not k.startswith("https://")]:
            target, _, anchor = unquote(link).partition("#")
            file = page.parent / target if target else page
            assert file.is_file(), f"{page.name}: {link}"
            if anchor:
                assert f'id="{anchor}"' in file.read_text(encoding="utf-8"), f"{page.name}: {link}"


def test_nothing_is_fetched_and_nothing_runs_but_the_search(site: Path) -> None:
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
        assert scripts == ([asset("filter.js")] if page.name == "index.html" else [])
        assert ("script-src" in text) == bool(scripts)
        if scripts:
            assert f"script-src '{digest(scripts[0])}'" in html.unescape(text)
        for tag, attributes in Tags(text).tags:
            assert tag not in ("iframe", "object", "embed", "base", "form")
            assert not any(name.startswith("on") for name in attributes)
            if tag == "a" and attributes.get("href", "").startswith("https://"):
                continue  # fetched by a reader who clicks, not by the page
            for name in ("src", "href", "srcset", "xlink:href", "data", "poster"):
                target = attributes.get(name, "")
                assert not re.match(r"\s*(https?:|//|file:|javascript:)", target), f"{page.name}: {target}"
        assert "@import" not in text
        # The font lies beside the pages.
        assert not re.search(r"url\((?!#|(\.\./)?mathematics\.woff2\))", text)
        assert "default-src 'none'" in html.unescape(text)


def test_no_path_of_the_machine_is_written(site: Path, workplace: Path) -> None:
    private = {str(workplace), str(ROOT), sys.prefix, sys.base_prefix, str(Path.home()), os.getcwd()}
    private |= {"/home/nobody", "/tmp/", "site-packages/../"}
    private.discard("/")
    for file in site.rglob("*"):
        if file.is_file() and file.suffix != ".woff2":
            text = file.read_text(encoding="utf-8")
            assert [p for p in private if p in text] == [], file


def test_notebooks_are_valid_and_executed_with_their_parameters(site: Path) -> None:
    import nbformat

    for file in sorted(site.rglob("*.ipynb")):
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
        counts = [c.execution_count for c in notebook.cells if c.cell_type == "code"]
        assert counts == list(range(1, len(counts) + 1)), file
        outputs = [o for c in notebook.cells for o in c.get("outputs", [])]
        assert outputs
        # Warnings and prints would be streams.
        assert {o.output_type for o in outputs} <= {"display_data", "execute_result"}, file
    claim = nbformat.read(site / "song2021" / "lemma-b.2.ipynb", as_version=4)
    injected = next(c for c in claim.cells if "injected-parameters" in c.metadata.get("tags", []))
    values = {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(injected.source).body}  # pyright: ignore
    made = {"tier": "smoke", "seed": 0, "alpha": 0.001}
    assert values == {"claim": "song2021/lemma-b.2", **made}


def test_numbers_on_a_page_are_those_of_the_run(site: Path, workplace: Path) -> None:
    stored = workplace / "reports" / "runs" / "trial" / "claims" / "song2021__lemma-b.2" / "result.json"
    page = (site / "song2021" / "lemma-b.2.html").read_text(encoding="utf-8")
    evidence = json.loads(stored.read_text())["evidence"]
    assert evidence
    for piece in evidence[:5]:
        assert f"<strong>{number_text(float(piece['estimate']), 4)}</strong>" in page
    privacy = (site / "made2024" / "privacy.html").read_text(encoding="utf-8")
    # Estimate, interval, confidence, samples, claimed value, α spent, note: with four digits.
    for shown in ("1.235", "[1.235, ∞]", "1 − 10⁻⁶", "123\u202f456", "a &lt;counterexample&gt; in"):
        assert shown in privacy, shown


WORDS = {
    "index": (
        "4 printed results: 2 hold, 1 fall, 1 open", "2 of 5 verdicts differ from the expected ones",
        "α of the run", "share of each claim", "spent by this run", "versions",
    ),
    "made2024/bound": (
        "CONFIRMED", "expected REFUTED", "<strong>0.2</strong>",
        # What decides nothing is folded.
        "<summary>1 more piece of evidence, which decides nothing</summary>",
    ),
    "made2024/crash": (
        "CRASHED", "RuntimeError: no such file: …/data.txt", "…/test_report.py",
        "The check crashed (as printed).",
    ),
}  # fmt: skip


def test_pages_say_what_happened(site: Path) -> None:
    for name, words in WORDS.items():
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        assert [each for each in words if each not in page] == [], name
    page = (site / "song2021" / "lemma-b.2.html").read_text(encoding="utf-8")
    statement = page.split('<div class="statement" tabindex="0">')[1].split("</div>")[0]
    assert "<math" in statement
    assert "$" not in statement


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes_and_replaces_the_report(site: Path, workplace: Path) -> None:
    before = {f.relative_to(site): f.read_bytes() for f in site.rglob("*") if f.is_file()}
    write_report(workplace / "reports" / "runs" / "trial", site, jobs=1)
    after = {f.relative_to(site): f.read_bytes() for f in site.rglob("*") if f.is_file()}
    assert {n for n in before if before[n] != after.get(n)} == set()
    assert set(before) == set(after)
    assert [p.name for p in workplace.iterdir() if p.name.startswith(".")] == []


# ---------------------------------------------------------------- bad input, nothing executed


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a notebook was executed")

    monkeypatch.setattr(write_module, "execute", refuse)


@pytest.mark.usefixtures("no_kernel")
def test_what_is_no_finished_run_is_refused(workplace: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a run folder"):
        write_report(tmp_path, tmp_path / "site")
    run = tmp_path / "run"
    shutil.copytree(workplace / "reports" / "runs" / "trial", run)
    (run / "claims" / "made2024__bound" / "result.json").write_text("{}")
    with pytest.raises(ValueError, match=r"result.json: truncated or foreign"):
        write_report(run, tmp_path / "site")
    shutil.rmtree(run / "claims" / "made2024__bound")
    with pytest.raises(ValueError, match="made2024/bound is not finished; repeat"):
        write_report(run, tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.usefixtures("no_kernel")
def test_foreign_files_are_never_touched(workplace: Path, tmp_path: Path) -> None:
    run = workplace / "reports" / "runs" / "trial"
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "index.html").write_text("mine")
    with pytest.raises(ValueError, match=r"thesis' holds other files and is not a report"):
        write_report(run, tmp_path / "thesis")
    with pytest.raises(ValueError, match="is a file; name a folder"):
        write_report(run, tmp_path / "thesis" / "index.html")
    (tmp_path / "thesis" / "report.json").write_text(
        '{"format": "dpclaims-report/1", "files": ["report.json"]}'
    )
    with pytest.raises(ValueError, match=r"files that are not the report's \(index.html\)"):
        write_report(run, tmp_path / "thesis")
    assert (tmp_path / "thesis" / "index.html").read_text() == "mine"


@pytest.mark.usefixtures("no_kernel")
def test_without_the_extra_a_sentence_says_what_to_install(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "papermill" else found(name)
    )
    with pytest.raises(ValueError, match=r"needs papermill: pip install '.\[report\]'"):
        write_report(workplace / "reports" / "runs" / "trial", tmp_path / "site")


def test_the_newest_run_is_the_default_and_is_named(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.setattr(write_module, "execute", lambda *args, **kwargs: ())
    said: list[str] = []
    index = write_report(None, None, say=said.append)
    assert index == Path("reports/trial/index.html")
    assert said[0] == "run reports/runs/trial (the newest; --run DIR names another)"
    monkeypatch.chdir(workplace / "reports")
    with pytest.raises(ValueError, match="there is no run below reports/runs"):
        write_report(None, None)


def test_a_report_that_fails_leaves_the_one_before(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, out = workplace / "reports" / "runs" / "trial", tmp_path / "site"
    monkeypatch.setattr(write_module, "execute", lambda *args, **kwargs: ())
    write_report(run, out)
    before = {f: f.read_bytes() for f in out.rglob("*") if f.is_file()}

    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("notebook claim.ipynb failed")

    monkeypatch.setattr(write_module, "execute", fail)
    with pytest.raises(RuntimeError, match="failed"):
        write_report(run, out)
    assert {f: f.read_bytes() for f in out.rglob("*") if f.is_file()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


# ---------------------------------------------------------------- notebooks


def test_notebooks_hold_no_numbers_and_no_outputs() -> None:
    for name, notebook in read_notebooks(ROOT / "notebooks").items():
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            assert cell.outputs == []
            if "parameters" in cell.metadata.get("tags", []):
                continue
            numbers = [
                node.value
                for node in ast.walk(ast.parse(cell.source))
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
            ]
            assert numbers == [], name
            assert len(cell.source.splitlines()) <= 9, "code belongs in claims/harness/notebook.py"


def test_notebooks_are_found_in_a_checkout_and_once_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notebooks_folder() == ROOT / "notebooks"
    # As from a wheel: nothing beside the packages, the data files below the prefix.
    elsewhere = tmp_path / "site-packages" / "claims" / "harness" / "run" / "provenance.py"
    monkeypatch.setattr(provenance, "__file__", str(elsewhere))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "prefix"))
    with pytest.raises(ValueError, match="reinstall dpclaims"):
        notebooks_folder()
    installed = tmp_path / "prefix" / "share" / "dpclaims" / "notebooks"
    shutil.copytree(ROOT / "notebooks", installed)
    assert notebooks_folder() == installed


# ---------------------------------------------------------------- mathematics and figures


def said(claim: Claim) -> list[str]:
    """What a finding says."""
    found = claim.finding
    return [] if found is None else [found.what, found.favour, found.survives]


def test_every_statement_of_the_catalogue_is_rendered() -> None:
    from claims.harness.report.mathematics import docstring_to_html, markdown_to_html

    for claim in load():
        for text in (claim.statement, claim.summary, claim.title, claim.doc, *said(claim)):
            shown = docstring_to_html(text) if text is claim.doc else markdown_to_html(text)
            # A formula that cannot be converted is shown as its source, in this element.
            assert 'class="tex"' not in shown, f"{claim.id}: {shown}"
            assert "mathvariant" not in shown  # browsers pay no heed to it
            for formula in re.findall(r"<math.*?</math>", shown, re.DOTALL):
                ElementTree.fromstring(formula)


def test_formulas_become_mathml_and_raw_html_does_not_pass() -> None:
    from claims.harness.report.mathematics import inline_html, markdown_to_html

    shown = markdown_to_html(
        "If $x_1\n< x_2$, `$5` and \\$6 hold.\n\n$$\\sum_{i=1}^n x_i$$\n\n<script>alert(1)</script>"
    )
    assert shown.count("<math") == 2
    assert 'display="block"' in shown
    assert "<code>$5</code> and $6 hold" in shown
    assert "<script>" not in shown
    assert inline_html("$5 or $6") == "$5 or $6"
    assert "<b>" not in inline_html("<b>$x$</b>")


ROWS = pd.DataFrame(
    {
        "n": [10, 100, 1000] * 2,
        "kind": ["a"] * 3 + ["b"] * 3,
        "risk": [1.0, 0.1, 0.01, 3.0, 0.3, 0.0],
        "claimed": [2.0, 0.2, 0.02] * 2,
        "chunk": 0,
    }
)
SLOPE = Evidence(
    quantity="exponent of n", estimate=-1.0, low=-1.1, high=-0.9, confidence=0.99, method="tost",
    claimed=-1.0, axis="n",
)  # fmt: skip


def plot(**changes: Any) -> Plot:
    values: dict[str, Any] = {
        "kind": "curve", "title": "T", "x": "n", "y": "risk", "x_label": "n", "y_label": "r",
    }  # fmt: skip
    return Plot(**(values | changes))


@pytest.mark.parametrize("kind", ["curve", "loglog"])
@pytest.mark.parametrize("series", [None, "kind"])
def test_every_kind_of_plot_is_drawn(kind: str, series: str | None) -> None:
    drawn = draw(plot(kind=kind, claimed="claimed", series=series), ROWS, [SLOPE])
    picture = ElementTree.fromstring(drawn.svg)
    assert picture.tag.endswith("svg")
    assert INK in drawn.svg
    if kind == "loglog":
        assert "[−1.1, −0.9] are the claim’s evidence" in drawn.caption
        # The zero cannot stand on a logarithmic axis, and the reader is told.
        assert "1 row is not drawn" in drawn.caption
    again = draw(plot(kind=kind, claimed="claimed", series=series), ROWS, [SLOPE])
    assert again.svg == drawn.svg


def test_rows_of_equal_abscissa_are_averaged() -> None:
    from claims.harness.report.plots import _lines

    found = _lines(plot(), ROWS)
    assert found.lines[0].values("risk") == pytest.approx([2.0, 0.2, 0.005])
    assert "Averages over rows of equal abscissa" in found.note
    found = _lines(plot(series="kind", select={"n": 10.0}), ROWS)
    assert [line.values("risk").tolist() for line in found.lines] == [[1.0], [3.0]]
    assert found.note == ""
    # Names as abscissae stand in the order of the rows, at the same place for every series.
    found = _lines(plot(x="kind", series="n", select={"kind": "b"}), ROWS)
    assert (list(found.names), [line.x.tolist() for line in found.lines]) == (["b"], [[0.0], [0.0], [0.0]])


def test_a_plot_that_names_what_is_not_there_says_so() -> None:
    with pytest.raises(ValueError, match="plot 'T': no column 'rick'; the rows have 'n', 'kind', 'risk'"):
        draw(plot(y="rick"), ROWS)
    with pytest.raises(ValueError, match="column 'kind' must hold numbers"):
        draw(plot(y="kind"), ROWS)
    with pytest.raises(ValueError, match="kind must be one of curve, loglog, got 'pie'"):
        draw(plot(kind="pie"), ROWS)
    with pytest.raises(NoRowsError, match="no row with n\u00a0=\u00a07"):
        draw(plot(y="of another tier", select={"n": 7}), ROWS)
    with pytest.raises(ValueError, match="no column 'm'"):
        draw(plot(select={"m": 7}), ROWS)


def test_plots_are_drawn_few_points_are_a_table_and_a_broken_plot_is_named() -> None:
    claim = make_claim(
        "bound",
        confirmed,
        expected=Verdict.CONFIRMED,
        plots=(plot(), plot(x="kind", title="Two"), plot(y="rick", title="Broken"), plot(select={"n": 7})),
    )
    drawn, table, broken = pictures_of(claim, (), ROWS)
    assert 'role="img" aria-label="T"' in drawn.svg
    assert (table.svg, list(table.head), len(table.rows)) == ("", ["n", "r"], 2)
    assert broken.problem.startswith("Not drawn: plot 'Broken': no column 'rick'")


def test_every_plot_of_the_catalogue_names_columns_that_its_axes_allow() -> None:
    """A claim that is decided point by point has the columns of its evidence and its axes."""
    for claim in load():
        axes = {a for tier in ("smoke", "ci", "full") for p in claim.tier(tier).points for a in p}
        for each in claim.plots:
            if claim.check is not None:
                known = axes | {"quantity", "value", "low", "high", "claimed", "chunk", "trials"}
                assert {each.y} <= known, f"{claim.id}: {each.title}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('File "/opt/lib/python3.11/site-packages/x/y.py"', 'File "site-packages/x/y.py"'),
        ('File "/tmp/pytest-0/claims/a/claims/b/c.py"', 'File "claims/b/c.py"'),
        ('File "C:\\Users\\ann\\audits\\rates.py"', 'File "audits/rates.py"'),
        ("1/n, a/b/c, |x|/y/z, and/or, a / b / c", "1/n, a/b/c, |x|/y/z, and/or, a / b / c"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
        ("open('/root/my data/x.gz'): no", "open('…/x.gz'): no"),
        ("in /root/x", "in …/x"),
    ],
)
def test_paths_of_the_machine_are_shortened(text: str, shown: str) -> None:
    assert hide_paths(text) == shown


def test_a_refutation_shows_the_digits_that_refute() -> None:
    piece = at_most("δ", 1.0000123, 1.0)
    assert estimate_text(piece, 4) == "1.00001"
    assert estimate_text(reported("δ", 1.0000123, claimed=1.0), 4) == "1"


# ---------------------------------------------------------------- as a command


@pytest.mark.slow
def test_no_home_and_no_kernel_need_be_installed(workplace: Path, tmp_path: Path) -> None:
    """A home that cannot be written, and a Jupyter that knows of no kernel."""
    nowhere = {"HOME": "/proc/nobody", "JUPYTER_PATH": "", "JUPYTER_DATA_DIR": "/proc/nobody/jupyter"}
    nowhere |= {"XDG_CACHE_HOME": "/proc/nobody/cache", "XDG_CONFIG_HOME": "/proc/nobody/config"}
    command = ["report", "--run", "reports/runs/trial", "--out", str(tmp_path / "site")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "dpclaims.py"), *command],
        cwd=workplace,
        env=os.environ | nowhere | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'site' / 'index.html'}\n"
    assert "warning" not in done.stderr.lower()
