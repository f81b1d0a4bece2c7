"""Draws the outputs of a mechanism in another Python: it runs there as a script and needs nothing but NumPy.

It is written for Python 3.6 and later, and imports nothing of this project but `values`, which stands beside
it: `audits.remote` starts it with another interpreter, whose libraries the mechanism uses. Questions come
through standard input and answers go back through standard output, as frames:

    8 bytes, big endian: length of the header · header (JSON) · the blocks of the header's "blocks" (lengths)

A value of Python is a small JSON tree (`values.encode`), arrays are blocks in NumPy's own format without
pickle. Whatever the mechanism prints goes to a file that the asking process reads only if this process ends.
"""

import importlib.machinery
import importlib.util
import itertools
import json
import os
import random
import signal
import struct
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

Frame = Tuple[Dict[str, Any], List[bytes]]

MOST_HEADER = 1 << 28
MOST_PAIRS = 65
MOST_PRINTED = 1 << 20
"""Bytes of what was printed that are kept, about."""
HERE = os.path.dirname(os.path.abspath(__file__))


def by_path(name: str, path: str) -> Any:
    """A module or a package of this project, which this Python need not have installed."""
    if name not in sys.modules:
        inside = [os.path.dirname(path)] if os.path.basename(path) == "__init__.py" else None
        spec: Any = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inside)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


values = by_path("audits.values", os.path.join(HERE, "values.py"))


# --- Frames ----------------------------------------------------------------------------------------------


def frame(header: Dict[str, Any], blocks: List[bytes]) -> bytes:
    """A frame as bytes."""
    text = json.dumps(dict(header, blocks=[len(block) for block in blocks])).encode("utf-8")
    return b"".join([struct.pack(">Q", len(text)), text] + list(blocks))


def read_frame(read: Callable[[int], bytes]) -> Optional[Frame]:
    """(header, blocks) of the next frame; `read(n)` gives n bytes, or fewer at the end of the stream.

    Returns None at the end of the stream. Raises ValueError where the bytes are no frame.
    """

    def whole(size: int, known: bytes = b"") -> bytes:
        found = known or read(size)
        if len(found) < size:
            raise ValueError("the stream ends inside a frame")
        return found

    start = read(8)
    if not start:
        return None
    (length,) = struct.unpack(">Q", whole(8, start))
    if length > MOST_HEADER:
        raise ValueError("these bytes are no frame: {!r}".format(start))
    text = whole(length)
    header = json.loads(text.decode("utf-8"))
    lengths = header.get("blocks") if isinstance(header, dict) else None
    if not isinstance(lengths, list) or not all(isinstance(n, int) and n >= 0 for n in lengths):
        raise ValueError("these bytes are no frame: no blocks in {!r}".format(text[:80]))
    return header, [whole(n) for n in lengths]


# --- Mechanisms of another shape --------------------------------------------------------------------------


def each(f: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism from `f(data, rng)`, one output a call; every call gets its own copy of the data."""

    def mechanism(data: Any, size: int, rng: Any = None) -> List[Any]:
        fresh = values.copier(data)
        kept = fresh(data)
        outputs: List[Any] = []
        for place in range(size):
            # The first call gets the data themselves: whoever handed them out sees whether `f` changes them.
            mine = data if place == 0 else fresh(kept)
            output = f(mine) if rng is None else f(mine, rng)
            # A mechanism may hand out the same object again, and write into it or into what it holds.
            outputs.append(values.copier(output)(output))
        return outputs

    mechanism.replayable = getattr(f, "replayable", True)
    mechanism.one_by_one = True
    return mechanism


def unseeded(f: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism from `f(data, size)` that draws its randomness from somewhere else than a generator.

    The audit's result says that it cannot be replayed. `each(unseeded(f))` and `unseeded(each(f))` both wrap
    an `f(data)` that draws one output a call.
    """

    def mechanism(*arguments: Any) -> Any:
        return f(*arguments[:-1])

    mechanism.replayable = False
    mechanism.one_by_one = getattr(f, "one_by_one", False)
    return mechanism


def stand_in(name: str) -> Any:
    """A module `audits` or `dpclaims` with `each`, `unseeded` and `adapters`, for a file that serves both
    ways."""
    module: Any = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    # `audits.adapters` is written for any Python and stands beside this file.
    module.__path__ = [HERE]
    module.each, module.unseeded = each, unseeded
    return module


# --- The process ------------------------------------------------------------------------------------------


def generator(seed: List[int]) -> Any:
    """A generator from a list of numbers below 2³²; the generators of the whole process are seeded, too."""
    # Libraries that draw from these generators then give the same outputs for the same seed.
    np.random.seed(seed)
    random.seed(",".join(map(str, seed)))
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed[0] << 32 | seed[1])
    if hasattr(np.random, "default_rng"):
        return np.random.default_rng(seed)
    return np.random.RandomState(seed)


