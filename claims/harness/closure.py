"""What a result is computed from: the import closure of a claim's module, and its digest.

The closure is read from the sources, without running them: every import statement counts, also inside
functions, except below ``if TYPE_CHECKING``. A package that loads its public names lazily lists them in that
block of its ``__init__``; ``from claims import at_most`` means the module that is named there.

Other people's code counts too: what is found on the path is read like ours, of installed distributions the
version stands for the sources.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from claims.harness.places import other_folders
from implementations.lazy import homes, names_type_checking

PACKAGES = ("claims", "audits", "implementations")
OWN = Path(__file__).resolve().parents[2]
"""The folder that holds this project's packages: a checkout, or the site-packages of whoever installed it."""
MODULES = ("dpclaims", "dpclaims_packages", "dpclaims_pytest")
EVALUATION = ("claims.harness.claim", "claims.harness.run.cells")
"""The runner's own modules that every result depends on."""


@dataclass(frozen=True, slots=True)
class _Module:
    """One source file: its digest, the modules that it imports, and its table of lazy names.

    through  the packages whose lazy names are this module's, too: `from audits import *` for type checkers.
    """

    digest: str
    imports: tuple[tuple[str, tuple[str, ...] | None], ...] = ()
    homes: Mapping[str, str] = field(default_factory=dict[str, str])
    through: tuple[str, ...] = ()


@dataclass(slots=True)
class Sources:
    """The sources below some roots, each file read once in the lifetime of this object.

    roots  packages, modules, and folders that hold some; see `roots_of`. What is ours is told by these names:
           in the site-packages of a user, everybody's packages stand beside ours.
    """

    roots: Sequence[Path]
    _read: dict[str, _Module | None] = field(default_factory=dict[str, "_Module | None"])
    _closures: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    _homes: dict[str, Path | None] = field(default_factory=dict[str, "Path | None"])
    _folder: Callable[[str], Path | None] = field(default_factory=lambda: cache(_folder_on_path))
    _version: Callable[[str], str] = field(default_factory=lambda: cache(_version_of))

    def closure(self, module: str) -> frozenset[str]:
        """Every module of ours that importing and calling `module` may load, by its dotted name."""
        if module not in self._closures:
            found: set[str] = set()
            waiting = [module]
            while waiting:
                name = waiting.pop()
                for each in _with_parents(name):
                    if each in found or self._module(each) is None:
                        continue
                    found.add(each)
                    waiting += self._imported_by(each)
            self._closures[module] = frozenset(found)
        return self._closures[module]

    def digest(self, module: str) -> str:
        """SHA-256 over names and contents of the closure of `module` and of the runner's own modules."""
        digest = hashlib.sha256()
        for name in sorted(self._behind(module)):
            source = self._module(name)
            assert source is not None
            digest.update(f"{name}\0{source.digest}\n".encode())
        for name in sorted(self._libraries(module)):
            digest.update(f"{name} {self._version(name)}\n".encode())
        return digest.hexdigest()

    def changed(self, module: str) -> bool:
        """Whether a file behind the digest of `module` is no longer what was read; without parsing any.

        Files with the same content have the same imports, so the closure is the same as well.
        """
        for name in self._behind(module):
            source, file = self._module(name), self.file(name)
            assert source is not None
            if file is None or hashlib.sha256(file.read_bytes()).hexdigest() != source.digest:
                return True
        return False

    def _behind(self, module: str) -> set[str]:
        return set(self.closure(module)).union(*(self.closure(m) for m in EVALUATION))

    def _libraries(self, module: str) -> set[str]:
        """The installed packages that the closure of `module` imports, by the names they are imported by."""
        sources = filter(None, map(self._module, self._behind(module)))
        found = {target.partition(".")[0] for source in sources for target, _ in source.imports}
        return {name for name in found if _holds_installed(self._folder(name))}

    def file(self, module: str) -> Path | None:
        """The source file of a module, below the roots or on the path; None where there is none."""
        parts = module.split(".")
        if (folder := self._home(parts[0])) is not None:
            for file in (folder.joinpath(*parts).with_suffix(".py"), folder.joinpath(*parts, "__init__.py")):
                if parts[-1] and file.is_file():
                    return file
        return None

    def _home(self, top: str) -> Path | None:
        """The folder in which a package or module is read: of a root or, unless it is installed, on the path.

        Of what is installed the version counts, not the sources.
        """
        if top not in self._homes:
            roots = (folder for root in self.roots if (folder := _holds(root, top)) is not None)
            other = self._folder(top)
            self._homes[top] = next(roots, None if _holds_installed(other) else other)
        return self._homes[top]

    def _module(self, name: str) -> _Module | None:
        if name not in self._read:
            file = self.file(name)
            self._read[name] = None if file is None else _parse(name, file)
        return self._read[name]

    def _imported_by(self, name: str) -> Iterator[str]:
        source = self._module(name)
        assert source is not None
        for target, names in source.imports:
            yield target
            package = self._module(target)
            if package is None:
                continue
            table = dict(package.homes)
            for each in filter(None, map(self._module, package.through)):
                table |= each.homes
            # `import audits` binds a package whose lazy names may all be used.
            for each in table if names is None else names:
                yield table.get(each, f"{target}.{each}")


