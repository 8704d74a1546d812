"""Every refusal has its reason, its failure mode and one line, and leaves the files as they were."""

from __future__ import annotations

import time
from typing import get_args

import pytest

from assay.patches import PatchRefused, PatchRules, Reason, apply
from assay.patches.rules import collides, matches
from assay.protocol import CandidateFault

FILES = {"model.py": b"one\ntwo\nthree\n", "src/train.py": b"a\nb\n", "locked.py": b"x\n", "data": b"x\n"}
RULES = PatchRules(
    editable=("*.py", "src/**", "link/**", "way"),
    creatable=("**",),
    deletable=("data",),
    reserved=("tests/hidden/**", "**/conftest.py", "judge.py", "locked.py"),
    links=frozenset({"link", "way"}),
    patch_bytes=4000,
    file_bytes=200,
    files=3,
)
EDIT = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


def edit(path: str, hunk: str = EDIT, new: str = "") -> str:
    return f"--- a/{path}\n+++ b/{new or path}\n{hunk}"


def create(path: str, content: str = "x") -> str:
    return f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{content}\n"


def git(path: str, headers: str, rest: str = "") -> str:
    return f"diff --git a/{path} b/{path}\n{headers}{rest}"


LINK = "--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
CASES: list[tuple[str, Reason, str]] = [
    ("empty", "empty_patch", ""),
    ("white space", "empty_patch", " \r\n\n"),
    ("prose", "empty_patch", "I would change model.py.\n"),
    ("large", "patch_too_large", edit("model.py") + "x" * 4000),
    ("large in bytes", "patch_too_large", edit("model.py") + "é" * 3000),
    ("surrogate", "malformed_patch", edit("model.py", EDIT.replace("+2", "+\ud800"))),
    ("nul", "binary", edit("model.py", EDIT.replace("+2", "+\0"))),
    ("absolute", "unsafe_path", "--- /etc/passwd\n+++ /etc/passwd\n" + EDIT),
    ("absolute behind a prefix", "unsafe_path", edit("/etc/passwd")),
    ("absolute new", "unsafe_path", "--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+x\n"),
    ("parent", "unsafe_path", edit("../model.py")),
    ("parent inside", "unsafe_path", edit("src/../../model.py")),
    ("parent as prefix", "unsafe_path", "--- ../model.py\n+++ b/model.py\n" + EDIT),
    ("one parent", "unsafe_path", edit("model.py", new="../model.py")),
    ("drive", "unsafe_path", "--- C:/model.py\n+++ C:/model.py\n" + EDIT),
    ("drive behind a prefix", "unsafe_path", edit("C:model.py")),
    ("backslash", "unsafe_path", edit("src\\model.py")),
    ("quoted parent", "unsafe_path", '--- "a/\\056\\056/model.py"\n+++ "b/\\056\\056/model.py"\n' + EDIT),
    ("quoted nul", "unsafe_path", '--- "a/model.py\\000"\n+++ "b/model.py\\000"\n' + EDIT),
    ("git folder", "unsafe_path", create(".git/config")),
    ("long", "unsafe_path", create("x" * 300)),
    ("no name", "unsafe_path", "--- \n+++ \n" + EDIT),
    ("new link", "symlink", git("l", "new file mode 120000\nindex 000..111\n", LINK)),
    ("link then file", "symlink", git("l", "new file mode 120000\n", LINK) + create("l/x.py")),
    ("repointed", "symlink", git("link", "index 111..222 120000\n", edit("link", "@@ -1 +1 @@\n-a\n+/etc\n"))),
    ("repointed silently", "symlink", edit("way", "@@ -1 +1 @@\n-a\n+/etc\n")),
    ("through a link", "symlink", edit("link/x.py", "@@ -1 +1 @@\n-a\n+b\n")),
    ("new through a link", "symlink", create("Link/x.py")),
    ("to a link", "symlink", git("model.py", "old mode 100644\nnew mode 120000\n")),
    ("submodule", "mode_change", git("m", "new file mode 160000\n", LINK)),
    ("executable", "mode_change", git("m", "new file mode 100755\n", LINK)),
    ("mode", "mode_change", git("model.py", "old mode 100644\nnew mode 100755\n")),
    ("rename", "rename", "diff --git a/model.py b/m.py\nsimilarity index 100%\nrename from model.py\nrename to m.py\n"),
    ("copy", "rename", "diff --git a/model.py b/m.py\ncopy from model.py\ncopy to m.py\n"),
    ("plain rename", "rename", edit("model.py", new="m.py")),
    ("names apart", "rename", "diff --git a/model.py b/m.py\n" + edit("model.py")),
    ("another name", "malformed_patch", git("src/train.py", "", edit("model.py"))),
    ("binary", "binary", git("model.py", "index 1..2\nGIT binary patch\nliteral 3\nKcmb\n\n")),
    ("binary differ", "binary", git("model.py", "Binary files a/model.py and b/model.py differ\n")),
    ("binary plain", "binary", "Binary files a/model.py and b/model.py differ\n"),
    ("not editable", "not_editable", edit("data", "@@ -1 +1 @@\n-x\n+y\n")),
    ("deletion", "deletion", "--- a/model.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"),
    ("half a deletion", "does_not_apply", "--- a/data\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n"),
    ("missing", "no_such_file", edit("modle.py")),
    ("other case", "no_such_file", edit("Model.py")),
    ("exists", "file_exists", create("model.py")),
    ("below a file", "path_conflict", create("model.py/x.py")),
    ("on a folder", "path_conflict", create("src")),
    ("below a new file", "path_conflict", create("n") + create("n/x.py")),
    ("case of a file", "case_collision", create("MODEL.py")),
    ("case of a folder", "case_collision", create("SRC/x.py")),
    ("unicode form", "case_collision", create("e\u0301.py") + create("\u00e9.py")),
    ("two cases", "case_collision", create("n.py") + create("N.py")),
    ("hidden", "reserved_path", create("tests/hidden/test_x.py")),
    ("hidden by case", "reserved_path", create("Tests/HIDDEN/test_x.py")),
    ("hidden folder", "reserved_path", create("tests/hidden")),
    ("below hidden", "reserved_path", create("judge.py/x")),
    ("conftest", "reserved_path", create("src/conftest.py")),
    ("top conftest", "reserved_path", create("conftest.py")),
    ("reserved edit", "reserved_path", edit("locked.py", "@@ -1 +1 @@\n-x\n+y\n")),
    ("twice", "same_file_twice", edit("model.py") + edit("model.py")),
    ("many", "too_many_files", "".join(create(f"{i}.py") for i in range(4))),
    ("large file", "file_too_large", create("x.py", "x" * 300)),
    ("nothing", "no_effective_change", edit("model.py", "@@ -1,2 +1,2 @@\n one\n-two\n+two\n")),
    ("context only", "no_effective_change", edit("model.py", "@@ -1,2 +1,2 @@\n one\n two\n")),
    ("only endings of a carried patch", "no_effective_change", edit("model.py", "@@ -2 +2 @@\n-two\n+two\n").replace("\n", "\r\n")),
    ("context differs", "does_not_apply", edit("model.py", EDIT.replace(" one", " One"))),
    ("blank differs", "does_not_apply", edit("model.py", EDIT.replace(" one", " one "))),
    ("deleted differs", "does_not_apply", edit("model.py", EDIT.replace("-two", "-tow"))),
    ("behind the end", "does_not_apply", edit("model.py", "@@ -9,0 +10 @@\n+x\n")),
    ("end inside", "does_not_apply", edit("model.py", "@@ -1 +1 @@\n-one\n+1\n\\ No newline at end of file\n")),
    ("ambiguous", "ambiguous_hunk", create("n") + "--- a/src/train.py\n+++ b/src/train.py\n@@ -7 +7 @@\n-a\n+b\n"),
    ("hunk first", "malformed_patch", EDIT),
    ("no hunk", "malformed_patch", "--- a/model.py\n+++ b/model.py\n"),
    ("bad header", "malformed_patch", edit("model.py", "@@ one @@\n one\n")),
    ("combined", "malformed_patch", edit("model.py", "@@@ -1 -1 +1 @@@\n  one\n")),
    ("count too small", "malformed_patch", edit("model.py", EDIT.replace("-1,3 +1,3", "-1,2 +1,2"))),
    ("count too large", "malformed_patch", edit("model.py", EDIT.replace("-1,3 +1,3", "-1,4 +1,4"))),
    ("one count", "malformed_patch", edit("model.py", EDIT.replace("+1,3", "+1,2"))),
    ("huge count", "malformed_patch", edit("model.py", EDIT.replace("-1,3", "-1,99999999999999"))),
    ("no lines", "malformed_patch", edit("model.py", "@@ -1,0 +1,0 @@\n")),
    ("line 0", "malformed_patch", edit("model.py", "@@ -0,1 +0,1 @@\n-one\n+1\n")),
    ("overlap", "malformed_patch", edit("model.py", "@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -2,2 +2,2 @@\n two\n-three\n+3\n")),
    ("order", "malformed_patch", edit("model.py", "@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n")),
    ("elision", "malformed_patch", edit("model.py", "@@ -1,3 +1,3 @@\n one\n...\n-two\n+2\n")),
    ("marker alone", "malformed_patch", edit("model.py", "@@ -1,3 +1,3 @@\n\\ No newline at end of file\n one\n-two\n+2\n three\n")),
    ("marker inside", "malformed_patch", edit("model.py", "@@ -1,2 +1,2 @@\n one\n\\ No newline\n-two\n+2\n")),
    ("prose between", "malformed_patch", edit("model.py") + "And then:\n" + edit("src/train.py", "@@ -1 +1 @@\n-a\n+c\n")),
    ("header only", "malformed_patch", "diff --git a/model.py b/model.py\nindex 1..2 100644\n"),
    ("new and old", "malformed_patch", git("model.py", "new file mode 100644\n", edit("model.py"))),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "patch"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_it_is_refused(reason: Reason, patch: str) -> None:
    files = dict(FILES) if reason != "ambiguous_hunk" else {**FILES, "src/train.py": b"b\na\nb\na\n"}
    kept = dict(files)
    with pytest.raises(PatchRefused) as caught:
        apply(patch, files, RULES)
    assert (caught.value.reason, files) == (reason, kept), caught.value.note
    assert isinstance(caught.value, CandidateFault)
    assert caught.value.mode in ("no_code", "syntax_error", "forbidden")
    assert caught.value.note.isascii() and "\n" not in caught.value.note and reason in caught.value.note


def test_every_reason_has_a_case() -> None:
    assert {reason for _, reason, _ in CASES} | {"creation"} == set(get_args(Reason))
    with pytest.raises(PatchRefused, match=r"\(creation\): 'n.py' may not be made"):
        apply(create("n.py"), FILES, PatchRules())


def test_globs_stay_within_a_part() -> None:
    assert matches("a.py", ["*.py"]) and not matches("a/b.py", ["*.py"]) and matches("a/b.py", ["**/*.py"])
    assert matches("b.py", ["**/*.py"]) and matches("a/b/c", ["a/**"]) and matches("a", ["a/**"]) and not matches("ab", ["a"])
    assert matches("a/x/b/y/c", ["a/**/b/**/c"]) and not matches("a/x/c", ["a/*"])
    assert collides("TESTS", ["tests/x.py"]) and not collides("test", ["tests/x.py"]) and collides("a/x.py/b", ["**/x.py"])


def test_hostile_sizes_take_no_time() -> None:
    begun = time.process_time()
    lines = 60_000
    same = b"x\n" * lines
    block = " x\n" * 20_000
    hunk = f"@@ -1,20002 +1,20002 @@\n{block}-y\n+z\n x\n"
    rules = PatchRules(patch_bytes=1 << 20, creatable=("**",))
    with pytest.raises(PatchRefused, match="does_not_apply"):
        apply("--- a/f\n+++ b/f\n" + hunk, {"f": same}, rules)
    many = "".join(f"@@ -{2 * i + 1} +{2 * i + 1} @@\n-q\n+z\n" for i in range(20_000))
    with pytest.raises(PatchRefused):
        apply("--- a/f\n+++ b/f\n" + many, {"f": same + b"q\n" * 30_000}, rules)
    with pytest.raises(PatchRefused):
        apply("diff --git " + "a " * 100_000, {}, rules)
    assert not matches("/".join("a" * 100), ["/".join(["**", "a"] * 40) + "/b"])
    assert time.process_time() - begun < 5
