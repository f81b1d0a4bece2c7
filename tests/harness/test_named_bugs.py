"""Bugs that are written down: what a file may hold, what is refused, and what --update writes."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

from audits.judge import at_least, equals
from claims.harness.claim import Claim
from claims.harness.closure import Sources, roots_of
from claims.harness.discover import Catalogue, discover
from claims.harness.mutation import bugs, update
from claims.harness.mutation.bugs import holders, named_bugs
from claims.harness.mutation.named import FOLDER, named, read_bugs, with_caught_by
from claims.harness.mutation.plant import planted
from claims.harness.mutation.update import updated
from tests.harness.synthetic import claim

GOOD = """\
# A header that stays.
module = "implementations.privacy"

[demo-half]  # and a remark
bug = "Half of the amplified ε."
replaces = "amplified_epsilon"
old = "math.expm1("
new = '''
0.5 * math.expm1('''
caught_by = ["demo/theorem-1"]

["demo-2.5"]
bug = "Somebody else's noise."
replaces = "implementations.levy2021.winsorized_mean_1d:noise_scale"
by = "claims.mutants.levy2021:double_noise"
axis = "n"
caught_by = [
    "demo/theorem-1",
    "demo/theorem-2",
]
"""


def _write(folder: Path, text: str) -> Path:
    file = folder / "demo_bugs.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_gives_its_bugs_in_order(tmp_path):
    half, other = read_bugs(_write(tmp_path, GOOD))
    assert half.name == "demo-half"
    assert half.replaces == "implementations.privacy:amplified_epsilon"
    assert half.swap == ("math.expm1(", "0.5 * math.expm1(")
    assert half.caught_by == ("demo/theorem-1",)
    assert (half.by, half.axis) == (None, None)
    assert other.name == "demo-2.5"
    assert other.by is importlib.import_module("claims.mutants.levy2021").double_noise
    assert (other.swap, other.axis) == (None, "n")
    assert [m.name for m in named(folders=[tmp_path])] == ["demo-2.5", "demo-half"]
    assert [m.name for m in named(["*-half"], [tmp_path])] == ["demo-half"]


HALF = "demo_bugs.toml, [demo-half]: "


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('old = "math', "old = math", HALF + "Invalid value (at line 7"),
        ("[demo-half]", "[demo-half", "demo_bugs.toml, [demo-half  # and a remark: Expected"),
        ('["demo-2.5"]', "[demo-half]", HALF + "Cannot declare ('demo-half',) twice"),
        ('caught_by = ["demo/theorem-1"]', "", HALF + "caught_by is missing"),
        ('bug = "Half of the amplified ε."', "", HALF + "bug is missing"),
        ('replaces = "amplified_epsilon"', "", HALF + "replaces is missing"),
        ('old = "math.expm1("', "", HALF + "give either old and new (texts) or by (a function)"),
        ("[demo-half]", '[demo-half]\nby = "a:b"', HALF + "give either old and new"),
        ('old = "math', 'olds = "math', HALF + "unknown key 'olds'; known: axis, bug, by"),
        ('["demo/theorem-1"]', '"demo/theorem-1"', HALF + "caught_by must be a list of claim ids"),
        ('["demo/theorem-1"]', "[1]", HALF + "caught_by must be a list of claim ids in quotes, got [1]"),
        ('"Half of the amplified ε."', "3", HALF + "bug must be a text in quotes, got 3"),
        ('"math.expm1("', '""', HALF + "old must be a text in quotes, got ''"),
        ('"implementations.privacy"', "7", "demo_bugs.toml: module must be a name in quotes"),
        ('module = "implementations.privacy"', "", HALF + "replaces must be package.module:function"),
        ("module =", 'modul = "x"\nmodule =', "demo_bugs.toml: a bug is a table ([name], then its keys)"),
        (":double_noise", ":nothing", "demo_bugs.toml, [demo-2.5]: by: 'claims.mutants.levy2021:nothing'"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_named_with_its_file_and_bug(tmp_path, old, new, says):
    assert GOOD.count(old) >= 1
    file = _write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ValueError) as caught:
        read_bugs(file)
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_named(tmp_path):
    file = tmp_path / "demo_bugs.toml"
    file.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"demo_bugs.toml cannot be read"):
        read_bugs(file)


def test_a_name_in_two_files_is_refused(tmp_path):
    _write(tmp_path, GOOD)
    (tmp_path / "demo_other.toml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ValueError, match=r"demo_other.toml, \[demo-half\]: the name is taken .*demo_bugs"):
        named(folders=[tmp_path])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("math.expm1(", "nowhere(", "'nowhere(' must occur once in amplified_epsilon, got 0"),
        ("math.expm1(", "epsilon", "'epsilon' must occur once in amplified_epsilon, got "),
        ("0.5 * math.expm1(", "((math.expm1(", "the new text it is no Python: '(' was never closed"),
        ('"amplified_epsilon"', '"no_function"', "'implementations.privacy:no_function' names no function"),
        ("implementations.privacy", "implementations.nobody", "names no function: No module named"),
        ("demo/theorem-1", "demo/theorem-0", "no claim matches the pattern 'demo/theorem-0'; did you mean"),
    ],
)
def test_what_cannot_be_planted_is_named_before_a_claim_runs(tmp_path, monkeypatch, old, new, says):
    _write(tmp_path, GOOD.replace(old, new, 1))
    monkeypatch.setattr(bugs, "named", lambda patterns, _: named(patterns, [tmp_path]))
    with pytest.raises(ValueError, match=r"demo_bugs.toml, \[demo-half\]: ") as caught:
        named_bugs(["demo-half"], _catalogue())
    assert says in str(caught.value)


def test_the_command_names_a_broken_file_in_one_sentence(dpclaims, tmp_path, monkeypatch):
    _write(tmp_path, GOOD.replace("caught_by", "caught"))
    monkeypatch.setattr(bugs, "named", lambda patterns, _: named(patterns, [tmp_path]))
    status, out, err = dpclaims("mutants", "demo-*")
    assert (status, out) == (2, "")
    assert err.startswith("dpclaims: demo_bugs.toml, [demo-half]: unknown key 'caught'")
    assert err.count("\n") == 1


def _amplified() -> float:
    return importlib.import_module("implementations.privacy").amplified_epsilon(1.0, 0.5)


def _sees(point):
    yield at_least("amplified ε", _amplified(), 0.6)


def _sees_too(point):
    yield equals("amplified ε", _amplified() > 0.6, True)


def _blind(point):
    yield equals("fact", 1, 1)


def _claim(number: int, check) -> Claim:
    return claim(f"theorem-{number}", check=check, trials=0, points=[{"n": 1}])


def _catalogue(*checks) -> Catalogue:
    claims = tuple(_claim(k, check) for k, check in enumerate(checks or (_blind, _blind), 1))
    return Catalogue(claims, (), (), ())


def _updated(folder: Path, monkeypatch, checks, text: str = GOOD) -> tuple[str, list[str], bool]:
    """The file after --update of its first bug, what was said of it, and whether it was caught."""
    file = _write(folder, text)
    catalogue = _catalogue(*checks)
    monkeypatch.setattr(bugs, "named", lambda patterns, _: named(patterns, [folder]))
    monkeypatch.setattr(update, "holders", lambda module, catalogue, sources: list(catalogue.claims))
    said: list[str] = []
    sources = Sources(roots_of())
    (row,) = updated(named_bugs(["demo-half"], catalogue), catalogue, sources=sources, notify=said.append)
    return file.read_text(encoding="utf-8"), said[-1:], row["caught"]


def test_update_writes_those_listed_claims_that_notice_and_nothing_else(tmp_path, monkeypatch):
    listed = '["demo/theorem-3", "demo/theorem-1", "demo/theorem-2"]'
    before = GOOD.replace('["demo/theorem-1"]', listed)
    text, said, caught = _updated(tmp_path, monkeypatch, (_sees, _blind, _sees_too, _sees), before)
    assert caught
    assert text == GOOD.replace('["demo/theorem-1"]', '["demo/theorem-3", "demo/theorem-1"]')
    assert said == [
        HALF + "caught_by is now ['demo/theorem-3', 'demo/theorem-1'], "
        "was ['demo/theorem-3', 'demo/theorem-1', 'demo/theorem-2']"
    ]


@pytest.mark.parametrize("listed", ['["demo/theorem-1"]', "[]"])
def test_where_no_listed_claim_notices_update_asks_all_that_import_the_module(tmp_path, monkeypatch, listed):
    before = GOOD.replace('["demo/theorem-1"]', listed)
    text, _, caught = _updated(tmp_path, monkeypatch, (_blind, _sees, _blind, _sees_too), before)
    assert caught
    assert text == GOOD.replace('["demo/theorem-1"]', '["demo/theorem-2", "demo/theorem-4"]')


def test_where_no_claim_notices_update_says_so_and_leaves_the_entry(tmp_path, monkeypatch):
    text, said, caught = _updated(tmp_path, monkeypatch, (_blind, _blind))
    assert (text, caught) == (GOOD, False)
    assert said == [HALF + "no claim notices it; caught_by stays ['demo/theorem-1']"]


def test_an_entry_that_update_cannot_edit_is_named_with_its_file(tmp_path, monkeypatch):
    other = GOOD.replace('caught_by = ["demo/theorem-1"]', '"caught_by" = ["demo/theorem-1"]')
    with pytest.raises(
        ValueError, match=r"^demo_bugs.toml, \[demo-half\]: its caught_by is not a plain list"
    ):
        _updated(tmp_path, monkeypatch, (_blind, _sees), other)
    assert (tmp_path / "demo_bugs.toml").read_text(encoding="utf-8") == other


def test_the_claims_that_are_asked_import_the_module():
    found = discover()
    asked = holders("implementations.levy2021.private_range", found, Sources(roots_of()))
    assert "levy2021/theorem-1-privacy" in {c.id for c in asked}
    assert not {"controls", "song2021"} & {c.paper.key for c in asked}
    assert "levy2021/proposition-3" not in {c.id for c in asked}


def test_any_entry_of_ours_can_be_rewritten_and_written_back():
    for file in sorted(FOLDER.glob("*.toml")):
        text = file.read_text(encoding="utf-8")
        for bug in read_bugs(file)[::7]:
            ids = ["demo/theorem-1", f"demo/{'long-' * 30}"]
            edited = with_caught_by(text, bug.name, ids)
            assert tomllib.loads(edited)[bug.name]["caught_by"] == ids
            assert with_caught_by(edited, bug.name, bug.caught_by) == text, bug.name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[demo-half]", "[ demo-half ]"),
        ('["demo/theorem-1"]', "['a', 'b]']"),
        ('caught_by = ["demo/theorem-1"]', '"caught_by" = ["demo/theorem-1"]'),
    ],
)
def test_an_entry_that_is_written_in_another_way_is_left_to_its_author(old, new):
    with pytest.raises(ValueError, match=r"\[demo-half\]: its caught_by is not"):
        with_caught_by(GOOD.replace(old, new, 1), "demo-half", ["demo/theorem-9"])


def test_the_bug_of_a_file_is_planted(tmp_path):
    half, _ = read_bugs(_write(tmp_path, GOOD))
    before = _amplified()
    with planted(half):
        assert _amplified() < before
    assert _amplified() == before
