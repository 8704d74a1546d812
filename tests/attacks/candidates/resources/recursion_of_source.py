"""Source so deeply nested that the parser gives up.

Must: syntax_error import_error
"""
print("began", flush=True)
eval("(" * 100000 + ")" * 100000)
