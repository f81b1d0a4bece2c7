"""Public names of a package, written once: below ``if TYPE_CHECKING`` in its ``__init__``.

    if TYPE_CHECKING:
        from audits.evidence import Verdict as Verdict

        CONFIRMED = Verdict.CONFIRMED

    HOMES, __all__, __getattr__ = lazy(__name__, __file__)

Type checkers read the block as it stands. When the program runs, nothing in it is imported until a name is
first used. What reads sources without running them, such as the digest of a claim, reads the same block.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def names_type_checking(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING`, or `typing.TYPE_CHECKING`."""
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def homes(tree: ast.Module) -> dict[str, str]:
    """Public name → where it stands, "module:name" or "module:name.member", from the block of a module.

    >>> homes(ast.parse("if TYPE_CHECKING:\\n    from a.b import C as C\\n    ONE = C.ONE"))
    {'C': 'a.b:C', 'ONE': 'a.b:C.ONE'}
    """
    found: dict[str, str] = {}
    for block in tree.body:
        if not (isinstance(block, ast.If) and names_type_checking(block.test)):
            continue
        for node in block.body:
            if isinstance(node, ast.ImportFrom):
                found |= {a.name: f"{node.module}:{a.name}" for a in node.names if a.asname == a.name}
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
                of = found.get(ast.unparse(node.value.value))
                found |= {ast.unparse(t): f"{of}.{node.value.attr}" for t in node.targets if of is not None}
    return found


def lazy(package: str, file: str) -> tuple[dict[str, str], list[str], Callable[[str], Any]]:
    """The public names of a package, their list, and the `__getattr__` that loads each when first used."""
    table = homes(ast.parse(Path(file).read_bytes()))

    def load(name: str) -> Any:
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, path = table[name].partition(":")
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
        return found

    return table, sorted(table), load
