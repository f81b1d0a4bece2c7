"""Mechanical bugs: every place in an implementation where one small change makes another program.

Operators: a constant halved or doubled, a root or a logarithm dropped, minimum for maximum, a sign, a product
for a quotient, an index off by one, neighbouring arguments of a call exchanged, a line left out. A change
that the interpreter refuses to compile is no bug; a function without a body of its own has none.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import implementations
from claims.harness.mutation.mutant import Mutant
from claims.harness.mutation.plant import recompiled, reference_of, source_tree
from implementations import checks

ROOTS = frozenset({"sqrt", "log", "log1p", "log2", "cbrt"})
OPPOSITES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
    "amin": "amax",
    "amax": "amin",
}
SIGNS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
PRODUCTS: dict[type[ast.operator], type[ast.operator]] = {ast.Mult: ast.Div, ast.Div: ast.Mult}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


@dataclass(frozen=True, slots=True)
class Site:
    """One place and one change: where it is, which operator, the line before and after."""

    function: str
    operator: str
    line: str
    change: str
    number: int

    @property
    def key(self) -> str:
        """A name that stays while the function's text does; a survivor's reason is filed under it."""
        text = f"{self.function}|{self.operator}|{self.line}|{self.change}"
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    @property
    def module(self) -> str:
        return self.function.partition(":")[0]


def sites(module: str, functions: Collection[str] | None = None) -> list[Site]:
    """All places of a module, or of some functions of it, in the order of the source."""
    found: list[Site] = []
    for function in _functions(module):
        if functions is not None and function not in functions:
            continue
        try:
            tree = source_tree(reference_of(function))
        except (ValueError, AssertionError, OSError):
            continue
        before = ast.unparse(tree)
        for number, (operator, node, _) in enumerate(_changes(tree)):
            line = _line_of(tree, node)
            after = ast.unparse(_mutated(tree, number))
            lines = zip(before.split("\n"), after.split("\n"), strict=False)
            change = next((b for a, b in lines if a != b), "")
            found.append(Site(function, operator, line, change.strip(), number))
    return found


def as_mutant(site: Site) -> Mutant:
    """The bug of a site, ready to be planted."""
    reference = reference_of(site.function)
    by = recompiled(reference, _mutated(source_tree(reference), site.number))
    return Mutant(
        name=f"{site.function.removeprefix('implementations.')}#{site.key}",
        bug=f"{site.operator}: {site.line} → {site.change}",
        replaces=site.function,
        by=by,
        caught_by=(),
    )


def modules() -> list[str]:
    """The modules of `implementations`; those of controls are no reference."""
    root = Path(implementations.__path__[0])
    files = sorted(f for f in root.rglob("[a-z]*.py") if "controls" not in f.parts)
    return [".".join(("implementations", *f.relative_to(root).with_suffix("").parts)) for f in files]


def _functions(module: str) -> Iterator[str]:
    """ "module:function" and "module:Class.method" of everything that a module defines itself."""
    tree = ast.parse(Path(_file(module)).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield f"{module}:{node.name}"
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name != "__post_init__":
                    yield f"{module}:{node.name}.{each.name}"


def _file(module: str) -> str:
    import importlib

    return str(importlib.import_module(module).__file__)


Change = tuple[str, ast.AST, Callable[[], None]]


def _changes(tree: ast.Module) -> Iterator[Change]:
    """(operator, node, apply) of every change that this very tree admits, in a fixed order.

    Checks of the input, docstrings, defaults and annotations are left alone: they compute nothing.
    """
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    for statement, body in _statements(definition):
        if isinstance(statement, ast.Raise) or _checks_input(statement):
            continue
        if _droppable(statement):
            yield "line left out", statement, _replace_in(body, statement, ast.Pass())
        for node in _expressions(statement):
            yield from _changes_of(node)


def _statements(definition: ast.FunctionDef) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    waiting: list[list[ast.stmt]] = [definition.body]
    while waiting:
        body = waiting.pop(0)
        for statement in body:
            text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not text:
                yield statement, body
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(statement, name, None)
                if isinstance(inner, list) and inner:
                    waiting.append(inner)


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of the statements in it."""
    waiting: list[ast.AST] = [
        child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)
    ]
    if isinstance(statement, ast.FunctionDef | ast.AnnAssign):
        waiting = [statement.value] if isinstance(statement, ast.AnnAssign) and statement.value else []
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.JoinedStr):
            waiting += [c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt | ast.arguments)]


