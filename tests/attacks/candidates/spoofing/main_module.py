"""Rewrites the zygote's own objects, by `__main__` and by every module that it loaded.

Must: wrong_answer exception early_exit
Shows: found
"""
import sys

print("began", flush=True)


def f(x):
    main = sys.modules["__main__"]
    print("found", sorted(vars(main))[:20], flush=True)
    for name, module in list(sys.modules.items()):
        if name.startswith("inside"):
            for attribute in list(vars(module)):
                if callable(vars(module)[attribute]):
                    setattr(module, attribute, lambda *a, **k: None)
    return 0.0
