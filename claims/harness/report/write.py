"""The report of a stored run: the notebooks, executed, and a site of their pages.

    reports/<run>/index.html  suite.ipynb                  the whole run
                  <paper>.html  <paper>.ipynb              one paper
                  <paper>/<result>.html  <result>.ipynb    one claim
                  releases.html  releases/<finding>.html   released libraries, where the benchmark has a table
                  report.json                              what belongs to the report

The folder appears by one rename: a report that is killed leaves the one before, or none.
"""

from __future__ import annotations

import html
import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from claims.harness.places import RUNS
from claims.harness.report.notebooks import (
    NOTEBOOKS,
    Job,
    check_parameters,
    execute,
    notebooks_folder,
    read_notebooks,
)
from claims.harness.report.pages import page_path, paper_of
from claims.harness.report.releases import PATH, TITLE, release_pages
from claims.harness.report.site import Page, render
from claims.harness.run.result import RunResult
from claims.harness.run.serialise import dumps, read_json
from claims.harness.run.store import inside, latest_run, read_run, remove
from claims.harness.run.temporary import is_abandoned, temporary_name

FORMAT = "dpclaims-report/1"
MANIFEST = "report.json"
_REPORT = ".report"
"""How the names of a report's temporary folders end."""
_NEEDED = ("ipykernel", "latex2mathml", "matplotlib", "nbformat", "mistune", "papermill")
_SET_BY_REPORT = {"suite": ("run",), "paper": ("run", "paper"), "claim": ("run", "claim")}


