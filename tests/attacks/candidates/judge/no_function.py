"""No function, but something with its name.

Must: missing_function
"""
print("began", flush=True)
f = "breached"
