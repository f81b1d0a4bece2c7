"""Audit the releases: `python -m benchmarks.wild [PATTERN…] [--grey] [--envs DIR]`.

Makes the environments, audits each case at α = 1e-4, and writes `table.json` and `README.md` after each of
them; with `--grey` each is traced, as `dpclaims trace` does it, and the file is `grey.json`. A case that was
audited before, and has not changed since, is not audited again; with `--again` it is. What cannot be
installed is said so, and the others go on.
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.wild import table
from benchmarks.wild.case import all_cases
from benchmarks.wild.run import audited, run_case, traced


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild", description=__doc__)
    parser.add_argument("pattern", nargs="*", default=["*"], help="ids or globs, as 'diffprivlib==0.6.6/*'")
    parser.add_argument("--grey", action="store_true", help="trace the cases, the grey box")
    parser.add_argument("--envs", type=Path, help="where environments are kept (default: a cache folder)")
    parser.add_argument("--again", action="store_true", help="audit finished cases too")
    options = parser.parse_args()
    cases, box, file = all_cases(), audited, table.BLACK
    if options.grey:
        box, file = traced, table.GREY
    rows = table.load(file)
    for case in cases:
        known = rows.get(case.id, {})
        done = known.get("digest") == case.digest() and not known.get("failed")
        if (done and not options.again) or not any(fnmatch(case.id, p) for p in options.pattern):
            continue
        row = rows[case.id] = run_case(case, box, options.envs)
        print(f"{row['verdict']:15} {case.id} {row.get('at', '')} {row.get('failed', '')}", flush=True)
        table.write(rows, cases, file)
    table.write(rows, cases, file)
    unexpected = [row for row in table.joined(cases, table.load()) if row["verdict"] != row["expected"]]
    for row in unexpected:
        print(f"not as expected: {row['verdict']} {row['id']}", file=sys.stderr)
    return 1 if unexpected else 0


if __name__ == "__main__":
    raise SystemExit(main())
