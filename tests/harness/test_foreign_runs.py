"""A run folder from somebody else is data: it names no path outside, and runs nothing."""

from __future__ import annotations

import hashlib
import html
import json
from pathlib import Path

import pytest

from claims.harness.commands.printed import harmless
from claims.harness.discover import Catalogue
from claims.harness.ids import check_id
from claims.harness.report import write
from claims.harness.report.mathematics import inline_html, markdown_to_html
from claims.harness.report.write import write_report
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import claim_folder, read_run
from tests.harness.synthetic import Tags, claim

EVIL_IDS = [
    "../../x", "/x", "song2021/../../../x", "song2021/..", "demo/x/../../y", "demo/.", "demo/x\\..\\y",
    "demo",
    "demo/x y", "demo/x\n", "demo/x\x00", "demo/<b>", 'demo/x"onload="1', "index/x", "suite/x", "releases/x",
    "demo/x:../y", "demo/x:", "", "demo/" + "x" * 300, 7, None,
]  # fmt: skip
MARKUP = '<meta http-equiv="refresh" content="0;url=http://x.test/"><form action="http://x.test/"><script>1</script>'
IMAGE = "![seen](http://x.test/image.png)"
LATEX = [
    rf"$\text{{{MARKUP}}}$", r"$\href{javascript:alert(1)}{x}$", r"$\style{background:url(http://x.test)}{x}$",
    rf'$\class{{"{MARKUP}}}{{x}}$', rf'$\textcolor{{"{MARKUP}}}{{x}}$', rf"$x_{{{MARKUP}}}$",
    r"$\text{<![CDATA[<form>]]>}$", r"$\text{<!--><form>-->}$", r"$\text{<mi onclick='x()'>a</mi>}$",
]  # fmt: skip
HUGE = 10**400
FORBIDDEN = {"script", "form", "iframe", "object", "embed", "base", "link", "input", "button", "img", "a"}
"""What no text of a run folder may become on a page."""


def _run(folder, claims=None, **settings):
    return run_claims(claims or [claim()], Settings(tier="smoke", **settings), out=folder)


def _edit(file: Path, change) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


def _forge(run: Path, change) -> None:
    """Change the stored result of demo/theorem-1 and make its manifest fit, as anybody can."""
    folder = claim_folder(run, "demo/theorem-1")
    _edit(folder / "result.json", change)
    digest = hashlib.sha256((folder / "result.json").read_bytes()).hexdigest()
    _edit(folder / "manifest.json", lambda m: m["sha256"].update({"result.json": digest}))


# ---------------------------------------------------------------- ids and fields

PROVENANCE = [
    *(("claims", [evil]) for evil in EVIL_IDS),
    ("seed", MARKUP), ("tier", MARKUP), ("alpha", MARKUP), ("alpha", 2.0), ("alpha_per_claim", None),
    ("alpha", HUGE), ("alpha", "x" * 10**5), ("alpha_per_claim", HUGE),
]  # fmt: skip
RESULTS = [
    ("kind", MARKUP), ("resolution", [1]), ("evidence", MARKUP), ("evidence", 1), ("verdict", MARKUP),
    ("expected", MARKUP), ("alpha_spent", None), ("id", "demo/other"), ("rests_on", ["../x"]),
    ("finding", {"what": 1}), ("alpha_spent", HUGE), ("alpha_spent", True), ("resolution", -HUGE),
]  # fmt: skip
EVIDENCE = [
    ("samples", MARKUP), ("confidence", "1"), ("low", {}), ("samples", HUGE), ("samples", -1),
    ("samples", True),
    *((name, HUGE) for name in ("estimate", "low", "high", "confidence", "alpha_spent", "claimed")),
    *((name, -HUGE) for name in ("resolution", "standard_error", "degrees_of_freedom")),
]  # fmt: skip


def test_ids_that_lead_elsewhere_and_numbers_that_are_none_are_refused(tmp_path):
    pytest.importorskip("papermill")
    for evil in EVIL_IDS:
        with pytest.raises(ValueError, match="id must look like"):
            check_id(evil)
    run = tmp_path / "in" / "run"
    _run(run)
    kept = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}

    def refused(words: str, read=read_run) -> None:
        with pytest.raises(ValueError, match=words) as caught:
            read(run)
        assert len(str(caught.value)) < 500
        assert {file for file in tmp_path.rglob("*") if file.is_file()} == set(kept)
        for file, content in kept.items():
            file.write_bytes(content)

    for field, value in PROVENANCE:
        for read in (read_run, lambda run: write_report(run, tmp_path / "in" / "out")):
            _edit(run / "provenance.json", lambda p, new={field: value}: p.update(new))
            refused(r"provenance\.json", read)
    for field, value in RESULTS:
        _forge(run, lambda r, new={field: value}: r.update(new))
        refused("theorem-1")
    for field, value in EVIDENCE:
        _forge(run, lambda r, new={field: value}: r["evidence"][0].update(new))
        refused("theorem-1")