def _version_of(name: str) -> str:
    """The names and versions of the distributions that hold an installed package; empty for none.

    >>> _version_of("numpy").split()[0]
    'numpy'
    """
    held_by = sorted(set(_distributions().get(name, [])))
    return " ".join(f"{each} {importlib.metadata.version(each)}" for each in held_by)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _folder_on_path(name: str) -> Path | None:
    """The folder that holds a package or a module on the path; None for none, and for built-in modules."""
    if not name or name in sys.stdlib_module_names or name in (*PACKAGES, *MODULES):
        return None
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or (spec.origin is None and not spec.submodule_search_locations):
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    return Path(str(spec.origin)).parent


def _holds_installed(folder: Path | None) -> bool:
    """Whether an installer put packages into this folder: site-packages, or where `pip --target` points."""
    if folder is None:
        return False
    places = {"site-packages", "dist-packages"}
    return not places.isdisjoint(folder.parts) or next(folder.glob("*.dist-info"), None) is not None


def _holds(root: Path, top: str) -> Path | None:
    """The folder in which a root has this package or module; None where it has none of this name."""
    folder = import_folder(root)
    if folder != root:
        return folder if root.name in (top, f"{top}.py") else None
    return folder if (folder / top).is_dir() or (folder / f"{top}.py").is_file() else None


def import_folder(root: Path) -> Path:
    """What must be on the path for a root: its parent where it is a package or a module, else itself."""
    return root.parent if root.is_file() or (root / "__init__.py").is_file() else root


def import_paths(roots: Sequence[Path]) -> list[str]:
    """The folders that must be on the path for these roots, each once."""
    return list(dict.fromkeys(str(import_folder(root)) for root in roots))


def roots_of(*places: Path) -> tuple[Path, ...]:
    """The roots of `Sources`: this project's packages by their names, then other people's papers.

    places  a paper's folder each, or a folder of papers; see `discover.Catalogue.folders`.
    """
    own = [OWN / name for name in (*PACKAGES, *(f"{each}.py" for each in MODULES))]
    return (*own, *(place for place in places if place != OWN / "claims"))


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def _parse(name: str, file: Path) -> _Module:
    text = file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Module(digest)  # the error is raised, with its line, by whoever imports it
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    table = {public: home.partition(":")[0] for public, home in homes(tree).items()}
    return _Module(digest, tuple(_imports(tree, package)), table, _through(tree))


def _imports(tree: ast.AST, package: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """(module, names) of every import statement; names is None where the module itself is bound."""
    for node in _live(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
        elif isinstance(node, ast.ImportFrom):
            target = node.module or ""
            if node.level:
                base = package.split(".")
                base = base[: len(base) - node.level + 1]
                target = ".".join([*base, *([target] if target else [])])
            names = tuple(alias.name for alias in node.names)
            yield target, None if "*" in names else names


def _live(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below `if TYPE_CHECKING`."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and names_type_checking(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def _through(tree: ast.Module) -> tuple[str, ...]:
    """The packages all of whose names a module offers to type checkers, and loads lazily."""
    blocks = (n for n in tree.body if isinstance(n, ast.If) and names_type_checking(n.test))
    stars = (n for block in blocks for n in block.body if isinstance(n, ast.ImportFrom))
    return tuple(n.module for n in stars if n.module and any(alias.name == "*" for alias in n.names))


def changed_since(ran: Mapping[str, str], modules: Mapping[str, str]) -> frozenset[str]:
    """The claims whose sources are no longer those of a run.

    ran      digests of the run, by the ids of its claims.
    modules  the modules that the claims stand in today, by their ids.
    """
    sources = Sources(roots_of(*other_folders()))
    return frozenset(c for c in ran if c in modules and sources.digest(modules[c]) != ran[c])
