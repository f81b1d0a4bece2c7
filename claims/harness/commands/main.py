"""The command line. Every command is a few lines that parse, call, print and choose an exit status."""

from __future__ import annotations

import contextlib
import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from audits.foreign.calls import Failed
from claims.harness.commands.audit import audit_command
from claims.harness.commands.canaries import canaries_command
from claims.harness.commands.check import check_command
from claims.harness.commands.compare import compare_command
from claims.harness.commands.doctor import doctor_command
from claims.harness.commands.errata import errata_command
from claims.harness.commands.listing import list_command
from claims.harness.commands.map import map_command
from claims.harness.commands.mutants import mutants_command
from claims.harness.commands.new import new_command
from claims.harness.commands.options import AsJson, Folders, Jobs, Patterns, Seed, options_of, taken
from claims.harness.commands.printed import Printed
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.commands.show import show_command
from claims.harness.commands.stopping import Signalled, signals_raise
from claims.harness.commands.trace import trace_command
from claims.harness.exchange import Outputs
from claims.harness.report.describe import describe
from claims.harness.run.result import BAD_INPUT, CRASHED, PASSED, ClaimResult, NotebookFailed
from claims.harness.run.serialise import print_json
from claims.harness.words import TIERS

app = typer.Typer(
    name="dpclaims",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Checks, by computation, what papers and libraries claim about differentially private optimisation.",
    epilog="Exit status: 0 as expected · 1 a verdict differs, a mechanism is refuted, a rate regressed · "
    "2 bad input · 3 undecided within the budget · 4 a claim crashed.",
)

USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What Typer raises for a command line that it cannot read; its home differs between versions."""
TierOption = Annotated[str, typer.Option("--tier", help=f"How much work: {', '.join(TIERS)}.")]
DataPath = Annotated[
    Path | None,
    typer.Option("--data", envvar="DPCLAIMS_DATA", help="File or folder for claims that read one."),
]


def main() -> int:
    """Run the command line: whatever happens, one sentence, and the exit status.

    Bad input has status 2, dead workers and what the system refuses (a full disk) 4. SIGINT, SIGTERM and
    SIGHUP have 128 + their number; what is finished is stored then, and workers are stopped.
    """
    streams = [(sys.stdout, contextlib.redirect_stdout), (sys.stderr, contextlib.redirect_stderr)]
    with contextlib.ExitStack() as stack:
        for stream, redirect in streams:
            if stream is not None:  # closed
                stack.enter_context(redirect(cast(Any, Printed(stream))))
        status = _run_app()
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError as error:
            status = _refused(error)
    return status


def _run_app() -> int:
    """The exit status of the command that was asked for."""
    try:
        with signals_raise():
            return app(prog_name="dpclaims", standalone_mode=False) or PASSED
    except USAGE as error:
        return _misused(error)
    except Signalled as stop:
        print(f"dpclaims: {stop.sentence()}", file=sys.stderr)
        return 128 + stop.number
    except ValueError as error:
        print(f"dpclaims: {error}", file=sys.stderr)
        return BAD_INPUT
    except ChildProcessError as error:
        print(f"dpclaims: {error}; what is finished is stored, the same command resumes", file=sys.stderr)
        return CRASHED
    except OSError as error:
        return _refused(error)
    except (MemoryError, NotebookFailed) as error:
        print(f"dpclaims: {str(error) or 'out of memory'}", file=sys.stderr)
        return CRASHED
    except BaseException as error:
        # Status 1 means that something is refuted, and 0 that it is not.
        print(Failed(error).traceback, end="", file=sys.stderr)
        print("dpclaims: the command crashed, which says nothing of what it checks", file=sys.stderr)
        return CRASHED


def _misused(error: Any) -> int:
    """One sentence on an option or argument that the command does not have; help where nothing was asked."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        path = error.ctx.command_path if error.ctx else "dpclaims"
        words = " ".join(error.format_message().split()).rstrip(".") + _given(error)
        print(f"dpclaims: {words}; `{path} -h` shows what there is", file=sys.stderr)
    return BAD_INPUT


def _given(error: Any) -> str:
    """The value on the command line that an option does not take; "" where it is not known."""
    if "unable to parse" not in error.format_message():
        return ""
    for word, following in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        name, equals, inline = word.partition("=")
        if name in error.param.opts:
            return f", got {inline if equals else following!r}"
    return ""