def _checks_input(statement: ast.stmt) -> bool:
    """Whether a statement only refuses bad input: without it, results on valid input are the same."""
    if isinstance(statement, ast.If):
        return all(isinstance(each, ast.Raise) for each in statement.body)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = ast.unparse(statement.value.func)
        return called.rpartition(".")[2] in vars(checks) or called.startswith(("check_", "_check", "require"))
    return False


def _droppable(statement: ast.stmt) -> bool:
    """A line whose absence leaves a program: a call, `x += y`, or `x = f(x)`."""
    if isinstance(statement, ast.AugAssign):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
        return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.value))
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)


def _changes_of(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Constant):
        value: Any = node.value
        if type(value) in (int, float) and value:
            yield "constant doubled", node, _set(node, "value", value * 2)
        if type(value) is float and value:
            yield "constant halved", node, _set(node, "value", value / 2)
    if isinstance(node, ast.BinOp):
        kind = type(node.op)
        if kind in SIGNS:
            yield "sign", node, _set(node, "op", SIGNS[kind]())
        if kind in PRODUCTS:
            yield "product for quotient", node, _set(node, "op", PRODUCTS[kind]())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node, _set(node, "op", ast.UAdd())
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        yield "comparison", node, _set(node, "ops", [COMPARISONS[type(node.ops[0])]()])
    if isinstance(node, ast.Call):
        yield from _changes_of_call(node)
    if isinstance(node, ast.Subscript):
        index = node.slice
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            shifted = ast.Constant(index.value + 1 if index.value >= 0 else index.value - 1)
            yield "index off by one", node, _set(node, "slice", shifted)


def _changes_of_call(node: ast.Call) -> Iterator[Change]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in ROOTS and len(node.args) == 1:
        yield "root or log dropped", node, _set(node, "func", ast.Name("float", ast.Load()), only=node)
    if name in OPPOSITES:
        field = "attr" if isinstance(node.func, ast.Attribute) else "id"
        yield "min for max", node, _set(node.func, field, OPPOSITES[name])
    if name == "range" and node.args:
        shorter = ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(1))
        yield "index off by one", node, _set(node, "args", [*node.args[:-1], shorter])
    for k in range(len(node.args) - 1):
        a, b = node.args[k], node.args[k + 1]
        if isinstance(a, ast.Name | ast.Attribute) and isinstance(b, ast.Name | ast.Attribute):
            exchanged = [*node.args[:k], b, a, *node.args[k + 2 :]]
            yield "arguments exchanged", node, _set(node, "args", exchanged)


def _set(node: ast.AST, field: str, value: object, only: ast.Call | None = None) -> Callable[[], None]:
    def apply() -> None:
        if only is not None:
            # f(x) becomes x itself, also where x is an array.
            only.func = ast.Lambda(
                ast.arguments([], [ast.arg("value")], None, [], [], None, []), ast.Name("value", ast.Load())
            )
        else:
            setattr(node, field, value)

    return apply


def _replace_in(body: list[ast.stmt], old: ast.stmt, new: ast.stmt) -> Callable[[], None]:
    def apply() -> None:
        body[next(i for i, each in enumerate(body) if each is old)] = new

    return apply


def _mutated(tree: ast.Module, number: int) -> ast.Module:
    changed = copy.deepcopy(tree)
    for k, (_, _, apply) in enumerate(_changes(changed)):
        if k == number:
            apply()
            break
    return ast.fix_missing_locations(changed)


def _line_of(tree: ast.Module, node: ast.AST) -> str:
    """The innermost statement that holds the node, as text without line breaks."""
    holder: ast.AST = node
    for statement in ast.walk(tree):
        if (
            isinstance(statement, ast.stmt)
            and not isinstance(statement, ast.FunctionDef)
            and any(n is node for n in ast.walk(statement))
        ):
            holder = statement
    return ast.unparse(holder).split("\n")[0][:160]
