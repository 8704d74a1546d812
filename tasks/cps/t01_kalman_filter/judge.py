"""The gates and metrics of t01, from what a candidate answered to the calls of calls.py; the processes are explained in the domain's verifier.

    measured     each hidden regime once, as it is
    future_0...  the same with y[t:] and u[t-1:] replaced by another course of the same plant: the past mustn't move; a process
                 a cut, since one that saw two courses of a regime could tell from where they part what was replaced
    response     with R, Q or the prior's covariance scaled: means and covariances must move as the exact filter's do
    symmetry     a reordered selection of the trajectories with the sensors in reverse; the states in another basis, x' = M x; and
                 all data scaled by c with the covariances by c^2

Of a causal estimator, E|x - est|^2 = E|x - exact|^2 + E|est - exact|^2 (orthogonality: B. D. O. Anderson and J. B. Moore, Optimal
Filtering (1979), ch. 2-3). So beside the measured ratio of RMSEs there is the expected one, sqrt(1 + |est - exact|^2 / |x - exact|^2),
which luck with the noise can't lower. What (X_hat, P) loses of log score in expectation is the excess of scoring.py, which has no noise
in it either; it is compared at the worst step, averaged over the trajectories, so a wrong start can't hide in a long run.

score = mean over regimes of (clip((none - rmse) / (none - exact), 0, 1) + the same of the log scores) / 2, where none is the
estimate without measurements, N(A x + B u, A P A' + Q) from the prior on. Smoke: the published score of the means, 1 - rmse / persistence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from assay.protocol import Call, Judgement, Mode, Problem, Value
from assay.records import Gate
from tasks.cps import probes
from tasks.cps.t01_kalman_filter import calls as asked
from tasks.cps.t01_kalman_filter import oracle, regimes, scoring
from tasks.cps.t01_kalman_filter.calls import SCALED
from tasks.cps.t01_kalman_filter.oracle import Gaussians
from tasks.cps.t01_kalman_filter.regimes import Regime
from tasks.cps.verifier import Values, at_least, at_most, skill

BOUNDS = {"causality": "prefix", "selection": "selection", "basis": "basis", "scale": "scale"}
"""gate -> its threshold, where that isn't `response`"""


def calls(problem: Problem, mode: Mode) -> dict[str, tuple[Call, ...]]:
    """What each process of the candidate is asked."""
    if mode == "smoke":
        return {"measured": tuple(asked.call(regime.arguments()) for regime in smoke(problem))}
    names = asked.future_names(problem)
    batches: dict[str, list[Call]] = {name: [] for name in ("measured", *names, "response", "symmetry")}
    for number, regime in enumerate(hidden(problem).values()):
        batches["measured"].append(asked.call(regime.arguments()))
        for name, arguments in zip(names, asked.futures(problem, number, regime), strict=True):
            batches[name].append(asked.call(arguments))
        batches["response"] += [asked.call(arguments) for arguments in asked.responses(problem, regime)]
        batches["symmetry"] += [asked.call(arguments) for arguments in asked.symmetries(problem, number, regime)]
    return {name: tuple(batch) for name, batch in batches.items()}


def assess(problem: Problem, mode: Mode, values: Values) -> Judgement:
    """Gates, metrics and score from the answers to `calls`."""
    if mode == "smoke":
        return _assess_smoke(problem, values["measured"])
    gates: list[Gate] = []
    metrics: dict[str, float | int | None] = {}
    worst: dict[str, float] = {}
    scores, direction = [], np.inf
    for number, (name, regime) in enumerate(hidden(problem).items()):
        answers, exact = of_regime(problem, number, values), oracle.estimate(*regime.arguments())
        stated = answers["measured"][0]
        found = accuracy(regime, stated, exact, problem.thresholds)
        gates += _accurate(name, found, problem.thresholds)
        metrics |= {f"{name}_{key}": value for key, value in found.items()}
        scores.append(found["score"])
        for key, value in (_malformed(stated[1]) | _violations(problem, number, regime, answers, exact)).items():
            worst[key] = max(worst.get(key, 0.0), value if np.isfinite(value) else np.inf)
        direction = min(direction, _slackening(regime, stated[0], answers["response"][0][0]))
    bounds = {"symmetric": "covariance", "positive semidefinite": "covariance", **BOUNDS}
    gates += [at_most(key, value, problem.thresholds[bounds.get(key, "response")]) for key, value in worst.items()]
    gates.append(at_least("less correction under a larger R", direction, 1.0))
    return Judgement(score=float(np.mean(scores)), gates=tuple(gates), metrics=metrics)