def _refused(error: OSError) -> int:
    """One sentence on what the system refused; what is missing or forbidden is bad input."""
    where = f"{error.filename}: " if error.filename else ""
    with contextlib.suppress(OSError):
        print(f"dpclaims: {where}{error.strerror or error}", file=sys.stderr)
    if error.filename is None:
        # Standard output, perhaps: Python would try again, and complain, when it ends.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    bad = isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError | PermissionError)
    return BAD_INPUT if bad else CRASHED


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="The version, and nothing else.")] = False,
) -> None:
    """Checks, by computation, what papers and libraries claim about differentially private optimisation."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"dpclaims {installed('dpclaims')}")
        raise typer.Exit


@app.command()
@options_of(last=Outputs, without=("sarif",))
def run(
    pattern: Patterns = None,
    tier: TierOption = "ci",
    seed: Seed = 0,
    jobs: Jobs = 1,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    alpha: Annotated[float, typer.Option(help="Probability of calling any true claim refuted.")] = 0.001,
    out: Annotated[Path | None, typer.Option(help="Run folder (default: below reports/runs).")] = None,
    data: DataPath = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Recompute finished claims too.")] = False,
    claims: Folders = None,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Check claims; the default pattern is all. The same command resumes a run that was stopped."""
    from claims.harness.commands.progress import progress
    from claims.harness.commands.published import publish_run
    from claims.harness.discover import load
    from claims.harness.run.runner import run as run_claims

    if tier not in TIERS:
        raise ValueError(f"--tier must be one of {', '.join(TIERS)}, got {tier!r}")
    outputs = Outputs(**options)
    chosen = load(*(pattern or []), claims=claims or [])
    with progress(len(chosen)) as report:
        result = run_claims(
            *(pattern or []),
            tier=tier,
            seed=seed,
            alpha=alpha,
            jobs=jobs,
            out=out,
            cache=not no_cache,
            data=data,
            scheduler=scheduler,
            claims=claims or [],
            notify=report,
        )
    publish_run(result, chosen, outputs)
    if json:
        print_json(result.to_json())
    else:
        for claim in result.claims:
            typer.echo(_line(claim))
        expected = sum(c.ok for c in result.claims)
        spent = sum(c.alpha_spent for c in result.claims)
        several = "" if len(result.claims) == 1 else "s"
        typer.echo(
            f"{len(result.claims)} claim{several}, {expected} as expected; α = {alpha:g}, spent {spent:.2g}; "
            f"run: {result.folder}"
        )
    raise typer.Exit(result.exit_status)


@app.command("rates")
@options_of(RatesAsked, last=Outputs, without=("sarif",))
def rates(
    pattern: Patterns = None,
    claims: Folders = None,
    jobs: Jobs = 1,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Fitted exponents against the baseline, or of your own measurements (--csv)."""
    outputs, asked = taken(Outputs, options), RatesAsked(**options)
    if pattern and (asked.csv is not None or asked.history is not None):
        raise ValueError(f"PATTERN is for claims of papers, not for --csv or --history, got {pattern[0]!r}")
    if asked.csv is not None:
        from claims.harness.commands.forms import forms_command
        from claims.harness.commands.measurements import measurements_command

        asked.of_table()
        command = forms_command if asked.form is not None or asked.compare else measurements_command
        raise typer.Exit(command(asked, outputs, json=json))
    asked.without_csv()
    if asked.history is not None:
        from claims.harness.commands.history import history_command

        raise typer.Exit(history_command(asked, outputs, json=json))
    from claims.harness.commands.rates import check_baseline

    status = check_baseline(
        pattern or [], asked=asked, jobs=jobs, folders=claims or [], outputs=outputs, json=json
    )
    raise typer.Exit(status)


@app.command()
def report(
    run_folder: Annotated[Path | None, typer.Option("--run", help="Run folder (default: the last).")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the site goes (default: reports/<run>).")] = None,
    claims: Folders = None,
    jobs: Jobs = 1,
) -> None:
    """Execute the notebooks on a run and write the site; prints the path of its index."""
    from claims.harness.places import other_folders
    from claims.harness.report.write import write_report

    # Processes that execute notebooks find the folders in the environment.
    os.environ["DPCLAIMS_CLAIMS"] = os.pathsep.join(map(str, other_folders(claims or [])))
    say = partial(print, file=sys.stderr, flush=True)
    typer.echo(str(write_report(run_folder, out, jobs=jobs, say=say)))


@app.command()
def notebooks(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One of them, or all.")] = "",
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Where the copy goes.")] = Path("."),
) -> None:
    """Copy a notebook out of the installed package, to change it and run it; without NAME, list them."""
    from claims.harness.report.notebooks import copy_notebooks, notebooks_folder

    if not name:
        for file in sorted(notebooks_folder().glob("*.ipynb")):
            typer.echo(file.stem)
    for file in copy_notebooks(name, folder) if name else ():
        typer.echo(f"wrote {file}")


for name, command in (
    ("list", list_command),
    ("show", show_command),
    ("errata", errata_command),
    ("audit", audit_command),
    ("canaries", canaries_command),
    ("trace", trace_command),
    ("map", map_command),
    ("mutants", mutants_command),
    ("check", check_command),
    ("new", new_command),
    ("compare", compare_command),
    ("doctor", doctor_command),
):
    app.command(name)(command)


def _line(claim: ClaimResult) -> str:
    mark = "ok   " if claim.ok else "DIFFER"
    verdict = claim.verdict or "crashed"
    text = f"{mark:6} {claim.id:42} {verdict:12}"
    if not claim.ok:
        text += f" (expected {claim.expected})"
    if claim.error:
        return f"{text} {claim.error.strip().splitlines()[-1]}"
    # The deciding piece comes first.
    return f"{text} {describe(claim.evidence[0])}" if claim.evidence else text
