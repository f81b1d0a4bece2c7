"""README and documentation: what they show is what commands print, links lead somewhere, the site builds."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests import shown

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
TEXTS = [README, *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
# In places that no page makes: pages that `docs/site.py` makes when the site is built.
MADE = {"reference/commands.md", "reference/python.md", "contributing.md", "security.md", "changes.md"}
MADE |= {"libraries.md", "findings.md"}


@pytest.fixture
def site(monkeypatch) -> ModuleType:
    """The module docs/site.py, which makes pages."""
    pytest.importorskip("mkdocs", reason="the documentation needs the extra `docs`")
    pytest.importorskip("griffe", reason="the documentation needs the extra `docs`")
    spec = importlib.util.spec_from_file_location("documentation_site", ROOT / "docs" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_fits_a_screen_or_four():
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 200


def test_output_in_the_readme_has_at_most_a_hundred_characters_a_line():
    blocks = [m["body"] for m in shown._BLOCK.finditer(README.read_text(encoding="utf-8"))]
    assert len(blocks) >= 5
    assert [line for body in blocks for line in body.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("text", TEXTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(text):
    pages = {str((ROOT / "docs" / page).resolve()) for page in MADE}
    missing = [
        link
        for link in _LINK.findall(re.sub(r"```.*?```", "", text.read_text(encoding="utf-8"), flags=re.S))
        if not (text.parent / link).exists() and str((text.parent / link).resolve()) not in pages
    ]
    assert missing == []


@pytest.mark.slow
@pytest.mark.parametrize("page", shown.PAGES)
def test_pages_show_what_commands_print(page):
    """Times and names of run folders may differ; `python -m tests.shown --update` writes the rest again."""
    assert shown.differences((ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("$ echo a\na\n", []),
        ("$ echo a\nb\n", ["$ echo a\nshown:\nb\ntoday:\na"]),
        ("$ echo took 1.5 s\ntook 27 s\n", []),
        ("$ printf 'a\\nb\\nc\\n'\na\nb\n…\n", []),
        ("$ cat notes.txt\nwritten\n", []),
    ],
)
def test_differences_are_seen(body, expected):
    text = f'```text title="notes.txt"\nwritten\n```\n\n```console\n{body}```\n'
    assert shown.differences(text) == expected


def test_a_command_that_is_no_answer_is_an_error():
    with pytest.raises(ValueError, match="exit status 2"):
        shown.differences("```console\n$ dpclaims show nothing/at-all\n```\n")


def test_updating_keeps_what_is_the_same_and_how_much_is_shown():
    text = "A.\n\n```console\n$ echo 1 s\n2 s\n\n$ printf 'a\\nb\\n'\nx\n…\n```\n\nB.\n"
    assert shown.updated(text) == text.replace("x\n…", "a\n…")


def test_every_command_and_option_is_documented(site):
    page = site.commands()
    for command in ("list", "show", "run", "audit", "trace", "rates", "mutants", "check", "new", "report"):
        assert f"## dpclaims {command}\n" in page
    for option in ("--max-samples", "--claims DIR", "--mechanical", "--csv", "--primitive"):
        assert f"`{option}" in page


def test_every_public_name_is_documented(site):
    import audits
    import claims

    page = site.names()
    verdicts = {"CONFIRMED", "CONSISTENT", "REFUTED", "INCONCLUSIVE"}
    missing = [n for n in {*audits.HOMES, *claims.HOMES} - verdicts if f".{n}\n" not in page]
    assert missing == []


def test_examples_in_docstrings_are_code_and_lists_are_lists(site):
    found = site.as_markdown("One.\n\na, b  two\n      numbers\n\n>>> 1 + 1\n2")
    assert found == "One.\n\n* `a, b`: two\n  numbers\n\n```pycon\n>>> 1 + 1\n2\n```"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The documentation as a site, built as `make docs` does it."""
    pytest.importorskip("material", reason="the documentation needs the extra `docs`")
    pytest.importorskip("mkdocstrings", reason="the documentation needs the extra `docs`")
    folder = tmp_path_factory.mktemp("documentation")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


@pytest.mark.slow
def test_the_search_finds_where_the_site_is_opened_as_files(built):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto((built / "index.html").as_uri())
        page.locator(".md-search__input").click()
        page.keyboard.type("hockey stick")
        found = page.locator(".md-search-result__item a").first
        found.wait_for(timeout=60_000)
        assert "reference/" in str(found.get_attribute("href"))
        browser.close()


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_without_network(built):
    pages = list(built.rglob("*.html"))
    assert len(pages) > 25
    loads = re.compile(r'<(?:script|img|iframe|source)[^>]* src="https?:|<link[^>]* href="https?:')
    for page in pages:
        html = page.read_text(encoding="utf-8")
        found = [m[0] for m in loads.finditer(html) if 'rel="canonical"' not in m[0]]
        assert found == [], page
        assert "\ue000" not in html, page


@pytest.mark.slow
def test_the_picture_is_drawn_from_the_laws(tmp_path):
    """The curves of the private algorithms end at ε = 1, that of Algorithm 4 at (1 + 6·3)/4."""
    pytest.importorskip("matplotlib", reason="the picture needs the extra `report`")
    program = (
        "import json, runpy; found = runpy.run_path('docs/picture.py');"
        "print(json.dumps({name[0]: of(200) for name, of in found['curves']().items()}));"
        f"found['draw'](__import__('pathlib').Path({str(tmp_path)!r}) / 'picture.svg')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ends = json.loads(done.stdout)
    assert ends["1"] == pytest.approx(1.0, abs=1e-3)
    assert ends["2"] == pytest.approx(1.0, abs=1e-3)
    assert ends["3"] == pytest.approx(198.0 / 6.0, rel=1e-9)
    assert ends["4"] == pytest.approx(19.0 / 4.0, rel=1e-3)
    assert ends["6"] >= 50.0
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8").count("Stoddard") == 1


def test_the_citation_names_the_version_that_is_released():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = dict(re.findall(r"^([\w-]+): (\S.*)$", text, re.M))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert found["version"] == project["version"]
    assert found["license"] == project["license"]
    assert {"cff-version", "message", "title"} <= found.keys()
