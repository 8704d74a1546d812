"""Raises its own limits.

Must: wrong_answer
Shows: tried
"""
import resource

print("began", flush=True)


def f(x):
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            which = getattr(resource, name)
            soft, hard = resource.getrlimit(which)
            try:
                resource.setrlimit(which, (resource.RLIM_INFINITY,) * 2)
            except (OSError, ValueError):
                continue
            if resource.getrlimit(which) != (soft, hard):
                print("breached", name, flush=True)
    print("tried", flush=True)
    return 0.0
