"""Executing the notebooks with papermill's parameters, every worker in one kernel of its own that it keeps.

A kernel takes seconds to start and as long again to import, and every result has its notebook. So a worker
starts one kernel, of the running interpreter whatever kernels are installed, and empties its namespace
between notebooks.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from claims.harness.notebook import RUN
from claims.harness.places import other_folders
from claims.harness.report.numbers import hide_paths
from claims.harness.run.provenance import data_folder
from claims.harness.run.result import NotebookFailed

NOTEBOOKS = ("suite", "paper", "claim")
_FORGET = "import gc; gc.freeze(); get_ipython().reset(new_session=True)"
"""Between two notebooks. The reset collects garbage; it need not look through the modules for it, and what
one notebook leaves behind is small."""


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
    for copy, source in copies.items():
        shutil.copyfile(source, copy)
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
    jobs: Sequence[Job],
    notebooks: Mapping[str, Any],
    *,
    run: Path,
    workers: int,
    done: Callable[[Job, Any], None],
) -> None:
    """Execute the jobs in `workers` kernels that take what they check from the folder `run`.

    done(job, notebook) is called in this thread's turn for every executed notebook, in no particular order.
    Raises ValueError, naming the page, where a notebook refuses its parameters, RuntimeError where it fails.
    """
    stop, lock = threading.Event(), threading.Lock()
    workers = min(workers, len(jobs))

    def work(number: int, home: Path) -> None:
        from jupyter_core.utils import ensure_event_loop

        try:
            with _kernel(home / str(number), told) as kernel:
                for job in jobs[number::workers]:
                    if stop.is_set():
                        return
                    executed = _execute_one(job, notebooks[job.notebook], *kernel)
                    with lock:
                        done(job, executed)
        finally:
            # The loop that the Jupyter client made for this thread; it ends with the thread.
            ensure_event_loop().close()

    with TemporaryDirectory(prefix="dpclaims-") as home, ThreadPoolExecutor(workers) as pool:
        told = {RUN: str(run)}
        running = [pool.submit(work, k, Path(home)) for k in range(workers)]
        try:
            wait(running, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
        for future in running:
            future.result()


def _execute_one(job: Job, notebook: Any, manager: Any, kernel_client: Any) -> Any:
    import copy

    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from papermill.parameterize import parameterize_notebook

    given = {"parameters": dict(job.parameters), "kernel_name": "python3", "language": "python"}
    executed = parameterize_notebook(copy.deepcopy(notebook), **given)
    client = NotebookClient(executed, km=manager, record_timing=False)
    client.kc = kernel_client
    # The names of the notebook before must not stand in for one that this notebook forgot.
    kernel_client.execute(_FORGET, silent=True, store_history=False)
    try:
        client.execute()
    except CellExecutionError as error:
        if error.ename in ("ValueError", "Refused"):  # bad input, in words: a parameter out of range
            raise ValueError(f"notebook {job.notebook}.ipynb, {job.path}: {error.evalue}") from error
        raise NotebookFailed(
            f"notebook {job.notebook}.ipynb failed for {job.path}: {error.ename}: {error.evalue}"
        ) from error
    return clean(executed, job)


def clean(notebook: Any, job: Job) -> Any:
    """The executed notebook without what differs between two executions: paths, times, random cell names."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["papermill"] = {"parameters": dict(job.parameters)}
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        tags = cell.metadata.get("tags", [])
        cell.metadata.clear()
        if tags:
            cell.metadata["tags"] = tags
        for output in cell.get("outputs", []):
            output.get("metadata", {}).clear()
            if output["output_type"] == "stream":
                output["text"] = hide_paths(output["text"])
    return notebook


@contextmanager
def _kernel(home: Path, told: Mapping[str, str]) -> Iterator[tuple[Any, Any]]:
    """A kernel of the running interpreter: its manager, and the client that talks to it."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_core.utils import run_sync

    home.mkdir(parents=True)
    connection = home / "kernel.json"
    # Sockets in a private folder where there are such: no ports, hence no race for one between reports.
    local = os.name == "posix" and len(str(connection)) < 80
    manager: Any = AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),  # the running interpreter alone
        connection_file=str(connection),
        transport="ipc" if local else "tcp",
    )
    client: Any = None
    try:
        run_sync(manager.start_kernel)(
            cwd=str(Path(told[RUN]).parent),
            env={**_environment(home), **told},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # The current folder may hold other people's files: nothing is imported from it.
            extra_arguments=["--HistoryManager.enabled=False", "--IPKernelApp.ignore_cwd=True"],
        )
        client = manager.client()
        client.start_channels()
        run_sync(client.wait_for_ready)(timeout=120)
        # Matplotlib says on stderr that it looks for fonts, the first time on a machine.
        quiet = "import logging; logging.getLogger('matplotlib').setLevel(logging.ERROR)"
        client.execute(quiet, silent=True, store_history=False)
        yield manager, client
    finally:
        if client is not None:
            client.stop_channels()
        if manager.has_kernel:
            run_sync(manager.shutdown_kernel)(now=True)


def _environment(home: Path) -> dict[str, str]:
    """The environment of a kernel: finds the packages, and writes into its own folder and the run's alone."""
    root = str(Path(__file__).resolve().parents[3])
    inherited = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    found = os.pathsep.join([root, *(os.path.abspath(p) for p in inherited)])
    private = {
        "PYTHONPATH": found,
        # A kernel runs in the folder of the runs, from where the project's settings are not seen.
        "DPCLAIMS_CLAIMS": os.pathsep.join(map(str, other_folders())),
        "PYTHONSAFEPATH": "1",
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "MPLBACKEND": "svg",
        # The debugger of the kernel complains on stderr of modules frozen into the interpreter.
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        private.setdefault(threads, "1")
    return {**os.environ, **private}


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
