"""What applies, and to which bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.patches import PatchRefused, PatchRules, apply, diff, overlay

ANY = PatchRules(creatable=("**",), deletable=("**",))
FILES = {"model.py": b"one\ntwo\nthree\nfour\nfive\n", "src/train.py": b"a\nb\n", "raw.bin": b"\xff\xfe\n\x00mid\nlast"}
EDIT = "--- a/model.py\n+++ b/model.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


def test_a_plain_and_a_git_edit() -> None:
    expected = {**FILES, "model.py": b"one\n2\nthree\nfour\nfive\n"}
    headers = (
        "",
        "diff --git a/model.py b/model.py\nindex 123..456 100644\n",
        "diff --git a/model.py b/model.py\nindex 123..456 100755\n",
        "Here is my repair:\n\n",
        "\ufeff",
        "From 12 Mon Sep 17\nSubject: x\n---\n model.py | 2 +-\n\ndiff --git a/model.py b/model.py\n",
        "diff -ru old/model.py new/model.py\n",
    )
    for head in headers:
        assert apply(head + EDIT, FILES, PatchRules()) == expected
    for names in (
        "--- model.py\n+++ model.py\n",
        "--- old/model.py\t2024-01-01\n+++ new/model.py\t2024\n",
        "--- ./model.py\n+++ ./model.py\n",
    ):
        assert apply(EDIT.replace("--- a/model.py\n+++ b/model.py\n", names), FILES, PatchRules()) == expected
    assert apply(EDIT + "-- \n2.40.1\n\n", FILES, PatchRules()) == expected
    assert FILES["model.py"].startswith(b"one\ntwo"), "what was given stays"


def test_several_files_and_hunks_keep_all_else() -> None:
    patch = (
        "diff --git a/model.py b/model.py\n--- a/model.py\n+++ b/model.py\n@@ -1 +1,2 @@ def f():\n one\n+1.5\n@@ -5 +6 @@\n-five\n+5\n"
        "diff --git a/src/train.py b/src/train.py\n--- a/src/train.py\n+++ b/src/train.py\n@@ -2,1 +2,1 @@\n-b\n+--- c\n"
    )
    result = apply(patch, FILES, PatchRules())
    assert result["model.py"] == b"one\n1.5\ntwo\nthree\nfour\n5\n"
    assert result["src/train.py"] == b"a\n--- c\n"
    assert result["raw.bin"] == FILES["raw.bin"]
    assert list(result) == list(FILES)


def test_creating_and_removing_where_rules_allow_it() -> None:
    patch = (
        "diff --git a/new/x.py b/new/x.py\nnew file mode 100644\nindex 000..111\n--- /dev/null\n+++ b/new/x.py\n@@ -0,0 +1,2 @@\n+a\n+b\n"
        "diff --git a/empty.py b/empty.py\nnew file mode 100644\nindex 000..e69\n"
        "diff --git a/src/train.py b/src/train.py\ndeleted file mode 100644\n--- a/src/train.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
        'diff --git "a/gr\\303\\274n.py" "b/gr\\303\\274n.py"\nnew file mode 100644\n--- /dev/null\n+++ "b/gr\\303\\274n.py"\n@@ -0,0 +1 @@\n+x\n'
        "diff --git a/with blank.py b/with blank.py\nnew file mode 100644\n--- /dev/null\n+++ b/with blank.py\t\n@@ -0,0 +1 @@\n+x\n"
    )
    result = apply(patch, FILES, ANY)
    assert result == {
        "model.py": FILES["model.py"], "raw.bin": FILES["raw.bin"],
        "new/x.py": b"a\nb\n", "empty.py": b"", "grün.py": b"x\n", "with blank.py": b"x\n",
    }  # fmt: skip
    with pytest.raises(PatchRefused, match="creation"):
        apply(patch, FILES, PatchRules(creatable=("other/*",)))


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ("a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n", "a\r\nB\r\nB2\r\nc\r\n"),
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n", "a\nB\nc\n"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\r\n", "a\nb\r\n"),  # the ending is the change
        ("a\r\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n b\n-c\n+C\n", "a\r\nb\nC\n"),
        ("a\r\nb\r\n", "@@ -1,0 +2 @@\n+new\n", "a\r\nnew\r\nb\r\n"),
        ("a\r\n\r\nb\r\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\r\n\r\nc\r\n"),
        ("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n"),  # a stripped blank
        ("a\rb\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n", "a\rc\n"),
        ("a\n\x0cb\u2028c\n", "@@ -1,2 +1,2 @@\n-a\n+A\n \x0cb\u2028c\n", "A\n\x0cb\u2028c\n"),
    ],
)
def test_line_endings(before: str, patch: str, after: str) -> None:
    names = "--- a/f\n+++ b/f\n"
    assert apply(names + patch, {"f": before.encode()}, ANY)["f"] == after.encode()


def test_a_patch_carried_with_crlf() -> None:
    expected = b"one\n2\nthree\nfour\nfive\n"
    assert apply(EDIT.replace("\n", "\r\n"), FILES, ANY)["model.py"] == expected
    crlf = {"model.py": FILES["model.py"].replace(b"\n", b"\r\n")}
    assert apply(EDIT.replace("\n", "\r\n"), crlf, ANY)["model.py"] == expected.replace(b"\n", b"\r\n")


NO_NEWLINE = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}+c\n{NO_NEWLINE}", "a\nc"),
        ("a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}+b\n", "a\nb\n"),
        ("a\nb\n", f"@@ -1,2 +1,2 @@\n a\n-b\n+b\n{NO_NEWLINE}", "a\nb"),
        ("a\nb", f"@@ -1,2 +1,2 @@\n-a\n+A\n b\n{NO_NEWLINE}", "A\nb"),
        ("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "A\nb"),  # the marker is missing: the file keeps its end
        ("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc\n"),
        ("a\r\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\r\nb\r\nc\r\n"),
        ("", f"@@ -0,0 +1 @@\n+a\n{NO_NEWLINE}", "a"),
    ],
)
def test_the_missing_newline_at_the_end(before: str, hunk: str, after: str) -> None:
    assert apply("--- a/f\n+++ b/f\n" + hunk, {"f": before.encode()}, ANY)["f"] == after.encode()


def test_a_hunk_elsewhere_applies_only_where_it_fits_once() -> None:
    names = "--- a/f\n+++ b/f\n"
    hunk = "@@ -9,2 +9,2 @@\n x\n-y\n+z\n"
    assert apply(names + hunk, {"f": b"1\n2\nx\ny\n3\n"}, ANY)["f"] == b"1\n2\nx\nz\n3\n"
    assert apply(names + hunk.replace("9", "1"), {"f": b"x\ny\nx\ny\n"}, ANY)["f"] == b"x\nz\nx\ny\n"
    with pytest.raises(PatchRefused, match="ambiguous_hunk"):
        apply(names + hunk, {"f": b"x\ny\nx\ny\n"}, ANY)
    two = "@@ -1,1 +1,1 @@\n-q\n+Q\n@@ -3,2 +3,2 @@\n x\n-y\n+z\n"
    assert apply(names + two, {"f": b"x\ny\nq\nx\ny\n"}, ANY)["f"] == b"x\ny\nQ\nx\nz\n", "looked for below the hunk before"


def test_bytes_that_are_no_text_survive() -> None:
    before, after = {"f": b"\xff\nmid\n\xfe\x80\n"}, {"f": b"\xff\nMID\xc3\n\xfe\x80\n"}
    assert apply(diff(before, after), before, ANY) == after
    changed = apply(
        "--- a/raw.bin\n+++ b/raw.bin\n@@ -3 +3,2 @@\n last\n\\ No newline at end of file\n+\n".replace(
            "last\n\\ No newline at end of file\n+\n", "last\n+more\n"
        ),
        FILES,
        ANY,
    )
    assert changed["raw.bin"] == b"\xff\xfe\n\x00mid\nlast\nmore\n"


def test_hidden_files_win() -> None:
    hidden = {"tests/test_hidden.py": b"ours", "x[1].py": b"ours"}
    files = {
        "model.py": b"",
        "Tests/Test_Hidden.py": b"theirs",
        "tests/visible.py": b"",
        "tests/test_hidden.py/x": b"",
        "x1.py": b"",
    }
    merged, lost = overlay(files, hidden)
    assert lost == ("Tests/Test_Hidden.py", "tests/test_hidden.py/x")
    assert merged == {"model.py": b"", "tests/visible.py": b"", "x1.py": b"", **hidden}


LINE = st.sampled_from(
    ["", "a", "b", "  x = 1", "--- a/f", "+++ b/f", "@@ -1 +1 @@", "\\", "-", "+", " ", "é", "\r", "a\r", "\x0c", "\udcff"]
)
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=12), st.sampled_from(["", "\n"]))
BYTES = TEXT.map(lambda text: text.encode(errors="surrogateescape"))
TREE = st.dictionaries(st.sampled_from(["f", "g/h.py", "g/with blank", "grün"]), BYTES, max_size=3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(TREE, TREE, st.integers(1, 4))
def test_a_diff_applies_to_exactly_the_new_state(before: dict[str, bytes], after: dict[str, bytes], context: int) -> None:
    patch = diff(before, after, context=context)
    if not patch:
        assert before == after
        return
    assert apply(patch, before, ANY) == after


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(st.sampled_from('abfg/- +@,0123\n\r\\\t".'), max_size=80), TREE)
def test_any_text_applies_or_is_refused_in_one_line(text: str, files: dict[str, bytes]) -> None:
    for patch in (
        text,
        f"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n{text}",
        f"--- a/f\n+++ b/f\n@@ {text}",
        f"diff --git {text}",
        f"--- {text}\n+++ {text}\n@@ -1 +1 @@\n-a\n+b\n",
    ):
        try:
            apply(patch, files, ANY)
        except PatchRefused as refused:
            assert "\n" not in refused.note and refused.note.isascii()
