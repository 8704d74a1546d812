"""Probe inputs for t01 and the gates and metrics from what came back; the processes are explained in the domain's verifier.

    measured     each hidden regime once, as it is: RMSE against the exact filter and against no filter
    future_0...  the same with y[t:] and u[t-1:] replaced by another course of the same plant: the past mustn't move; a process
                 a cut, since one that saw two courses of a regime could tell from where they part what was replaced
    response     with R, Q or the prior's covariance scaled: the estimates must move as the exact filter's do
    symmetry     a reordered selection of the trajectories; and all data scaled by c with the covariances by c^2

Of a causal linear estimator, E|x - est|^2 = E|x - exact|^2 + E|est - exact|^2 (orthogonality: B. D. O. Anderson and J. B. Moore, Optimal
Filtering (1979), ch. 2-3). So beside the measured ratio of RMSEs there is the expected one, sqrt(1 + |est - exact|^2 / |x - exact|^2),
which luck with the noise can't lower.

score = mean over regimes of clip((none - rmse) / (none - exact), 0, 1); smoke: the published score 1 - rmse / persistence.

Not covered: covariances that change in time, the candidate's own covariances (the contract asks for means only).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from assay.protocol import Call, Judgement, Mode, Problem, Returns, Value
from assay.records import Gate
from tasks.cps import probes
from tasks.cps.t01_kalman_filter import oracle, regimes
from tasks.cps.t01_kalman_filter.regimes import Regime
from tasks.cps.verifier import Values, at_most, skill

SCALED = ("R", "Q", "x0_cov")


def calls(problem: Problem, mode: Mode) -> dict[str, tuple[Call, ...]]:
    """What each process of the candidate is asked."""
    if mode == "smoke":
        return {"measured": tuple(_call(regime.arguments()) for regime in smoke(problem))}
    batches: dict[str, list[Call]] = {name: [] for name in ("measured", *_future_names(problem), "response", "symmetry")}
    for number, regime in enumerate(hidden(problem).values()):
        batches["measured"].append(_call(regime.arguments()))
        for name, arguments in zip(_future_names(problem), _futures(problem, number, regime), strict=True):
            batches[name].append(_call(arguments))
        batches["response"] += [_call(arguments) for arguments in _responses(problem, regime)]
        batches["symmetry"] += [_call(arguments) for arguments in _symmetries(problem, number, regime)]
    return {name: tuple(batch) for name, batch in batches.items()}


def assess(problem: Problem, mode: Mode, values: Values) -> Judgement:
    """Gates, metrics and score from the answers to `calls`."""
    if mode == "smoke":
        return _assess_smoke(problem, values["measured"])
    gates: list[Gate] = []
    metrics: dict[str, float | int | None] = {}
    scores, worst = [], dict.fromkeys(("causality", *(f"response to {name}" for name in SCALED), "selection", "scale"), 0.0)
    direction = np.inf
    for number, (name, regime) in enumerate(hidden(problem).items()):
        answers = _of_regime(problem, number, values)
        accuracy = _accuracy(regime, answers["measured"][0])
        gates += [
            at_most(f"{name}: RMSE ratio", accuracy["ratio"], problem.thresholds["rmse_ratio"]),
            at_most(f"{name}: expected ratio", accuracy["expected_ratio"], problem.thresholds["rmse_ratio"]),
            at_most(f"{name}: better than no filter", accuracy["rmse"] / accuracy["none"], 1.0),
        ]
        metrics |= {f"{name}_{key}": value for key, value in accuracy.items()}
        scores.append(accuracy["score"])
        for key, value in _violations(problem, number, regime, answers).items():
            worst[key] = max(worst[key], value)
        direction = min(direction, _slackening(regime, answers["measured"][0], answers["response"][0]))
    bounds = {"causality": "prefix", "selection": "selection", "scale": "scale"}
    gates += [at_most(key, value, problem.thresholds[bounds.get(key, "response")]) for key, value in worst.items()]
    gates.append(Gate("less correction under a larger R", bool(direction > 1.0), direction, 1.0))
    return Judgement(score=float(np.mean(scores)), gates=tuple(gates), metrics=metrics)


def yardsticks(problem: Problem) -> dict[str, Values]:
    """The exact filter's answers, and those of the estimate without a filter."""

    def of(estimate: Callable[..., np.ndarray]) -> Values:
        return {name: tuple(estimate(*call.arguments) for call in batch) for name, batch in calls(problem, "full").items()}

    return {
        "oracle": of(oracle.estimate),
        "baseline": of(lambda A, B, C, Q, R, U, Y, x0_mean, x0_cov: oracle.persistence(C, Y)),
    }


def hidden(problem: Problem) -> dict[str, Regime]:
    """The hidden regimes by name, in the order of task.yaml."""
    return {name: regimes.read(problem.private / "full" / name) for name in problem.difficulty.axes["regimes"]}


def smoke(problem: Problem) -> tuple[Regime, Regime]:
    """The published test sets: in distribution and out of it."""
    numbers = problem.contract["smoke"]
    sets = (numbers["in_distribution"], numbers["out_of_distribution"])
    return regimes.published(numbers, **sets[0]), regimes.published(numbers, **sets[1])


def _call(arguments: tuple[np.ndarray, ...]) -> Call:
    A, Y = arguments[0], arguments[6]
    return Call("estimate", arguments, Returns("array", shape=(*Y.shape[:2], len(A))))


