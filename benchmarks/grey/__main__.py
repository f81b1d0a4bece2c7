"""Trace every program of the grey-box benchmark: `python -m benchmarks.grey [PATTERN…] [--folder DIR]`.

A folder has modules of programs and `cases.csv`: the claim of each program, its pairs by their name in the
module, and why the claim holds or fails. Programs in files `correct_*` keep it; those in `leaky_*` break it,
at lines marked `# leak`. Each is traced by the command as a user calls it, in a process of its own, which is
ended after `--limit` processor seconds, or ten times as many by the clock. Seconds are processor time.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

COMMAND = [sys.executable, "-c", "import dpclaims; dpclaims.main()", "trace"]
VERDICTS = {"leak": "flagged", "ledger-exceeds": "flagged", "nothing-found": "nothing found", "lost": "lost"}
ACCEPTED = {"correct": "nothing found", "leaky": "flagged"}


def spent() -> float:
    """Processor seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def trace(source: str, case: Any, limit: int) -> tuple[dict[str, Any] | None, str, float]:
    """The JSON document of `trace` on `case` (None where it gave none), what else was said, seconds."""
    claim = f"\npairs, adjacency = {case.pairs}, {case.adjacency!r}\n"
    claim += f"epsilon, delta = {case.epsilon}, {case.delta}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{case.file}.py"
        path.write_text(source + claim)
        began = spent()
        command = [*COMMAND, f"{path}:{case.program}", "--json"]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
        try:
            out, err = process.communicate(timeout=10 * limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, f"no answer in {10 * limit} s by the clock", spent() - began
        seconds = spent() - began
        if seconds >= limit:
            return None, f"no answer in {limit} s", seconds
    try:
        return json.loads(out), "", seconds
    except json.JSONDecodeError:
        return None, (out + err).strip()[-200:] or f"status {process.returncode} without output", seconds


def accused(document: dict[str, Any], file: str) -> tuple[int | None, str]:
    """The line that the first finding names, else that of the ledger's costliest row; and the sentence."""
    if document["verdict"] == "lost":
        return None, "; ".join(f":{lost['line']} {lost['text']}" for lost in document["lost"][:2])
    if document["findings"]:
        first = document["findings"][0]
        return first["line"] if Path(first["file"]).stem == file else None, first["text"]
    if document["verdict"] != "ledger-exceeds":
        return None, ""
    rows = [row for row in document["ledger"] if Path(row["file"]).stem == file]
    # What an entry costs is no number where its law is not known.
    costs = [row for row in rows if row["epsilon"] is not None]
    row = max(costs, key=lambda row: float(row["epsilon"]), default={"line": None, "law": "no row"})
    return row["line"], f"{row['law']}: ε = {document['epsilon_ledger']}"


def marked(source: str, program: str) -> list[int]:
    """The lines marked `# leak` from the program's first line on, up to the next marked function."""
    lines = source.splitlines()
    found = next(node for node in ast.parse(source).body if getattr(node, "name", "") == program)
    names = {node.id for node in ast.walk(found) if isinstance(node, ast.Name)} | {program}
    spans = [(n.lineno, n.end_lineno or 0) for n in ast.parse(source).body if getattr(n, "name", "") in names]
    return [i for first, last in spans for i in range(first, last + 1) if lines[i - 1].endswith("# leak")]


def row_of(case: Any, folder: Path, limit: int) -> dict[str, Any]:
    kind = case.file.split("_")[0]
    row = {"file": case.file, "program": case.program, "wanted": ACCEPTED[kind]}
    if case.file.endswith("torch") and importlib.util.find_spec("torch") is None:
        return {**row, "given": "skipped", "words": "torch is not installed"}
    source = (folder / f"{case.file}.py").read_text()
    document, words, seconds = trace(source, case, limit)
    if document is None:
        return {**row, "given": "no answer", "seconds": round(seconds, 2), "words": words}
    line, words = accused(document, case.file)
    row |= {"given": VERDICTS.get(document["verdict"], document["verdict"]), "said": line}
    if kind == "leaky":
        away = min(
            (abs(line - leak) for leak in marked(source, case.program) if line is not None), default=99
        )
        row["line"] = {0: "exact", 1: "within 2", 2: "within 2"}.get(away, "") if line is not None else ""
    return {**row, "seconds": round(seconds, 2), "words": words[:160]}


def totals(table: pd.DataFrame) -> pd.Series:
    """What the benchmark counts; programs that were skipped are in none of the counts."""
    table = table[table["given"] != "skipped"]
    counts = table.groupby(["wanted", "given"]).size()

    def count(wanted: str, given: str) -> int:
        return int(counts.get((wanted, given), 0))

    return pd.Series(
        {
            "correct programs": int((table["wanted"] == "nothing found").sum()),
            "correct accused": count("nothing found", "flagged"),
            "correct LOST": count("nothing found", "lost"),
            "leaky programs": int((table["wanted"] == "flagged").sum()),
            "leaky passed with 0 lost": count("flagged", "nothing found"),
            "leaky LOST": count("flagged", "lost"),
            "leaky flagged": count("flagged", "flagged"),
            "line exact": int((table["line"] == "exact").sum()),
            "line exact or within 2": int(table["line"].isin(["exact", "within 2"]).sum()),
            "no answer": int((table["given"] == "no answer").sum()),
            "median seconds": table["seconds"].median(),
            "longest": table["seconds"].max(),
        }
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grey", description=__doc__)
    parser.add_argument("pattern", nargs="*", help="parts of names of programs or files")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent, help="where the programs are")
    parser.add_argument("--limit", type=int, default=60, help="processor seconds for each program")
    parser.add_argument("--csv", type=Path, help="write the table here")
    options = parser.parse_args()
    cases = pd.read_csv(options.folder / "cases.csv", dtype={"epsilon": str, "delta": str})
    rows = []
    for case in cases.itertuples(index=False):
        name = f"{case.file}:{case.program}"
        if options.pattern and not any(part in name for part in options.pattern):
            continue
        rows.append(row_of(case, options.folder, options.limit))
        print(f"{rows[-1]['given']:14s} {name}", file=sys.stderr, flush=True)
    columns = ["file", "program", "wanted", "given", "said", "line", "seconds", "words"]
    table = pd.DataFrame(rows, columns=columns).astype({"said": "Int64"})
    print(table.drop(columns="words").to_string(index=False, na_rep=""))
    print(totals(table).to_string())
    if options.csv:
        table.to_csv(options.csv, index=False)
    return int((table["wanted"] != table["given"]).any())


if __name__ == "__main__":
    raise SystemExit(main())
