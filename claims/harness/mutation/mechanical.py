"""Mechanical bugs: every place in an implementation where one small change makes another program.

Operators: a constant halved or doubled, a root or a logarithm dropped, minimum for maximum, a sign, a product
for a quotient, an index off by one, neighbouring arguments of a call exchanged, a line left out. A change
that the interpreter refuses to compile is no bug; a function without a body of its own has none.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import implementations
from claims.harness.mutation.plant import Mutant, recompiled, reference_of, source_tree
from implementations import checks

ROOTS = frozenset({"sqrt", "log", "log1p", "log2", "cbrt"})
_EXCHANGED = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("floor", "ceil"),
    ("amin", "amax"),
)
OPPOSITES = {one: other for pair in _EXCHANGED for one, other in (pair, pair[::-1])}
OPERATORS: dict[type, tuple[str, type]] = {
    one: (words, other)
    for words, *pair in (
        ("sign", ast.Add, ast.Sub), ("product for quotient", ast.Mult, ast.Div),
        ("comparison", ast.Lt, ast.Gt), ("comparison", ast.LtE, ast.GtE),
    )
    for one, other in (pair, pair[::-1])
}  # fmt: skip
"""Operators and comparisons, each with what stands in its place."""


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

    @property
    def name(self) -> str:
        """Of the bug."""
        return f"{self.function.removeprefix('implementations.')}#{self.key}"

    @property
    def text(self) -> str:
        """What the bug is."""
        return f"{self.operator}: {self.line} → {self.change}"


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
        for number, (operator, line) in enumerate(_changed(tree)):
            lines = zip(before.split("\n"), ast.unparse(tree).split("\n"), strict=False)
            change = next((b for a, b in lines if a != b), "")
            found.append(Site(function, operator, line, change.strip(), number))
    return found


def as_mutant(site: Site) -> Mutant:
    """The bug of a site, ready to be planted."""
    reference = reference_of(site.function)
    tree = source_tree(reference)
    next(itertools.islice(_changed(tree), site.number, None))
    by = recompiled(reference, ast.fix_missing_locations(tree))
    return Mutant(name=site.name, bug=site.text, replaces=site.function, by=by, caught_by=())


def modules() -> list[str]:
    """The modules of `implementations`; those of controls are no reference."""
    root = Path(implementations.__path__[0])
    files = sorted(f for f in root.rglob("[a-z]*.py") if "controls" not in f.parts)
    return [".".join(("implementations", *f.relative_to(root).with_suffix("").parts)) for f in files]


def _functions(module: str) -> Iterator[str]:
    """ "module:function" and "module:Class.method" of everything that a module defines itself."""
    tree = ast.parse(Path(str(importlib.import_module(module).__file__)).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield f"{module}:{node.name}"
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name != "__post_init__":
                    yield f"{module}:{node.name}.{each.name}"


def _changed(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(operator, the line before it) of every change that the tree admits, in a fixed order: the tree has the
    change until the next one is asked for.

    Checks of the input, docstrings, defaults and annotations are left alone: they compute nothing.
    """
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    for statement, body in _statements(definition):
        if isinstance(statement, ast.Raise) or _checks_input(statement):
            continue
        line = ast.unparse(statement).split("\n")[0][:160]
        if _droppable(statement):
            place = body.index(statement)
            body[place] = ast.Pass()
            yield "line left out", line
            body[place] = statement
        for operator, node, field, value in (c for n in _expressions(statement) for c in _changes_of(n)):
            before = getattr(node, field)
            setattr(node, field, value)
            yield operator, line
            setattr(node, field, before)


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


Change = tuple[str, ast.AST, str, object]
"""The operator, and the node of which a field gets another value."""


def _changes_of(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Constant(value=int() | float() as value) if value and not isinstance(value, bool):
            yield "constant doubled", node, "value", value * 2
            if isinstance(value, float):
                yield "constant halved", node, "value", value / 2
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            operator, other = OPERATORS[type(op)]
            yield operator, node, "op", other()
        case ast.UnaryOp(op=ast.USub()):
            yield "sign", node, "op", ast.UAdd()
        case ast.Compare(ops=[op]) if type(op) in OPERATORS:
            operator, other = OPERATORS[type(op)]
            yield operator, node, "ops", [other()]
        case ast.Call():
            yield from _changes_of_call(node)
        case ast.Subscript(slice=ast.Constant(value=int() as index)):
            yield "index off by one", node, "slice", ast.Constant(index + 1 if index >= 0 else index - 1)
        case _:
            pass


def _changes_of_call(node: ast.Call) -> Iterator[Change]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in ROOTS and len(node.args) == 1:
        # f(x) becomes x itself, also where x is an array.
        same = ast.parse("lambda value: value", mode="eval").body
        yield "root or log dropped", node, "func", same
    if name in OPPOSITES:
        field = "attr" if isinstance(node.func, ast.Attribute) else "id"
        yield "min for max", node.func, field, OPPOSITES[name]
    if name == "range" and node.args:
        shorter = ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(1))
        yield "index off by one", node, "args", [*node.args[:-1], shorter]
    for k in range(len(node.args) - 1):
        a, b = node.args[k], node.args[k + 1]
        if isinstance(a, ast.Name | ast.Attribute) and isinstance(b, ast.Name | ast.Attribute):
            yield "arguments exchanged", node, "args", [*node.args[:k], b, a, *node.args[k + 2 :]]