def _generator(problem: Problem, number: int) -> np.random.Generator:
    return np.random.default_rng([202, problem.seed, number])


def _future_names(problem: Problem) -> list[str]:
    return [f"future_{cut}" for cut in range(int(problem.thresholds["cuts"]))]


def cuts(problem: Problem, number: int, T: int) -> list[int]:
    """Where the future is replaced: early, late and between."""
    between = _generator(problem, number).choice(np.arange(3, T - 2), size=int(problem.thresholds["cuts"]) - 2, replace=False)
    return [1 + number % 2, *sorted(int(cut) for cut in between), T - 1]


def _futures(problem: Problem, number: int, regime: Regime) -> list[tuple[np.ndarray, ...]]:
    rng = _generator(problem, 100 + number)
    futures = []
    for t in cuts(problem, number, regime.Y.shape[1]):
        U, Y = regime.U.copy(), regime.Y.copy()
        U[:, t - 1 :] = rng.permutation(U)[:, t - 1 :] + 0.3 * rng.normal(size=U[:, t - 1 :].shape)
        plant = {name: getattr(regime, name) for name in "ABCQR"}
        _, other = regimes.continue_from(rng, U=U[:, t - 1 :], x=regime.X[:, t - 1], **plant)
        Y[:, t:] = other[:, 1:]
        futures.append(regime.arguments(U=U, Y=Y))
    return futures


def _responses(problem: Problem, regime: Regime) -> list[tuple[np.ndarray, ...]]:
    factor = problem.thresholds["response_factor"]
    return [regime.arguments(**{name: factor * getattr(regime, name)}) for name in SCALED]


def _selection(problem: Problem, number: int, N: int) -> np.ndarray:
    return _generator(problem, 200 + number).permutation(N)[: N // 2]


def _symmetries(problem: Problem, number: int, regime: Regime) -> list[tuple[np.ndarray, ...]]:
    rows, c = _selection(problem, number, len(regime.Y)), problem.thresholds["scale_factor"]
    linear = {name: c * getattr(regime, name) for name in ("U", "Y", "x0_mean")}
    quadratic = {name: c**2 * getattr(regime, name) for name in SCALED}
    return [regime.arguments(U=regime.U[rows], Y=regime.Y[rows]), regime.arguments(**linear, **quadratic)]


def _of_regime(problem: Problem, number: int, values: Values) -> dict[str, Sequence[np.ndarray]]:
    """The answers of each process that belong to one regime."""
    shares = {"measured": 1, "response": len(SCALED), "symmetry": 2}
    found = {
        name: [np.asarray(value) for value in values[name][share * number : share * (number + 1)]]
        for name, share in shares.items()
    }
    return {**found, "future": [np.asarray(values[name][number]) for name in _future_names(problem)]}


def _accuracy(regime: Regime, estimate: np.ndarray) -> dict[str, float]:
    exact = oracle.estimate(*regime.arguments())
    best, none = probes.rmse(exact, regime.X), probes.rmse(oracle.persistence(regime.C, regime.Y), regime.X)
    reached = probes.rmse(estimate, regime.X)
    return {
        "rmse": reached,
        "exact": best,
        "none": none,
        "ratio": reached / best,
        "expected_ratio": float(np.hypot(1.0, probes.rmse(estimate, exact) / best)),
        "score": skill(reached, none=none, best=best),
    }


def _violations(problem: Problem, number: int, regime: Regime, answers: Mapping[str, Sequence[np.ndarray]]) -> dict[str, float]:
    plain, exact = answers["measured"][0], oracle.estimate(*regime.arguments())
    changed = [oracle.estimate(*arguments) for arguments in _responses(problem, regime)]
    responses = {
        f"response to {name}": probes.response_error(answer, plain, exact_answer, exact)
        for name, answer, exact_answer in zip(SCALED, answers["response"], changed, strict=True)
    }
    selected, scaled = answers["symmetry"]
    return {
        "causality": probes.prefix_violation(plain, answers["future"], cuts(problem, number, regime.Y.shape[1])),
        **responses,
        "selection": probes.permutation_violation(plain, selected, _selection(problem, number, len(regime.Y))),
        "scale": probes.scale_violation(plain, scaled, problem.thresholds["scale_factor"]),
    }


def _slackening(regime: Regime, plain: np.ndarray, slack: np.ndarray) -> float:
    """What estimates under a larger R leave of the measurements, as a multiple of what the plain ones leave; 0 if there is no number."""
    left, left_slack = (probes.rmse(estimate @ regime.C.T, regime.Y) for estimate in (plain, slack))
    ratio = left_slack / max(left, np.finfo(float).tiny)
    return ratio if np.isfinite(ratio) else 0.0


def _assess_smoke(problem: Problem, values: tuple[Value, ...]) -> Judgement:
    inside, outside = smoke(problem)
    estimates = [np.asarray(value) for value in values]
    rmse, rmse_outside = probes.rmse(estimates[0], inside.X), probes.rmse(estimates[1], outside.X)
    none = probes.rmse(oracle.persistence(inside.C, inside.Y), inside.X)
    none_outside = probes.rmse(oracle.persistence(outside.C, outside.Y), outside.X)
    spread = float(estimates[0].std(axis=(0, 1)).sum())
    bounds = problem.thresholds
    gates = (
        Gate("spread", spread >= bounds["smoke_spread"], spread, bounds["smoke_spread"]),
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
