"""The report of a stored run: the notebooks, executed, and a site of their pages.

    reports/<run>/index.html                              what was found, and every result
                  <paper>.html                            one paper
                  errata/<paper>.html                     the remarks on it
                  <paper>/<result>.html                   one printed result with all of its readings
                  suite.ipynb  <paper>.ipynb  <paper>/<result>.ipynb   the notebooks, executed
                  ….notebook.html                         the same, to read
                  mathematics.woff2                       the font of formulas
                  report.json                             what belongs to the report

The folder appears by one rename: a report that is killed leaves the one before, or none.
"""

from __future__ import annotations

import html
import importlib.util
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from claims.harness.closure import changed_since
from claims.harness.discover import discover
from claims.harness.places import RUNS
from claims.harness.report.notebooks import Job, execute, exporter, notebooks_folder, read_notebooks
from claims.harness.report.pages import TOP, Site, errata_page, index_page, paper_page, result_page
from claims.harness.report.shown import results_of
from claims.harness.report.site import FONT, HERE, Page, fill
from claims.harness.run.provenance import EXTRAS
from claims.harness.run.result import RunResult
from claims.harness.run.serialise import dumps, read_json
from claims.harness.run.store import latest_run, read_run
from claims.harness.run.temporary import put_in_place, temporary_name

FORMAT = "dpclaims-report/1"
MANIFEST = "report.json"


