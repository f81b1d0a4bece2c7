"""Bugs that are written down: what a file may hold, what is refused, and which claims are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from claims.harness.closure import Sources, roots_of
from claims.harness.discover import Catalogue, discover
from claims.harness.mutation import bugs
from claims.harness.mutation.bugs import named_bugs
from claims.harness.mutation.named import named, read_bugs
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
old = "return"
new = "return 2 *"
axis = "n"
caught_by = [
    "demo/theorem-1",
    "demo/theorem-2",
]
"""


CATALOGUE = Catalogue((claim("theorem-1"), claim("theorem-2")), (), (), ())
SOURCES = Sources(roots_of())


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
    assert half.axis is None
    assert other.name == "demo-2.5"
    assert (other.swap, other.axis) == (("return", "return 2 *"), "n")
    assert [m.name for m in named(folders=[tmp_path])] == ["demo-2.5", "demo-half"]
    assert [m.name for m in named(["*-half"], [tmp_path])] == ["demo-half"]


HALF = "demo_bugs.toml, [demo-half]: "


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('old = "math', "old = math", "demo_bugs.toml: Invalid value (at line 7"),
        ("[demo-half]", "[demo-half", "demo_bugs.toml: Expected"),
        ('["demo-2.5"]', "[demo-half]", "demo_bugs.toml: Cannot declare ('demo-half',) twice"),
        ('caught_by = ["demo/theorem-1"]', "", HALF + "caught_by is missing"),
        ('bug = "Half of the amplified ε."', "", HALF + "bug is missing"),
        ('replaces = "amplified_epsilon"', "", HALF + "replaces is missing"),
        ('old = "math.expm1("', "", HALF + "old is missing"),
        ('old = "math', 'olds = "math', HALF + "unknown key 'olds'; known: axis, bug, caught_by"),
        ('["demo/theorem-1"]', '"demo/theorem-1"', HALF + "caught_by must be a list of claim ids"),
        ('["demo/theorem-1"]', "[1]", HALF + "caught_by must be a list of claim ids in quotes, got [1]"),
        ('"Half of the amplified ε."', "3", HALF + "bug must be a text in quotes, got 3"),
        ('"math.expm1("', '""', HALF + "old must be a text in quotes, got ''"),
        ('"implementations.privacy"', "7", "demo_bugs.toml: module must be a name in quotes"),
        ('module = "implementations.privacy"', "", HALF + "replaces must be package.module:function"),
        ("module =", 'modul = "x"\nmodule =', "demo_bugs.toml: a bug is a table ([name], then its keys)"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_named_with_its_file_and_bug(tmp_path, old, new, says):
    assert GOOD.count(old) >= 1
    file = _write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ValueError) as caught:
        read_bugs(file)
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


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
        named_bugs(["demo-half"], CATALOGUE, SOURCES)
    assert says in str(caught.value)


def test_where_a_bug_names_no_claim_all_are_asked_that_import_the_module(tmp_path, monkeypatch):
    text = GOOD.replace('["demo/theorem-1"]', "[]").replace("amplified_epsilon", "range_law")
    text = text.replace("implementations.privacy", "implementations.levy2021.private_range")
    _write(tmp_path, text.replace("math.expm1(", "math.log("))
    monkeypatch.setattr(bugs, "named", lambda patterns, _: named(patterns, [tmp_path]))
    (bug,) = named_bugs(["demo-half"], discover(), SOURCES)
    asked = {c.id for c in bug.claims}
    assert "levy2021/theorem-1-privacy" in asked
    assert not {"controls", "song2021"} & {name.split("/")[0] for name in asked}
    assert "levy2021/proposition-3" not in asked
