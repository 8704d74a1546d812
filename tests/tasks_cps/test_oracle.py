"""The oracle of t01 against filterpy, by its laws, and under one R a step; and the drawing of regimes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.cps import probes
from tasks.cps.t01_kalman_filter import judge, oracle, regimes

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from filterpy.kalman import KalmanFilter


def drawn(seed: int, **kind) -> regimes.Regime:
    axes = {"N": 6, "T": 15, "dt": (0.05, 0.3), "radius": (0.8, 1.0)}
    axes |= {"oracle_at_most": 1.0, "least_effect": 0.0, "least_correlation": 0.0}
    return regimes.draw(np.random.default_rng(seed), {"plant": "modes", "sizes": [[4, 2, 2]], "noise": 3.0} | kind, axes)


def with_filterpy(regime: regimes.Regime) -> np.ndarray:
    estimates = np.empty_like(regime.X)
    for i, (us, ys) in enumerate(zip(regime.U, regime.Y, strict=True)):
        kf = KalmanFilter(dim_x=len(regime.A), dim_z=len(regime.C), dim_u=regime.B.shape[1])
        kf.F, kf.B, kf.H, kf.Q, kf.R = regime.A, regime.B, regime.C, regime.Q, regime.R
        kf.x, kf.P = regime.x0_mean[:, None].copy(), regime.x0_cov.copy()
        for k, (u, y) in enumerate(zip(us, ys, strict=True)):
            kf.update(y[:, None])
            estimates[i, k] = kf.x[:, 0]
            kf.predict(u=u[:, None])
    return estimates


@pytest.mark.parametrize("kind", [{}, {"plant": "integrator"}, {"floor": 1e-6}, {"sizes": [[6, 3, 2]]}, {"sizes": [[2, 1, 3]]}])
def test_filterpy_agrees(kind):
    regime = drawn(4, **kind)
    np.testing.assert_allclose(oracle.estimate(*regime.arguments()), with_filterpy(regime), rtol=1e-7, atol=1e-8)


def test_filterpy_agrees_on_every_hidden_regime(made):
    for regime in judge.hidden(made(0, "hard")).values():
        np.testing.assert_allclose(oracle.estimate(*regime.arguments()), with_filterpy(regime), rtol=1e-6, atol=1e-7)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), order=st.permutations(range(6)))
def test_trajectories_are_independent(seed, order):
    regime = drawn(seed)
    plain = oracle.estimate(*regime.arguments())
    permuted = oracle.estimate(*regime.arguments(U=regime.U[list(order)], Y=regime.Y[list(order)]))
    assert probes.permutation_violation(plain, permuted, np.array(order)) < 1e-10


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), cut=st.integers(1, 14))
def test_oracle_is_causal(seed, cut):
    regime = drawn(seed)
    U, Y = regime.U.copy(), regime.Y.copy()
    U[:, cut - 1 :] += 1.0
    Y[:, cut:] -= 5.0
    plain, other = (oracle.estimate(*arguments) for arguments in (regime.arguments(), regime.arguments(U=U, Y=Y)))
    assert probes.prefix_violation(plain, [other], [cut]) < 1e-12
    assert probes.largest_difference(plain[:, cut:], other[:, cut:]) > 1e-3


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_larger_R_corrects_less_and_larger_Q_more(seed):
    regime = drawn(seed)
    left = [
        probes.rmse(oracle.estimate(*arguments) @ regime.C.T, regime.Y)
        for arguments in (regime.arguments(Q=10 * regime.Q), regime.arguments(), regime.arguments(R=10 * regime.R))
    ]
    assert left[0] < left[1] < left[2]


@pytest.mark.parametrize("floor", [1e-3, 1e-6, 1e-9])
def test_covariances_stay_symmetric_and_positive(floor):
    regime = drawn(1, floor=floor)
    _, P = oracle.covariances(regime.A, regime.C, regime.Q, regime.R, regime.x0_cov, 200)
    assert probes.asymmetry(P) == 0.0
    assert probes.negativity(P) <= 1e-12


def test_without_measurement_noise_the_measured_part_is_exact():
    regime = drawn(2)
    estimate = oracle.estimate(*regime.arguments(R=np.zeros((2, 2)), Y=regime.X @ regime.C.T))
    np.testing.assert_allclose(estimate @ regime.C.T, regime.X @ regime.C.T, atol=1e-9)


def test_one_R_a_step():
    regime = drawn(3)
    constant = np.repeat(regime.R[None], 15, axis=0)
    plain = oracle.estimate(*regime.arguments())
    assert np.array_equal(oracle.estimate(*regime.arguments(R=constant)), plain)
    constant[8:] *= 50.0
    changed = oracle.estimate(*regime.arguments(R=constant))
    assert np.array_equal(changed[:, :8], plain[:, :8]) and not np.allclose(changed[:, 8:], plain[:, 8:])


def test_oracle_beats_everything_else_on_many_trajectories():
    regime = drawn(5)
    rng = np.random.default_rng(0)
    big = regimes.simulate(rng, plant=(regime.A, regime.B, regime.C), noise=(regime.Q, regime.R), N=2000, T=20)
    exact = oracle.estimate(*big.arguments())
    best = probes.rmse(exact, big.X)
    wrong = oracle.estimate(*big.arguments(Q=2 * big.Q))
    assert best < probes.rmse(wrong, big.X) < probes.rmse(oracle.persistence(big.C, big.Y), big.X)
    expected = np.hypot(1.0, probes.rmse(wrong, exact) / best)
    assert probes.rmse(wrong, big.X) / best == pytest.approx(expected, abs=0.005)
    error = (exact - big.X)[:, -1]
    _, P = oracle.covariances(big.A, big.C, big.Q, big.R, big.x0_cov, 20)
    np.testing.assert_allclose(np.cov(error.T), P[-1], atol=0.1 * np.abs(P[-1]).max())


def test_impossible_axes_are_refused():
    with pytest.raises(ValueError, match="asks for a filter"):
        axes = {"N": 2, "T": 4, "dt": (0.1, 0.1), "radius": (0.9, 0.9), "oracle_at_most": 0.0}
        regimes.draw(np.random.default_rng(0), {"plant": "integrator", "noise": 1.0}, axes)
