"""Unified diffs on a workspace held in memory: `apply` a candidate's patch or refuse it, `diff` two states of a workspace.

    files, a mapping of path -> bytes     --apply(patch, files, rules)-->    a new mapping, or PatchRefused

Nothing here touches a disk or starts a program. A patch applies whole or not at all. What is decided where the tools differ:

* No fuzz: every context and deleted line must be in the file. A hunk that isn't at its stated line is looked for below the hunk
  before it and applies only where its lines occur exactly once; two places are refused.
* Lines are compared byte by byte. Where that fails for a file, all its hunks are compared once more without line endings; then kept
  lines keep theirs and added lines take those of the lines before them. Nothing else is normalised.
* Stated counts must be right. The stated line in the new file isn't looked at.
* Text before the first header is skipped; text between hunks or behind the last is refused.

Not covered: binary patches, renames, copies and modes (refused), context diffs and ed scripts (malformed).
"""

from __future__ import annotations

from assay.patches.change import apply, overlay
from assay.patches.make import diff
from assay.patches.rules import PatchRefused, PatchRules, Reason

__all__ = ["PatchRefused", "PatchRules", "Reason", "apply", "diff", "overlay"]
