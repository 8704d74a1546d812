"""What an answer is worth on one regime, in numbers that don't depend on how its labels are called.

    d        root mean square of |Theta^_i^ phi - Theta_i phi| over steps and outputs, in sigma, where i is the true mode and i^ the answer's
    ratio    sqrt(1 + d^2): since e is independent of phi, this is the expected RMSE of one-step predictions over the noise's, and luck
             with the noise can't lower it
    single   d of one ARX model for all modes, by least squares on the same data

Labels get the true names by the one-to-one renaming under which most steps agree (Hungarian method); parameters and guards go with
them. The adjusted Rand index needs no names.

Not covered: predictions of several steps; answers with another number of modes than K.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.protocol import Value
from tasks.cps import probes
from tasks.cps.t07_hybrid_automaton import oracle
from tasks.cps.t07_hybrid_automaton.automata import Regime, guarded, regressors
from tasks.cps.verifier import skill


@dataclass(frozen=True)
class Answer:
    """One answer, its labels renamed to the true ones."""

    modes: np.ndarray
    """(N, T - L) int64: modes; a label outside 0 .. K - 1 is K, and right nowhere"""
    params: np.ndarray
    """(K, p, na p + nb m + 1) float64: Theta of each true mode"""
    guards: np.ndarray
    """(K, p + 1) float64: scores of each true mode"""
    own: tuple[np.ndarray, np.ndarray]
    """modes and guards as they were answered"""


def named(value: Value, truth: np.ndarray) -> Answer:
    """An answer (modes, params, guards) under the true names; `truth` is (N, T - L) int64."""
    assert isinstance(value, tuple)
    modes, params, guards = (np.asarray(part) for part in value)
    K = len(params)
    names = probes.best_renaming(modes, truth, K)
    order = np.argsort(names)
    inside = (modes >= 0) & (modes < K)
    renamed = np.where(inside, names[np.where(inside, modes, 0)], K)
    return Answer(renamed, params[order], guards[order], (modes, guards))


def truth(regime: Regime) -> np.ndarray:
    """(N, T - L) int64: the true modes of the steps that have a regressor."""
    return regime.modes[:, regime.automaton.lag :]


def states(regime: Regime, Y: np.ndarray) -> np.ndarray:
    """(n, p) float64: the last outputs that decide the modes of the steps L .. of some outputs (N, T, p)."""
    return Y[:, regime.automaton.lag - 1 : -1].reshape(-1, regime.automaton.p)


def accuracy(regime: Regime, answer: Answer) -> dict[str, float]:
    """Share of right modes and adjusted Rand index, the oracle's, and the answer's over the oracle's."""
    known, best = truth(regime), oracle.segment(regime.automaton, regime.Y, regime.U)
    reached, rand = float(np.mean(answer.modes == known)), probes.adjusted_rand(answer.own[0], known)
    oracle_accuracy, oracle_rand = float(np.mean(best == known)), probes.adjusted_rand(best, known)
    return {
        "accuracy": reached,
        "rand": rand,
        "oracle_accuracy": oracle_accuracy,
        "oracle_rand": oracle_rand,
        "accuracy_ratio": reached / oracle_accuracy,
        "rand_ratio": rand / oracle_rand,
    }


def prediction(regime: Regime, answer: Answer) -> dict[str, float]:
    """One-step predictions on the fresh data: the ratio given the modes; the distance, its share of the single model's, and the skill.

    For the latter three the answer's guards say the modes; in a dwell regime, where there are none, the modes are given too.
    """
    law, known = regime.automaton, regime.fresh_modes[:, regime.automaton.lag :].ravel()
    phi = regressors(regime.fresh_Y, regime.fresh_U, law.na, law.nb)
    phi = phi.reshape(-1, phi.shape[2])
    said = known if law.dwell else guarded(answer.guards, states(regime, regime.fresh_Y))
    single = oracle.single(regime.Y, regime.U, law.na, law.nb)
    given = _distance(regime, answer.params[known] - law.params[known], phi)
    distance = _distance(regime, answer.params[said] - law.params[known], phi)
    none = _distance(regime, single - law.params[known], phi)
    return {
        "prediction_ratio": float(np.hypot(1.0, given)),
        "single_ratio": float(np.hypot(1.0, none)),
        "distance": distance,
        "single_share": distance / none,
        "skill": skill(distance, none=none, best=0.0),
    }


def _distance(regime: Regime, difference: np.ndarray, phi: np.ndarray) -> float:
    """Root mean square of difference phi in sigma; difference (n, p, d) and phi (n, d), float64."""
    return float(np.sqrt(np.mean(np.einsum("npd,nd->np", difference, phi) ** 2))) / regime.automaton.sigma


def parameter_error(regime: Regime, answer: Answer) -> float:
    """d on the data of one mode, given the mode: the largest over the modes."""
    law, known = regime.automaton, truth(regime)
    phi = regressors(regime.Y, regime.U, law.na, law.nb)
    rows = [phi[known == i] for i in range(law.K)]
    return max(
        _distance(regime, np.broadcast_to(answer.params[i] - law.params[i], (len(rows[i]), *law.params[i].shape)), rows[i])
        for i in range(law.K)
    )


def guard_error(regime: Regime, answer: Answer) -> float:
    """Share of the fresh states whose mode the guards get wrong."""
    y = states(regime, regime.fresh_Y)
    return float(np.mean(guarded(answer.guards, y) != guarded(regime.automaton.guards, y)))


def between_error(plain: Regime, shifted: Regime, answers: tuple[Answer, Answer]) -> float:
    """Share of the states between two guards of the same modes whose mode is wrong by the answer's guards; the larger of the two answers'."""
    y = np.concatenate([states(one, Y) for one in (plain, shifted) for Y in (one.Y, one.fresh_Y)])
    right = [guarded(one.automaton.guards, y) for one in (plain, shifted)]
    between = right[0] != right[1]
    wrong = [guarded(answer.guards, y) != modes for answer, modes in zip(answers, right, strict=True)]
    return max(float(np.mean(one[between])) for one in wrong)


def lawless(regime: Regime, answer: Answer) -> float:
    """Share of the labels that break the law which the answer itself states.

    Guard regimes: labels that aren't what the answer's guards give. Dwell regimes: labels in stays that are shorter than the dwell
    time, but for a record's first and last stay, which may have been cut.
    """
    modes, guards = answer.own
    if not regime.automaton.dwell:
        return float(np.mean(guarded(guards, regime.Y[:, regime.automaton.lag - 1 : -1]) != modes))
    lengths = [np.diff(np.flatnonzero(np.diff(row))) for row in modes]
    short = sum(int(one[one < regime.automaton.dwell].sum()) for one in lengths)
    return short / modes.size


def moved(regime: Regime, plain: Answer, other: Answer) -> tuple[float, float]:
    """How far two answers on the same data are apart, under the true names.

    Returns:
        The share of labels on the data, or of modes that the guards give to fresh states, that differ, whichever is larger; and the
        distance of the means on the data, in sigma.
    """
    law, y = regime.automaton, states(regime, regime.fresh_Y)
    phi = regressors(regime.Y, regime.U, law.na, law.nb)
    labels = float(np.mean(plain.modes != other.modes))
    if not law.dwell:
        labels = max(labels, float(np.mean(guarded(plain.guards, y) != guarded(other.guards, y))))
    means = _distance(regime, (plain.params - other.params)[truth(regime).ravel()], phi.reshape(-1, phi.shape[2]))
    return labels, means
