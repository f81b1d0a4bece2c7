"""Audit the releases: `python -m benchmarks.wild [PATTERN…] [--envs DIR] [--table-only] [-j N]`.

Makes the environments, audits each case at α = 1e-4, and writes `table.json`, `table.csv` and `README.md`
after each of them. A case that was audited before, and has not changed since, is not audited again; with
`--again` it is. What cannot be installed is said so, and the others go on.
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.wild import table
from benchmarks.wild.case import all_cases
from benchmarks.wild.run import run_case


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild", description=__doc__)
    parser.add_argument("pattern", nargs="*", help="ids or globs, e.g. 'diffprivlib==0.6.6/*'")
    parser.add_argument("--envs", type=Path, help="where environments are kept (default: a cache folder)")
    parser.add_argument("--again", action="store_true", help="audit finished cases too")
    parser.add_argument("--table-only", action="store_true", help="write the table from what is known")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="workers that draw at once")
    options = parser.parse_args()
    cases = all_cases()
    rows = table.load()
    for case in cases if not options.table_only else []:
        if options.pattern and not any(fnmatch(case.id, p) for p in options.pattern):
            continue
        known = rows.get(case.id, {})
        if known.get("digest") == case.digest() and not known.get("failed") and not options.again:
            continue
        rows[case.id] = run_case(case, envs=options.envs, jobs=options.jobs)
        print(table.line(rows[case.id]), flush=True)
        table.write(rows, cases)
    table.write(rows, cases)
    unexpected = [row for row in table.rows_of(rows, cases) if row["verdict"] != row["expected"]]
    for row in unexpected:
        print(f"not as expected: {table.line(row)}", file=sys.stderr)
    return 1 if unexpected else 0


if __name__ == "__main__":
    raise SystemExit(main())