def write_report(
    run_folder: Path | None,
    out: Path | None,
    *,
    parameters: Mapping[str, Any] | None = None,
    jobs: int = 1,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Execute the notebooks on a stored run and write the site.

    run_folder  the run; by default the newest below reports/runs.
    out         where the site goes; by default reports/<name of the run>. A report that is there is replaced.
    parameters  for the notebooks: each goes to every notebook that has it; text is converted to its type.
    jobs        worker kernels.
    say         called with each line of progress.

    Returns the path of the site's index.html. Raises ValueError, before anything is executed, where the
    libraries of the report are missing, the folder is no finished run, a parameter is unknown or of the wrong
    type, or `out` holds files that are not a report's; later where a notebook refuses a parameter's value.
    NotebookFailed where a notebook fails.
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
    chosen = choose_parameters(notebooks, parameters or {})
    temporary = _prepare(target)
    try:
        written = _fill(temporary, run, notebooks, chosen, jobs, say)
        manifest = {"format": FORMAT, "run": run_folder.resolve().name, "files": sorted([*written, MANIFEST])}
        (temporary / MANIFEST).write_text(dumps(manifest), encoding="utf-8")
        # Again: somebody may have put files there while the notebooks ran.
        _check_target(target)
        _publish(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target / "index.html"


def choose_parameters(
    notebooks: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Which parameters each notebook gets, in its types.

    Raises ValueError for one that no notebook has, that the report sets itself, or of a wrong type.
    """
    from claims.harness.report.notebooks import known_parameters

    known = {name: known_parameters(notebook) for name, notebook in notebooks.items()}
    free = {name: [p for p in known[name] if p not in _SET_BY_REPORT[name]] for name in notebooks}
    chosen: dict[str, dict[str, Any]] = {name: {} for name in notebooks}
    for key, value in parameters.items():
        takers = [name for name in notebooks if key in free[name]]
        if not takers:
            owned = any(key in names for names in _SET_BY_REPORT.values())
            reason = f"parameter {key!r} is set by the report" if owned else f"no parameter {key!r}"
            listed = "; ".join(f"{name}.ipynb has {', '.join(map(repr, free[name]))}" for name in NOTEBOOKS)
            raise ValueError(f"notebooks suite, paper and claim: {reason}; {listed}")
        for name in takers:
            chosen[name] |= check_parameters(name, notebooks[name], {key: value})
    return chosen


def _check_installed() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ValueError(f"the report needs {', '.join(missing)}: pip install 'dpclaims[report]'")


def _check_target(target: Path) -> None:
    """Refuse a folder that holds anything but a report of ours."""
    if target.exists() and not target.is_dir():
        raise ValueError(f"--out {str(target)!r} is a file; name a folder")
    if not target.is_dir() or not any(target.iterdir()):
        return
    if not (target / MANIFEST).is_file():
        raise ValueError(f"--out {str(target)!r} holds other files and is not a report; name a new folder")
    manifest = read_json(target / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError(f"{target / MANIFEST}: not written by this version of dpclaims ({FORMAT})")
    files = manifest.get("files")
    if not isinstance(files, list) or not all(isinstance(name, str) for name in files):
        raise ValueError(f"{target / MANIFEST}: it lists no files")
    present = {f.relative_to(target).as_posix() for f in target.rglob("*") if not f.is_dir()}
    if foreign := sorted(present - set(files)):
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        raise ValueError(
            f"--out {str(target)!r} holds files that are not the report's ({', '.join(foreign[:3])}{more}); "
            "move them or name a new folder"
        )


def _prepare(target: Path) -> Path:
    """A new folder beside the target, on the same file system; those of killed reports are removed."""
    place = target.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        for left in place.parent.glob(f".*-{place.name}{_REPORT}*"):
            if is_abandoned(left):
                remove(left)
        temporary = place.with_name(temporary_name(place.name + _REPORT))
        temporary.mkdir()
    except OSError as error:
        raise ValueError(f"--out {str(target)!r} cannot be written: {error.strerror}") from error
    return temporary


def _publish(temporary: Path, target: Path) -> None:
    place = target.resolve()
    if not place.exists():
        os.rename(temporary, place)
        return
    # A directory that is not empty cannot be renamed onto: the old report makes way for an instant.
    old = temporary.with_name(temporary.name + "-old")
    os.rename(place, old)
    os.rename(temporary, place)
    shutil.rmtree(old, ignore_errors=True)


def _fill(
    folder: Path,
    run: RunResult,
    notebooks: Mapping[str, Any],
    chosen: Mapping[str, Mapping[str, Any]],
    workers: int,
    say: Callable[[str], None],
) -> list[str]:
    """Execute every notebook of the run and write notebooks and pages; returns the files, relative."""
    import nbformat

    name = run.folder.resolve().name
    jobs, pages = plan(run, name, chosen)
    releases = release_pages()
    if releases:
        link = ("next", TITLE, PATH)
        pages["suite"] = replace(pages["suite"], near=(*pages["suite"].near, link))
    written: list[str] = []
    finished = 0

    def put(path: str, text: str) -> None:
        file = inside(folder, folder / path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        written.append(path)

    def done(job: Job, notebook: Any) -> None:
        nonlocal finished
        page = pages[job.path]
        contents = {
            page.path: render(page, notebook),
            f"{job.path}.ipynb": nbformat.writes(notebook) + "\n",
        }
        for path, text in contents.items():
            put(path, text)
        finished += 1
        for line in problems(contents[page.path]):
            say(f"warning: {job.path}: {line}")
        if finished == len(jobs) or finished % 10 == 0:
            say(f"[{finished}/{len(jobs)}] notebooks")

    for path, text in releases.items():
        put(path, text)
    try:
        execute(jobs, notebooks, folder=run.folder.resolve().parent, workers=workers, done=done)
    except BaseException as stop:
        stop.add_note(f"{finished} of {len(jobs)} notebooks were executed, the report is as it was")
        raise
    return written


def problems(page: str) -> list[str]:
    """What a page could not show, and what its notebook printed: warnings, mostly."""
    found = re.findall(r'<(?:p class="problem"|pre class="stream")>(.*?)</p', page, re.DOTALL)
    return [html.unescape(text).strip() for text in found]


def plan(
    run: RunResult, name: str, chosen: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Job], dict[str, Page]]:
    """The notebooks to execute, and the page that each becomes, by the job's path."""
    ids: Sequence[str] = [result.id for result in run.claims]
    papers = list(dict.fromkeys(paper_of(i) for i in ids))
    top = ("All claims", "index.html")
    jobs = [Job(notebook="suite", parameters={"run": name, **chosen["suite"]}, path="suite")]
    pages = {"suite": Page(title="All claims", path="index.html")}
    for index, paper in enumerate(papers):
        parameters = {"run": name, "paper": paper, **chosen["paper"]}
        jobs.append(Job(notebook="paper", parameters=parameters, path=paper))
        near = _near([(p, f"{p}.html") for p in papers], index)
        pages[paper] = Page(title=paper, path=f"{paper}.html", trail=(top,), near=near)
    for index, claim in enumerate(ids):
        path, paper = page_path(claim), paper_of(claim)
        parameters = {"run": name, "claim": claim, **chosen["claim"]}
        jobs.append(Job(notebook="claim", parameters=parameters, path=path))
        near = _near([(c, f"{page_path(c)}.html") for c in ids], index)
        trail = (top, (paper, f"{paper}.html"))
        pages[path] = Page(title=claim.split("/", 1)[1], path=f"{path}.html", trail=trail, near=near)
    return jobs, pages


def _near(items: Sequence[tuple[str, str]], index: int) -> list[tuple[str, str, str]]:
    before = [("prev", *items[index - 1])] if index > 0 else []
    after = [("next", *items[index + 1])] if index + 1 < len(items) else []
    return [*before, *after]
