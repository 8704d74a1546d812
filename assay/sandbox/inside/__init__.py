"""What runs inside the sandbox: the zygote, the drop of privileges and the loop that serves one candidate.

A zygote imports this folder as the top-level package `inside`, with nothing else of Assay on its path: only the standard library
and relative imports here. No module of this folder ever sees hidden data.
"""
