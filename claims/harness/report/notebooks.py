"""Executing the notebooks with papermill's parameters, in IPython, and turning them into HTML.

No kernel is started for it, which would take seconds and as long again to import: every result has its
notebook, and a process executes many.
"""

from __future__ import annotations

import atexit
import copy
import itertools
import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from claims.harness.notebook import RUN
from claims.harness.report.numbers import hide_paths
from claims.harness.run.provenance import data_folder
from claims.harness.run.result import NotebookFailed
from claims.harness.run.workers import in_workers

NOTEBOOKS = ("suite", "paper", "claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One notebook to execute: its name, its parameters, and the page that it becomes."""

    notebook: str
    parameters: Mapping[str, Any]
    path: str


def notebooks_folder() -> Path:
    """The folder of the notebooks; ValueError where they are not installed."""
    folder = data_folder("notebooks")
    if all((folder / f"{name}.ipynb").is_file() for name in NOTEBOOKS):
        return folder
    raise ValueError(f"the notebooks {', '.join(NOTEBOOKS)} are not installed: reinstall dpclaims")


def copy_notebooks(name: str, folder: Path) -> list[Path]:
    """Copy a notebook, or "all", into a folder, which is made where it is missing; returns the copies.

    Raises ValueError for an unknown name and for a copy that would replace a file.
    """
    known = {file.stem: file for file in sorted(notebooks_folder().glob("*.ipynb"))}
    wanted = list(known) if name == "all" else [name.removesuffix(".ipynb")]
    if wanted[0] not in known:
        raise ValueError(f"NAME must be one of {', '.join(known)} or all, got {name!r}")
    copies = {folder / f"{each}.ipynb": known[each] for each in wanted}
    if there := [str(copy) for copy in copies if copy.exists()]:
        raise ValueError(f"{', '.join(there)} exists: name another folder, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    for place, source in copies.items():
        shutil.copyfile(source, place)
    return list(copies)


def read_notebooks(folder: Path) -> dict[str, Any]:
    """The three notebooks."""
    import nbformat

    found: dict[str, Any] = {}
    for name in NOTEBOOKS:
        found[name] = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        found[name].metadata["papermill"] = {}  # where papermill writes, and what it looks for
        for cell in found[name].cells:
            cell.metadata.setdefault("tags", [])
    return found


def execute(
    jobs: Sequence[Job], notebooks: Mapping[str, Any], *, run: Path, workers: int
) -> Iterator[tuple[Job, Any]]:
    """The executed notebook of each job, in no particular order; several workers are processes of their own.

    run  the folder of the run that has what they check.

    Raises ValueError, naming the page, where a notebook refuses its parameters, and NotebookFailed where it
    fails.
    """
    asked = [(job, notebooks[job.notebook], run) for job in jobs]
    workers = min(workers, len(jobs))
    return in_workers(_executed, asked, workers) if workers > 1 else itertools.starmap(_executed, asked)


def _executed(job: Job, notebook: Any, run: Path) -> tuple[Job, Any]:
    """The job, and its notebook with its parameters and what each cell shows."""
    from IPython.utils.capture import capture_output
    from nbformat.v4 import new_output
    from papermill.parameterize import parameterize_notebook

    given = {"parameters": dict(job.parameters), "kernel_name": "python3", "language": "python"}
    executed = parameterize_notebook(copy.deepcopy(notebook), **given)
    with _shell(run) as shell:
        for cell in (cell for cell in executed.cells if cell.cell_type == "code"):
            # Inside of the trap: a cell would put back the hook that prints its value.
            with shell.display_trap, capture_output() as shown:
                found = shell.run_cell(cell.source, store_history=True)
            if not found.success:
                raise _failed(job, found.error_before_exec or found.error_in_exec)
            printed = hide_paths(shown.stdout + shown.stderr)
            cell.execution_count = found.execution_count
            cell.outputs = [new_output("stream", text=printed)] if printed else []
            cell.outputs += [new_output("display_data", data=each.data) for each in shown.outputs]
    # Nothing that differs between two executions: times, and random names of cells.
    executed.metadata["papermill"] = {"parameters": dict(job.parameters)}
    for number, cell in enumerate(executed.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata = {"tags": tags} if (tags := cell.metadata.get("tags")) else {}
    return job, executed


def _failed(job: Job, error: BaseException) -> BaseException:
    if not isinstance(error, Exception):  # IPython keeps signals, too
        return error
    if isinstance(error, ValueError):  # bad input, in words: a parameter out of range
        return ValueError(f"notebook {job.notebook}.ipynb, {job.path}: {error}")
    words = f"{type(error).__name__}: {error}"
    return NotebookFailed(f"notebook {job.notebook}.ipynb failed for {job.path}: {words}")


@contextmanager
def _shell(run: Path) -> Iterator[Any]:
    """An IPython of its own, which knows the run and keeps no history; the process is left as it was."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    # Matplotlib says on stderr that it looks for fonts, the first time on a machine.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    main, path = sys.modules["__main__"], sys.path[:]
    before = os.environ.get(RUN)
    os.environ[RUN] = str(run)
    with TemporaryDirectory(prefix="dpclaims-") as home:
        config = Config({"HistoryManager": {"enabled": False}})
        shell = InteractiveShell.instance(ipython_dir=home, config=config)
        sys.path[:] = path  # IPython adds what VIRTUAL_ENV names, which may be another environment
        try:
            yield shell
        finally:
            InteractiveShell.clear_instance()
            atexit.unregister(shell.atexit_operations)  # which would keep all that the notebook computed
            sys.modules["__main__"] = main
            del os.environ[RUN]
            if before is not None:
                os.environ[RUN] = before


def exporter() -> Callable[[Any], str]:
    """What turns an executed notebook into HTML: nbconvert with the template `templates/notebook`.

    Escaping is on: code, text and streams pass as text; tables and figures of the kernel as they are.
    """
    from markupsafe import Markup
    from nbconvert.exporters import TemplateExporter
    from traitlets.config import Config

    from claims.harness.report.site import TEMPLATES, furnish

    order = ["image/svg+xml", "text/html", "image/png", "text/markdown", "text/plain"]
    made = TemplateExporter(
        config=Config({"NbConvertBase": {"display_data_priority": order}}),
        extra_template_basedirs=[str(TEMPLATES)],
        extra_template_paths=[str(TEMPLATES)],
        template_name="notebook",
        template_file="index.html.j2",
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    made.environment.autoescape = True
    furnish(made.environment)
    made.environment.filters |= {
        "without_colours": lambda text: re.sub(r"\x1b\[[0-9;]*m", "", text),
        "table_only": lambda text: Markup(_bare_table(text)),
    }
    return lambda notebook: made.from_notebook_node(notebook)[0]


def _bare_table(text: str) -> str:
    """The table that pandas writes, without its style and with no empty heading."""
    text = re.sub(r"<style.*?</style>|<p>\d+ rows ×.*?</p>", "", text, flags=re.DOTALL)
    return text.replace("<th></th>", "<td></td>").replace(' border="1"', "")
