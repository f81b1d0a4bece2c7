"""A pair of neighbours as a program of some ten lines that imports only the library."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from pathlib import Path

from audits.maps.subject import Found, Subject

MEASURE = {
    "absolute": "abs(a - b)",
    "l1": "sum(abs(u - v) for u, v in zip(a, b))",
    "l2": "sum((u - v) ** 2 for u, v in zip(a, b)) ** 0.5",
    "linf": "max(abs(u - v) for u, v in zip(a, b))",
}


def program(subject: Subject, found: Found, made: Sequence[str]) -> str:
    """The lines that show a violation; `made` are those that make the object `checked`."""
    lines = [*made, "", f"D = {subject.code(found.first)}", f"E = {subject.code(found.second)}"]
    if not found.certain:
        counts = f"Counter(str({subject.shown}) for _ in range(1000))"
        lines[:0] = ["from collections import Counter"]
        lines += ["for data in (D, E):", f"    print({counts}.most_common(8))"]
    elif isinstance(found.measured, str):
        lines += ["for data in (D, E):", f"    print({subject.shown})  # raises on one of them"]
    else:
        shown = [subject.shown.replace("data", name) for name in "DE"]
        lines += [f"a, b = {', '.join(shown)}", "print(a, b, sep='\\n')"]
        if subject.output in MEASURE and math.inf not in found.measured.values:
            lines.append(f"print('measured:', {MEASURE[subject.output]})")
    stated = subject.mapped.format(d_in=repr(found.d_in)) or repr(str(found.stated))
    lines.append(f"print('stated:', {stated}, 'found:', {str(found.measured)!r})")
    return "\n".join(lines) + "\n"


def lines_of(file: Path, name: str, call: str = "") -> list[str]:
    """The statements of a file that `name` needs, with its imports, and `checked` bound to it.

    call  "()" for a function that takes nothing and returns the object.
    """
    module = ast.parse(file.read_text(encoding="utf-8"))
    needed, kept = {name}, set[int]()
    changed = True
    while changed:
        changed = False
        for place, node in enumerate(module.body):
            if place in kept or not _touched(node) & needed:
                continue
            kept.add(place)
            needed |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            changed = True
    lines = [ast.unparse(module.body[place]) for place in sorted(kept)]
    return [*lines, f"checked = {name}{call}"]


def _touched(node: ast.stmt) -> set[str]:
    """The names that a statement binds, or whose method it calls, as ``dp.enable_features("contrib")``."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.Expr):
        called = node.value.func if isinstance(node.value, ast.Call) else None
        return {one.id for one in ast.walk(called) if isinstance(one, ast.Name)} if called else set()
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