def load(path: str, name: str) -> Any:
    """The module of a file, with the mechanism in it. Raises AttributeError where it is missing."""
    for own in ("audits", "dpclaims"):
        if importlib.util.find_spec(own) is None:
            sys.modules[own] = stand_in(own)
    folder, file = os.path.split(os.path.abspath(path))
    sys.path.insert(0, folder)
    spec: Any = importlib.util.spec_from_file_location(os.path.splitext(file)[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(spec.name, module)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        raise AttributeError("no function {!r} in {}".format(name, path))
    return module


def said(module: Any, what: str, name: str) -> Any:
    """What a module says of a mechanism: one value for all of them, or a dictionary by their names."""
    value = getattr(module, what, None)
    return value.get(name) if isinstance(value, dict) else value


def taken(pairs: Any, seed: List[int]) -> List[Tuple[Any, ...]]:
    """The pairs of a module as a list of two-tuples, at most `MOST_PAIRS`."""
    found: Any = pairs(generator(seed)) if callable(pairs) else pairs
    return [tuple(pair) for pair in itertools.islice(found, MOST_PAIRS)]


class Worker:
    """Answers questions about one module."""

    def __init__(self) -> None:
        self.module: Any = None
        self.mechanism: Any = None
        self.name = ""

    def answer(self, header: Dict[str, Any], blocks: List[bytes]) -> Frame:
        """(header, blocks) of the answer to a question."""
        return getattr(self, "on_" + header["ask"])(header, blocks)

    def on_load(self, header: Dict[str, Any], blocks: List[bytes]) -> Frame:
        """Loads the file and says what it gives."""
        self.module = load(header["file"], header["name"])
        self.name = header["name"]
        self.mechanism = getattr(self.module, self.name)
        adjacency = said(self.module, "adjacency", self.name)
        claim = [said(self.module, each, self.name) for each in ("epsilon", "delta")]
        found: List[bytes] = []
        libraries: Dict[str, str] = {}
        for library in sorted(sys.modules):
            version = getattr(sys.modules[library], "__version__", None)
            if "." not in library and not library.startswith("_") and isinstance(version, str):
                libraries[library] = version
        return {
            "python": sys.version.split()[0],
            "libraries": libraries,
            "replayable": bool(getattr(self.mechanism, "replayable", True)),
            "one_by_one": bool(getattr(self.mechanism, "one_by_one", False)),
            "has": [n for n in ("pairs", "adjacency") if said(self.module, n, self.name) is not None],
            "adjacency": adjacency if isinstance(adjacency, str) else None,
            "value": values.encode(claim, found),
        }, found

    def on_pairs(self, header: Dict[str, Any], blocks: List[bytes]) -> Frame:
        """The module's pairs."""
        found: List[bytes] = []
        return {
            "value": values.encode(taken(said(self.module, "pairs", self.name), header["seed"]), found)
        }, found

    def on_adjacent(self, header: Dict[str, Any], blocks: List[bytes]) -> Frame:
        """What the module's adjacency says of two datasets."""
        first, second = values.decode(header["value"], blocks)
        return {"value": bool(said(self.module, "adjacency", self.name)(first, second))}, []

    def on_draw(self, header: Dict[str, Any], blocks: List[bytes]) -> Frame:
        """`size` outputs on a dataset, and whether the mechanism has changed that."""
        data = values.decode(header["value"], blocks)
        before = values.digest(data)
        outputs = self.mechanism(data, header["size"], generator(header["seed"]))
        changed = values.digest(data) != before
        found: List[bytes] = []
        return {"value": values.encode(outputs, found), "changed": changed}, found

    def on_trace(self, header: Dict[str, Any], blocks: List[bytes]) -> Frame:
        """What runs of the grey-box audit saw."""
        by_path("dpclaims_trace", os.path.join(header["package"], "__init__.py"))
        records: Any = importlib.import_module("dpclaims_trace.records")
        pair: Any = importlib.import_module("dpclaims_trace.replay.pair")
        runs = [records.Asked(**asked) for asked in values.decode(header["value"], blocks)]
        found: List[bytes] = []
        reports = pair.trace_runs(self.mechanism, runs, header["primitives"])
        return {"value": values.encode(records.written(reports), found)}, found


def main() -> None:
    """Answers until standard input ends."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What the library prints must not get among the answers, not even from compiled code.
    silent = os.open(os.devnull, os.O_RDONLY)
    os.dup2(silent, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the asking one decides
    worker = Worker()
    while True:
        question = read_frame(questions.read)
        if question is None:
            return
        try:
            header, blocks = worker.answer(*question)
        except (Exception, SystemExit) as error:
            message = " ".join(str(error).split())[:500]
            header, blocks = {"error": type(error).__name__, "message": message}, []
        answers.write(frame(header, blocks))
        answers.flush()
        sys.stdout.flush()
        if os.fstat(2).st_size > MOST_PRINTED:
            os.ftruncate(2, 0)


if __name__ == "__main__":
    main()
