"""Options that several commands share: the claim, where the target's code runs, files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Epsilon = Annotated[
    float | None, typer.Option("--epsilon", help="Claimed ε (default: the module's `epsilon`).")
]
Delta = Annotated[
    float | None, typer.Option("--delta", help="Claimed δ (default: the module's `delta`, else 0).")
]
Python = Annotated[
    str | None,
    typer.Option("--python", metavar="PATH", help="Run the file in this Python: a path or 3.8; needs NumPy."),
]
Packages = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="PACKAGE", help="Run it where this is installed: 'lib==0.3.0'; repeat."),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Argument of a library's function: bounds=0,1."),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Junit = Annotated[Path | None, typer.Option("--junit", help="Write a JUnit file.")]
Summary = Annotated[
    Path | None, typer.Option("--summary", help="Append a Markdown table: for GitHub, $GITHUB_STEP_SUMMARY.")
]
