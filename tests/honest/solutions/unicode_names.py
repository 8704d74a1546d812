"""Names in other scripts: Unicode identifiers, and a formatted text that isn't ASCII."""

import json

Ω = json.load(open("weights.json"))


def wägung(β, ŷ):
    """Σ β·ŷ — naïve."""
    return sum(b * y for b, y in zip(β, ŷ))


def f(x):
    print(f"Σ = {x} → ✓")
    return float(wägung(Ω, x))