def write_report(
    run_folder: Path | None,
    out: Path | None,
    *,
    jobs: int = 1,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Execute the notebooks on a stored run and write the site.

    run_folder  the run; by default the newest below reports/runs.
    out         where the site goes; by default reports/<name of the run>. A report that is there is replaced.
    jobs        worker processes.
    say         called with each line of progress.

    Returns the path of the site's index.html. Raises ValueError, before anything is executed, where the
    libraries of the report are missing, the folder is no finished run, or `out` holds files that are not a
    report's; NotebookFailed where a notebook fails.
    """
    _check_installed()
    if jobs < 1:
        raise ValueError(f"jobs must be ≥ 1, got {jobs}")
    if run_folder is None:
        run_folder = latest_run(RUNS)
        if run_folder is None:
            raise ValueError(
                f"there is no run below {RUNS}: `dpclaims run` makes one, --run DIR names another"
            )
        say(f"run {run_folder} (the newest; --run DIR names another)")
    run = read_run(run_folder)
    target = out or RUNS.parent / run_folder.resolve().name
    _check_target(target)
    notebooks = read_notebooks(notebooks_folder())
    site = _site(run, say)
    temporary = target.resolve().with_name(temporary_name(target.resolve().name))
    temporary.mkdir(parents=True)
    try:
        written = _fill(temporary, site, notebooks, jobs, say)
        manifest = {"format": FORMAT, "run": run_folder.resolve().name, "files": sorted([*written, MANIFEST])}
        (temporary / MANIFEST).write_text(dumps(manifest), encoding="utf-8")
        put_in_place(temporary, target.resolve())
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target / "index.html"


def _check_installed() -> None:
    if missing := [name for name in EXTRAS["report"] if importlib.util.find_spec(name) is None]:
        raise ValueError(
            f"the report needs {', '.join(missing)}: pip install '.[report]' in a clone of this project"
        )


def _check_target(target: Path) -> None:
    """Refuse a folder that holds anything but a report of ours."""
    if target.exists() and not target.is_dir():
        raise ValueError(f"--out {str(target)!r} is a file; name a folder")
    if not target.is_dir() or not any(target.iterdir()):
        return
    if not (target / MANIFEST).is_file():
        raise ValueError(f"--out {str(target)!r} holds other files and is not a report; name a new folder")
    listed = read_json(target / MANIFEST)["files"]
    present = {f.relative_to(target).as_posix() for f in target.rglob("*") if not f.is_dir()}
    if foreign := sorted(present - set(listed)):
        raise ValueError(
            f"--out {str(target)!r} holds files that are not the report's ({', '.join(foreign[:3])}); "
            "move them or name a new folder"
        )


def _site(run: RunResult, say: Callable[[str], None]) -> Site:
    catalogue = {claim.id: claim for claim in discover().claims}
    for unknown in [r.id for r in run.claims if r.id not in catalogue]:
        say(f"left out: {unknown} is no claim today; --claims DIR names folders of other people's papers")
    return Site(
        run=run,
        results=results_of(run, catalogue),
        catalogue=catalogue,
        changed=changed_since(
            run.provenance.get("sources", {}), {name: claim.module for name, claim in catalogue.items()}
        ),
    )


def _fill(
    folder: Path,
    site: Site,
    notebooks: Mapping[str, Any],
    workers: int,
    say: Callable[[str], None],
) -> list[str]:
    """Execute every notebook of the run and write notebooks and pages; returns the files, relative."""
    import nbformat
    from markupsafe import Markup

    jobs = plan(site)
    written: dict[str, None] = {}
    finished = 0

    def put(path: str, text: str) -> None:
        if path in written:
            raise ValueError(f"two pages of the site would be {path}: rename a claim")
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        written[path] = None
        for line in problems(text) if path.endswith(".html") else []:
            say(f"warning: {path}: {line}")

    try:
        to_html = exporter()
        executed = execute(jobs, notebooks, run=site.run.folder.resolve(), workers=workers)
        for finished, (job, notebook) in enumerate(executed, 1):
            title = "The run as a notebook" if job.path == "suite" else f"{job.path} as a notebook"
            page = Page(title=title, path=f"{job.path}.notebook.html", trail=(TOP, *_above(job.path)))
            put(page.path, fill("notebook.html.j2", page, job=job, body=Markup(to_html(notebook))))
            put(f"{job.path}.ipynb", nbformat.writes(notebook) + "\n")
            if finished == len(jobs) or finished % 10 == 0:
                say(f"[{finished}/{len(jobs)}] notebooks")
    except BaseException as stop:
        stop.add_note(f"{finished} of {len(jobs)} notebooks were executed, the report is as it was")
        raise
    for path, text in site_pages(site):
        put(path, text)
    (folder / FONT).write_bytes((HERE / "fonts" / FONT).read_bytes())
    return [*written, FONT]


def _above(path: str) -> list[tuple[str, str]]:
    """What a notebook's page stands below: the page that it was executed for."""
    return [] if path == "suite" else [(path, f"{path}.html")]


def site_pages(site: Site) -> Iterator[tuple[str, str]]:
    """Every page of the site but the notebooks', by its path."""
    home = Page(title="All results", path="index.html")
    yield home.path, index_page(site, home)
    for paper in site.papers:
        page = Page(title=paper, path=f"{paper}.html", trail=(TOP,))
        yield page.path, paper_page(site, page, paper)
        if paper in site.errata:
            trail = (TOP, (paper, f"{paper}.html"))
            page = Page(title="Errata", path=f"errata/{paper}.html", trail=trail)
            yield page.path, errata_page(site, page, paper)
    for result in site.results:
        trail = (TOP, (result.paper, f"{result.paper}.html"))
        page = Page(title=result.heading, path=f"{result.id}.html", trail=trail)
        yield page.path, result_page(site, page, result)


def problems(page: str) -> list[str]:
    """What a page could not show, and what its notebook printed: warnings, mostly."""
    found = re.findall(r'<(?:p class="problem"|pre class="stream")[^>]*>(.*?)</p', page, re.DOTALL)
    return [html.unescape(text).strip() for text in found]


def plan(site: Site) -> list[Job]:
    """The notebooks to execute: the run, each paper, and of each result the statement as printed."""
    made = site.run.provenance
    same = {"tier": made["tier"], "seed": made["seed"], "alpha": made["alpha"]} if made else {}
    jobs = [Job(notebook="suite", parameters=same, path="suite")]
    for paper in site.papers:
        jobs.append(Job(notebook="paper", parameters={"paper": paper, **same}, path=paper))
    for result in site.results:
        if claim := site.computed(result):
            jobs.append(Job(notebook="claim", parameters={"claim": claim, **same}, path=result.id))
    return jobs
