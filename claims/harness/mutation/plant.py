"""A bug, and planting it: while it is open, every module of ours that holds the reference holds the bug."""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from claims.harness.closure import PACKAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A planted bug.

    name      of the bug, unique ("song2021-half-noise").
    bug       one sentence: what is wrong, and why somebody would write it.
    replaces  "package.module:function" or "package.module:Class.method", the reference it stands in for.
    by        the function with the bug, same signature; or
    swap      (old, new): the reference's own source with the text `old`, which occurs in it once, replaced.
    caught_by ids of the claims of which at least one must change its verdict while the bug is planted.
    axis      the axis whose exponent the bug changes, for bugs that one claim and axis answer for.
    file      where the bug is written down; None for a mechanical bug.
    """

    name: str
    bug: str
    replaces: str
    by: Callable[..., Any] | None = None
    swap: tuple[str, str] | None = None
    caught_by: tuple[str, ...]
    axis: str | None = None
    file: Path | None = None

    @property
    def place(self) -> str:
        """How errors name the bug: its file, if it is written down in a file, and its name."""
        return f"{self.file.name}, [{self.name}]" if self.file else self.name


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """While this is open, the function that the mutant replaces has the bug, wherever it was imported to.

    Raises ValueError where the reference does not exist, or the text to swap does not occur in it once.
    """
    by = bug_of(mutant)
    module_name, _, attribute = mutant.replaces.partition(":")
    owner: Any = importlib.import_module(module_name)
    *outer, name = attribute.split(".")
    for each in outer:
        owner = getattr(owner, each)
    held = vars(owner)[name]
    reference = getattr(owner, name)
    places: list[tuple[Any, str, Any]] = [(owner, name, held)]
    packages = {*PACKAGES, module_name.partition(".")[0]}
    if not outer:
        places += [
            (module, key, value)
            for known, module in list(sys.modules.items())
            if known.split(".")[0] in packages
            for key, value in list(vars(module).items())
            if value is reference and not (module is owner and key == name)
        ]
    kind = type(held)
    stand_in = kind(by) if kind in (staticmethod, classmethod, property) else by
    for place, key, _ in places:
        setattr(place, key, stand_in if place is owner else by)
    try:
        yield
    finally:
        for place, key, value in places:
            setattr(place, key, value)


@contextmanager
def planted_everywhere(mutant: Mutant) -> Iterator[None]:
    """While this is open, the function that the mutant replaces has the bug for everybody who holds it.

    A claim holds its `check` as an object, which a new name in the module would not reach: the function keeps
    its identity and gets the other code. Raises ValueError as `planted`.
    """
    reference = reference_of(mutant.replaces)
    code = reference.__code__
    reference.__code__ = bug_of(mutant).__code__
    try:
        yield
    finally:
        reference.__code__ = code


def reference_of(path: str) -> FunctionType:
    """The function at "package.module:function" or "package.module:Class.method"; else ValueError."""
    module_name, _, attribute = path.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except (ImportError, ValueError) as error:
        raise ValueError(f"{path!r} names no function: {error}") from None
    for each in attribute.split("."):
        held = vars(found).get(each) if inspect.isclass(found) else None
        found = held.fget if isinstance(held, property) else getattr(found, each, None)
        if found is None:
            raise ValueError(f"{path!r} names no function")
    found = inspect.unwrap(getattr(found, "__func__", found))
    if not isinstance(found, FunctionType):
        raise ValueError(f"{path!r} names no function")
    return found


def recompiled(reference: FunctionType, tree: ast.Module) -> Callable[..., Any]:
    """The function that `tree`, a module with its one definition, defines in the reference's module."""
    # A copy: the definition must not land in the module itself. Its names are looked up at once.
    names = dict(reference.__globals__)
    flags = __future__.annotations.compiler_flag
    exec(compile(tree, f"<bug in {reference.__qualname__}>", "exec", flags=flags, dont_inherit=True), names)
    found: Any = names[reference.__name__]
    while isinstance(found, staticmethod | classmethod | property):
        found = found.fget if isinstance(found, property) else found.__func__
    if isinstance(found, FunctionType):
        # The live globals of the module, so that bugs planted elsewhere are seen as well.
        live = FunctionType(
            found.__code__,
            reference.__globals__,
            found.__name__,
            reference.__defaults__,
            reference.__closure__,
        )
        live.__kwdefaults__ = reference.__kwdefaults__
        return live
    return found


def source_tree(reference: FunctionType, text: str = "") -> ast.Module:
    """The definition of a function, or another text of it, as a syntax tree, without decorators."""
    tree = ast.parse(textwrap.dedent(text or inspect.getsource(reference)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    return tree


def bug_of(mutant: Mutant) -> Callable[..., Any]:
    """The function with the bug.

    Raises ValueError, naming the bug and its file, where the reference does not exist, the text to swap does
    not occur in it once, or what comes out is no Python.
    """
    try:
        reference = reference_of(mutant.replaces)
        return mutant.by or _swapped(reference, *(mutant.swap or ("", "")))
    except SyntaxError as error:
        raise ValueError(f"{mutant.place}: with the new text it is no Python: {error.msg}") from None
    except ValueError as error:
        raise ValueError(f"{mutant.place}: {error}") from None


def _swapped(reference: FunctionType, old: str, new: str) -> Callable[..., Any]:
    text = textwrap.dedent(inspect.getsource(reference))
    if text.count(old) != 1:
        raise ValueError(f"{old!r} must occur once in {reference.__qualname__}, got {text.count(old)}")
    return recompiled(reference, source_tree(reference, text.replace(old, new)))
