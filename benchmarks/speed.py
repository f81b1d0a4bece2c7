"""Timing that the speed benchmarks of the papers share."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

from threadpoolctl import threadpool_limits

Rows = list[dict[str, Any]]


def seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """Best of a few runs, in CPU seconds of this process: other work on the machine does not count."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return best


def main(measure: Callable[[], Rows], line: Callable[[dict[str, Any]], str], description: str | None) -> Rows:
    """Measure on one thread and print the rows, a line each, or one JSON document with `--json`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    machine = parser.parse_args().json
    with threadpool_limits(1):
        rows = measure()
    if machine:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return []
    for row in rows:
        print(line(row))
    return rows
