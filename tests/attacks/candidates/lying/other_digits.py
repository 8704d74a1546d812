"""Digits of another script that int() would take for the number.

Must: wrong_answer
Asks: text
"""
print("began", flush=True)


def f(x):
    return "\u0661\u0662\u0663 \u202e\0\n"
