"""The site in a browser: formulas, the search, no error, no obstacle for readers with a screen reader.

Chromium comes from the machine (Debian's package, or one in CHROMIUM); without one the tests are skipped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claims.harness.discover import load
from claims.harness.report.write import write_report
from claims.harness.run.runner import Settings, run_claims

pytest.importorskip("papermill")
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine"),
]
PATTERNS = ("song2021/lemma-b.*", "song2021/theorem-2.6", "song2021/footnote-4", "controls/*")
PAGES = (
    "index.html", "song2021.html", "errata/song2021.html", "song2021/theorem-2.6.html",
    "song2021/lemma-b.2.html", "song2021/lemma-b.2.notebook.html", "suite.notebook.html",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("browser")
    chosen = load(*PATTERNS)
    run_claims(chosen, Settings(tier="smoke"), out=place / "runs" / "run")
    return write_report(place / "runs" / "run", place / "site").parent


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def visit(browser: Any, file: Path, **options: Any) -> tuple[Any, list[str]]:
    """A page that shows the file, and what its console said so far and will say."""
    said: list[str] = []
    page = browser.new_context(**options).new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    page.goto(file.as_uri())
    return page, said


def test_formulas_are_letters_in_the_font_of_the_site(browser: Any, site: Path) -> None:
    for name in PAGES:
        page, said = visit(browser, site / name)
        page.evaluate("document.fonts.ready")
        assert said == [], name
        assert page.locator("[mathvariant]").count() == 0
        if page.locator("math").count():
            assert page.evaluate("[...document.fonts].map(font => font.status)") == ["loaded"], name
        page.context.close()
    page, _ = visit(browser, site / "song2021" / "theorem-2.6.html")
    assert page.locator("msqrt, msup, msub").count() > 3


def test_the_search_and_the_filters_choose_rows(browser: Any, site: Path) -> None:
    page, said = visit(browser, site / "index.html")
    rows = page.locator("#catalogue-table tbody tr")
    every = rows.count()

    def shown() -> list[str]:
        found = [rows.nth(k).locator("a").inner_text() for k in range(every) if rows.nth(k).is_visible()]
        assert page.locator("#shown").inner_text() == f"{len(found)} of {every}"
        return found

    assert len(shown()) == every > 3
    page.fill("#words", "theorem 2.6")
    assert shown() == ["Theorem 2.6"]
    page.fill("#words", "")
    page.select_option('select[data-filter="standing"]', "falls")
    fallen = shown()
    assert "Theorem 2.6" in fallen
    assert len(fallen) < every
    page.select_option('select[data-filter="weight"]', "theorem")
    assert shown() == ["Theorem 2.6"]
    page.fill("#words", "nothing like it")
    assert shown() == []
    assert said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_axe_finds_nothing_and_no_page_is_wider_than_the_screen(
    browser: Any, site: Path, width: int, scheme: str
) -> None:
    for name in PAGES:
        # axe is a script, which the policy of the pages forbids.
        page, _ = visit(
            browser,
            site / name,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            bypass_csp=True,
        )
        found = axe.Axe().run(page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.context.close()


def test_the_answer_is_above_the_fold(browser: Any, site: Path) -> None:
    page, _ = visit(browser, site / "song2021" / "theorem-2.6.html", viewport={"width": 1280, "height": 900})
    assert page.locator("h1").inner_text().startswith("Theorem 2.6")
    assert page.locator(".answer .badge").inner_text() == "✗ falls"
    for chosen in (".answer", ".readings thead", ".telling figure"):
        box = page.locator(chosen).first.bounding_box()
        assert box is not None
        assert box["y"] + min(box["height"], 300) < 900, chosen