def yardsticks(problem: Problem) -> dict[str, Values]:
    """The exact filter's answers, and those of the estimate without measurements."""
    batches = calls(problem, "full")
    ends: dict[str, Values] = {"oracle": {}, "baseline": {}}
    for name, batch in batches.items():
        ends["oracle"] |= {name: tuple(oracle.estimate(*call.arguments) for call in batch)}
        ends["baseline"] |= {name: tuple(_blind(call.arguments) for call in batch)}
    return ends


def _blind(arguments: Sequence[Value]) -> Gaussians:
    A, B, _, Q, _, U, _, x0_mean, x0_cov = arguments
    return oracle.open_loop(A, B, Q, U, x0_mean, x0_cov)


def hidden(problem: Problem) -> dict[str, Regime]:
    """The hidden regimes by name, in the order of task.yaml."""
    return {name: regimes.read(problem.private / "full" / name) for name in problem.difficulty.axes["regimes"]}


def smoke(problem: Problem) -> tuple[Regime, Regime]:
    """The published test sets: in distribution and out of it."""
    numbers = problem.contract["smoke"]
    sets = (numbers["in_distribution"], numbers["out_of_distribution"])
    return regimes.published(numbers, **sets[0]), regimes.published(numbers, **sets[1])


def of_regime(problem: Problem, number: int, values: Values) -> dict[str, list[Gaussians]]:
    """The answers of each process that belong to one regime."""
    shares = {"measured": 1, "response": len(SCALED), "symmetry": 3}
    found = {name: list(values[name][share * number : share * (number + 1)]) for name, share in shares.items()}
    return {**found, "future": [values[name][number] for name in asked.future_names(problem)]}


def accuracy(regime: Regime, stated: Gaussians, exact: Gaussians, thresholds: dict[str, float]) -> dict[str, float]:
    """How good estimates of a regime are, against the exact ones and those without measurements; names as in the metrics."""
    J, none = scoring.blur(regime.x0_cov, thresholds["blur"]), regime.open_loop()
    rmse, rmse_exact, rmse_none = (probes.rmse(one[0], regime.X) for one in (stated, exact, none))
    log, log_exact, log_none = (float(np.mean(scoring.log_score(one, regime.X, J))) for one in (stated, exact, none))
    half = ndtri((1 + thresholds["coverage"]) / 2) * np.sqrt(np.maximum(np.diagonal(stated[1], axis1=2, axis2=3), 0.0))
    skills = skill(rmse, none=rmse_none, best=rmse_exact), skill(log, none=log_none, best=log_exact)
    return {
        "rmse": rmse,
        "rmse_exact": rmse_exact,
        "rmse_none": rmse_none,
        "ratio": rmse / rmse_exact,
        "expected_ratio": float(np.hypot(1.0, probes.rmse(stated[0], exact[0]) / rmse_exact)),
        "log": log,
        "log_exact": log_exact,
        "log_none": log_none,
        "log_excess": float(scoring.excess(stated, exact, J).mean(axis=0).max()),
        "nees": scoring.nees(stated, regime.X, J),
        "coverage": probes.coverage(regime.X, stated[0] - half, stated[0] + half),
        "rmse_skill": skills[0],
        "log_skill": skills[1],
        "score": (skills[0] + skills[1]) / 2,
    }


