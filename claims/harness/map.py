"""The map of a paper: what the proof of each printed result uses, and what rests on it in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claims.harness.index import Entry
from claims.harness.standing import result_of


def used_by_results(entries: Sequence[Entry]) -> dict[str, dict[str, str]]:
    """Printed result → what the paper's proof of it uses, each with a note or "".

    A result uses what any of its readings and the steps of its proof say; a reading that is named stands for
    its result.
    """
    by_id = {e.id: e for e in entries}
    found: dict[str, dict[str, str]] = {result_of(e): {} for e in entries}
    for entry in entries:
        for name, note in entry.uses:
            if name in by_id:
                found[result_of(entry)].setdefault(result_of(by_id[name]), note)
    return found


def behind(result: str, used: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Everything that a result rests on by its proof, what it uses itself first; itself only in a circle."""
    found: dict[str, None] = {}
    waiting = list(used.get(result, ()))
    while waiting:
        each = waiting.pop(0)
        if each not in found:
            found[each] = None
            waiting += used.get(each, ())
    return list(found)
