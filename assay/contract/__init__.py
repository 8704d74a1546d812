"""The contract of a task folder, checked by running it: what `assay check` prints and tests/contracts asserts for every folder found.

files        what must be there is there
generation   the same seed gives the same bytes, another seed another instance
secrecy      nothing private stands in the prompt or among the public files
reference    reaches its band in every mode and at every difficulty; judged twice, the verdict is the same
cosmetic     the reference renamed and reformatted scores the same within 1e-6
rewrites     each scores as its header says
cheats       each scores exactly 0, and none of them is a fault of ours

`survey` scores everything in a folder on many instances; `figures` draws one submission's answers.
"""

from assay.contract.check import Finding, check
from assay.contract.survey import Survey, survey

__all__ = ["Finding", "Survey", "check", "survey"]