# ---------------------------------------------------------------- pages


@pytest.mark.parametrize("text", [MARKUP, *LATEX])
def test_no_text_becomes_an_element_that_acts(text):
    for tag, attributes in Tags(inline_html(text)).tags:
        assert tag not in FORBIDDEN | {"meta"}
        assert not {name for name in attributes if name in ("href", "style", "src") or name.startswith("on")}


def test_an_image_from_elsewhere_is_its_description():
    assert Tags(markdown_to_html(IMAGE)).tags == [("p", {})]


def test_a_run_full_of_markup_makes_a_harmless_site(tmp_path, monkeypatch):
    pytest.importorskip("papermill")
    known = Catalogue(claims=(claim(),), papers=(), problems=(), folders=())
    monkeypatch.setattr(write, "discover", lambda: known)

    def evil(result):
        result["evidence"][0].update(quantity=MARKUP + LATEX[0], note=MARKUP + LATEX[1], method=MARKUP)
        result["evidence"][0]["point"] = {MARKUP: MARKUP}

    _run(tmp_path / "runs" / "run")
    _forge(tmp_path / "runs" / "run", evil)

    def more(provenance):
        provenance["versions"] = {MARKUP: MARKUP}
        provenance["machine"] = {"system": MARKUP, "cores": MARKUP}
        provenance["data"] = {"name": MARKUP, "sha256": MARKUP}
        provenance["started"] = MARKUP

    _edit(tmp_path / "runs" / "run" / "provenance.json", more)
    # Modules beside the run, by the names of those that the notebooks import.
    for name in ("claims", "json", "pandas", "latex2mathml", "sitecustomize", "numpy"):
        (tmp_path / "runs" / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    index = write_report(tmp_path / "runs" / "run", tmp_path / "site")
    assert not (tmp_path / "executed").exists()
    pages = list(index.parent.rglob("*.html"))
    assert len(pages) == 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "x.test" in text or page.name.startswith(("demo.", "suite."))
        found = Tags(text).tags
        assert [a.get("http-equiv") for t, a in found if t == "meta" and "http-equiv" in a] == [
            "Content-Security-Policy"
        ]
        own = {"script", "input"} if page.name == "index.html" else set()  # the search
        assert [t for t, _ in found if t in own] in ([], ["input", "script"])
        for tag, attributes in found:
            assert tag not in FORBIDDEN - {"a", "link"} - own
            assert not any(name.startswith("on") for name in attributes)
            assert "x.test" not in (attributes.get("href") or "")
        assert "form-action 'none'" in html.unescape(text)


# ---------------------------------------------------------------- what is printed

ESCAPES = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\r",
    "\x9b31m",
    "\x08",
    "\x7f",
    "\u202e",
    "\u2066",
    "\x1b[8m",
    "\x00",
]


def test_control_characters_are_shown_and_do_nothing():
    for evil in ESCAPES:
        for colours in (False, True):
            shown = harmless(f"a{evil}b", colours=colours)
            assert not any(sign in shown for sign in evil if not sign.isprintable())
        assert json.loads(harmless(json.dumps(f"a{evil}b", ensure_ascii=False))) == f"a{evil}b"
    # Colours of the program's own words stay on a terminal.
    assert harmless("\x1b[1;31mREFUTED\x1b[0m\n\tx", colours=True) == "\x1b[1;31mREFUTED\x1b[0m\n\tx"


def test_compare_and_messages_print_no_control_character(tmp_path, dpclaims):
    _run(tmp_path / "a")
    _run(tmp_path / "b", seed=1)
    name = "mean\x1b[2J\x1b]0;owned\x07\r\x9b8m"
    for run in ("a", "b"):
        _forge(tmp_path / run, lambda r: r["evidence"][1].update(quantity=name))
    status, out, err = dpclaims("compare", str(tmp_path / "a"), str(tmp_path / "b"))
    assert status == 0
    assert "mean" in out
    assert "\\u001b]0;owned" in out
    printed = [out, err]
    status, out, err = dpclaims("compare", str(tmp_path / "a"), str(tmp_path / "\x1b[2J\rno"))
    assert status == 2
    printed += [out, err]
    status, out, err = dpclaims("compare", str(tmp_path / "a"), str(tmp_path / "b"), "--json")
    assert json.loads(out)["evidence"][0]["quantity"] == name
    for text in [*printed, out, err]:
        assert not [sign for sign in text if not sign.isprintable() and sign != "\n"]