def _accurate(name: str, found: dict[str, float], thresholds: dict[str, float]) -> list[Gate]:
    return [
        at_most(f"{name}: RMSE ratio", found["ratio"], thresholds["rmse_ratio"]),
        at_most(f"{name}: expected ratio", found["expected_ratio"], thresholds["rmse_ratio"]),
        at_most(f"{name}: log score lost", found["log_excess"], thresholds["excess"]),
        Gate(
            f"{name}: better than without measurements",
            found["rmse"] < found["rmse_none"],
            found["rmse"] / found["rmse_none"],
            1.0,
        ),
    ]


def _malformed(P: np.ndarray) -> dict[str, float]:
    return {"symmetric": probes.asymmetry(P), "positive semidefinite": probes.negativity(P)}


def _violations(
    problem: Problem, number: int, regime: Regime, answers: dict[str, list[Gaussians]], exact: Gaussians
) -> dict[str, float]:
    """How far the answers are from each law; the worse of means and covariances."""
    plain = answers["measured"][0]
    (N, T, _), n, c = regime.Y.shape, len(regime.A), problem.thresholds["scale_factor"]
    rows, cuts, M = asked.selection(problem, number, N), asked.cuts(problem, number, T), asked.basis(problem, number, n)
    selected, turned, scaled = answers["symmetry"]
    turned_plain = plain[0][rows] @ M.T, M @ plain[1][rows] @ M.T
    changed = [oracle.estimate(*arguments) for arguments in asked.responses(problem, regime)]

    def worse(*pair: float) -> float:
        return float(np.max(pair))

    return {
        "causality": worse(*(probes.prefix_violation(plain[i], [one[i] for one in answers["future"]], cuts) for i in (0, 1))),
        **{
            f"response to {name}": worse(*(probes.response_error(answer[i], plain[i], right[i], exact[i]) for i in (0, 1)))
            for name, answer, right in zip(SCALED, answers["response"], changed, strict=True)
        },
        "selection": worse(*(probes.permutation_violation(plain[i], selected[i], rows) for i in (0, 1))),
        "basis": worse(*(probes.relative_difference(turned[i], turned_plain[i]) for i in (0, 1))),
        "scale": worse(*(probes.scale_violation(plain[i], scaled[i], c ** (i + 1)) for i in (0, 1))),
    }


def _slackening(regime: Regime, plain: np.ndarray, slack: np.ndarray) -> float:
    """What estimates under a larger R leave of the measurements, as a multiple of what the plain ones leave; 0 if there is no number."""
    seen = ~np.isnan(regime.Y)
    left, left_slack = (probes.rmse((estimate @ regime.C.T)[seen], regime.Y[seen]) for estimate in (plain, slack))
    ratio = left_slack / max(left, np.finfo(float).tiny)
    return ratio if np.isfinite(ratio) else 0.0


def _assess_smoke(problem: Problem, values: tuple[Value, ...]) -> Judgement:
    inside, outside = smoke(problem)
    estimates = [answer[0] for answer in values]
    rmse, rmse_outside = probes.rmse(estimates[0], inside.X), probes.rmse(estimates[1], outside.X)
    none = probes.rmse(oracle.unfiltered(inside.C, inside.Y), inside.X)
    none_outside = probes.rmse(oracle.unfiltered(outside.C, outside.Y), outside.X)
    spread = float(estimates[0].std(axis=(0, 1)).sum())
    bounds = problem.thresholds
    gates = (
        at_least("spread", spread, bounds["smoke_spread"]),
        Gate("better than persistence", rmse < bounds["smoke_ratio"] * none, rmse / none, bounds["smoke_ratio"]),
        at_most("RMSE", rmse, bounds["smoke_rmse"]),
    )
    metrics = {
        "rmse_id": rmse,
        "rmse_ood": rmse_outside,
        "persistence_id": none,
        "persistence_ood": none_outside,
        "gap": rmse_outside - rmse,
    }
    return Judgement(score=max(0.0, 1.0 - rmse / none), gates=gates, metrics=metrics)
