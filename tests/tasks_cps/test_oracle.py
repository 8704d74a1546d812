"""The oracle of t01 against filterpy and the joint Gaussian, and by its laws; its scores; and the drawing of regimes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import linalg

from tasks.cps import probes
from tasks.cps.t01_kalman_filter import judge, oracle, regimes, scoring

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from filterpy.kalman import KalmanFilter


def drawn(seed: int, **kind) -> regimes.Regime:
    axes = {"N": 6, "T": 15, "dt": (0.05, 0.3), "radius": (0.8, 1.0), "blur": 1e-4, "condition": 1e8}
    axes |= {"oracle_at_most": 1.0, "least_effect": 0.0, "least_slack": 1.0, "least_excess": 0.0}
    return regimes.draw(np.random.default_rng(seed), {"plant": "modes", "sizes": [[4, 2, 2]], "noise": 3.0} | kind, axes)


def with_filterpy(regime: regimes.Regime) -> oracle.Gaussians:
    """Means and covariances by filterpy's textbook filter, which is given the measured rows of each step."""
    means, covariances = np.empty_like(regime.X), np.empty((*regime.X.shape, regime.X.shape[2]))
    for i, (us, ys) in enumerate(zip(regime.U, regime.Y, strict=True)):
        kf = KalmanFilter(dim_x=len(regime.A), dim_z=len(regime.C), dim_u=regime.B.shape[1])
        kf.F, kf.B, kf.Q = regime.A, regime.B, regime.Q
        kf.x, kf.P = regime.x0_mean[:, None].copy(), regime.x0_cov.copy()
        for k, (u, y) in enumerate(zip(us, ys, strict=True)):
            seen = ~np.isnan(y)
            if seen.any():
                kf.dim_z = int(seen.sum())
                kf.update(y[seen][:, None], R=regime.R[k][np.ix_(seen, seen)], H=regime.C[seen])
            means[i, k], covariances[i, k] = kf.x[:, 0], kf.P
            kf.predict(u=u[:, None])
    return means, covariances


def conditioned(regime: regimes.Regime, i: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of x[k] of one trajectory, from the joint Gaussian of all states and the measurements up to k."""
    n, steps = len(regime.A), k + 1
    mean, cov = np.empty((steps, n)), np.zeros((steps, n, steps, n))
    mean[0], cov[0, :, 0] = regime.x0_mean, regime.x0_cov
    for t in range(1, steps):
        mean[t] = regime.A @ mean[t - 1] + regime.B @ regime.U[i, t - 1]
        cov[t, :, :t] = np.einsum("ij,jtk->itk", regime.A, cov[t - 1, :, :t])
        cov[:t, :, t] = np.moveaxis(cov[t, :, :t], 0, -1)
        cov[t, :, t] = regime.A @ cov[t - 1, :, t - 1] @ regime.A.T + regime.Q
    H, V = np.kron(np.eye(steps), regime.C), linalg.block_diag(*regime.R[:steps])
    y, joint = regime.Y[i, :steps].ravel(), cov.reshape(steps * n, steps * n)
    seen = ~np.isnan(y)
    H, V, y = H[seen], V[np.ix_(seen, seen)], y[seen]
    K = np.linalg.solve(H @ joint @ H.T + V, H @ joint[:, -n:]).T
    return mean[-1] + K @ (y - H @ mean.ravel()), joint[-n:, -n:] - K @ H @ joint[:, -n:]


KINDS = [
    {},
    {"plant": "integrator", "drives": 2},
    {"loud": 30.0},
    {"missing": 0.3, "gap": 3},
    {"sizes": [[6, 3, 2]]},
    {"sizes": [[2, 1, 3]]},
]


@pytest.mark.parametrize("kind", KINDS)
def test_filterpy_agrees(kind):
    regime = drawn(4, **kind)
    for ours, theirs in zip(oracle.estimate(*regime.arguments()), with_filterpy(regime), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_filterpy_agrees_on_every_hidden_regime(made, level):
    for regime in judge.hidden(made(0, level)).values():
        for ours, theirs in zip(oracle.estimate(*regime.arguments()), with_filterpy(regime), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


def test_the_joint_gaussian_agrees_on_every_hidden_regime(made):
    for regime in judge.hidden(made(1, "hard")).values():
        means, covariances = oracle.estimate(*regime.arguments())
        for i, k in ((0, 0), (1, 5), (2, regime.Y.shape[1] - 1)):
            mean, covariance = conditioned(regime, i, k)
            np.testing.assert_allclose(means[i, k], mean, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(covariances[i, k], covariance, rtol=1e-5, atol=1e-8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), order=st.permutations(range(6)))
def test_trajectories_are_independent(seed, order):
    regime = drawn(seed)
    plain = oracle.estimate(*regime.arguments())
    permuted = oracle.estimate(*regime.arguments(U=regime.U[list(order)], Y=regime.Y[list(order)]))
    assert all(probes.permutation_violation(a, b, np.array(order)) < 1e-10 for a, b in zip(plain, permuted, strict=True))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), cut=st.integers(1, 14))
def test_oracle_is_causal(seed, cut):
    regime = drawn(seed)
    U, Y = regime.U.copy(), regime.Y.copy()
    U[:, cut - 1 :] += 1.0
    Y[:, cut:] -= 5.0
    plain, other = (oracle.estimate(*arguments)[0] for arguments in (regime.arguments(), regime.arguments(U=U, Y=Y)))
    assert probes.prefix_violation(plain, [other], [cut]) < 1e-12
    assert probes.largest_difference(plain[:, cut:], other[:, cut:]) > 1e-3


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_larger_R_corrects_less_and_larger_Q_more(seed):
    regime = drawn(seed)
    left = [
        probes.rmse(oracle.estimate(*arguments)[0] @ regime.C.T, regime.Y)
        for arguments in (regime.arguments(Q=10 * regime.Q), regime.arguments(), regime.arguments(R=10 * regime.R))
    ]
    assert left[0] < left[1] < left[2]


@pytest.mark.parametrize("kind", [*KINDS, {"perfect": "fixed"}, {"perfect": "turning"}])
def test_covariances_stay_symmetric_and_positive(kind):
    regime = drawn(1, **kind)
    _, P = oracle.estimate(*regime.arguments())
    assert probes.asymmetry(P) == 0.0
    assert probes.negativity(P) <= 1e-12


@pytest.mark.parametrize("how", ["fixed", "turning"])
def test_a_direction_measured_without_noise_is_known_exactly(how):
    regime = drawn(2, perfect=how)
    means, P = oracle.estimate(*regime.arguments())
    for k, R in enumerate(regime.R):
        values, vectors = np.linalg.eigh(R)
        assert values[0] < 1e-12 * values[-1]
        row = vectors[:, 0] @ regime.C
        np.testing.assert_allclose((means[:, k] - regime.X[:, k]) @ row, 0.0, atol=1e-6)
        np.testing.assert_allclose(row @ P[:, k] @ row, 0.0, atol=1e-9)


def test_R_of_a_step_acts_from_that_step_on():
    regime = drawn(3)
    changed = regime.R.copy()
    changed[8:] *= 50.0
    plain, other = oracle.estimate(*regime.arguments()), oracle.estimate(*regime.arguments(R=changed))
    for a, b in zip(plain, other, strict=True):
        assert np.array_equal(a[:, :8], b[:, :8]) and not np.allclose(a[:, 8:], b[:, 8:])


def test_a_missing_component_is_one_of_infinite_variance():
    regime = drawn(6, missing=0.3)
    seen = ~np.isnan(regime.Y[:1])
    R = np.array(
        [np.where(np.outer(s, s), V, 0.0) + np.diag(np.where(s, 0.0, 1e12)) for s, V in zip(seen[0], regime.R, strict=True)]
    )
    found = oracle.estimate(*regime.arguments(U=regime.U[:1], Y=regime.Y[:1]))
    other = oracle.estimate(*regime.arguments(U=regime.U[:1], Y=np.where(seen, regime.Y[:1], 0.0), R=R))
    for a, b in zip(found, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_oracle_beats_everything_else_on_many_trajectories():
    regime = drawn(5)
    rng, shape = np.random.default_rng(0), (2000, 15, len(regime.C))
    big = regimes.simulate(rng, plant=(regime.A, regime.B, regime.C), noise=(regime.Q, regime.R), seen=np.ones(shape, dtype=bool))
    exact, P = oracle.estimate(*big.arguments())
    best = probes.rmse(exact, big.X)
    wrong, _ = oracle.estimate(*big.arguments(Q=2 * big.Q))
    assert best < probes.rmse(wrong, big.X) < probes.rmse(oracle.unfiltered(big.C, big.Y), big.X)
    expected = np.hypot(1.0, probes.rmse(wrong, exact) / best)
    assert probes.rmse(wrong, big.X) / best == pytest.approx(expected, abs=0.005)
    error = (exact - big.X)[:, -1]
    np.testing.assert_allclose(np.cov(error.T), P[0, -1], atol=0.1 * np.abs(P[0, -1]).max())


def test_the_exact_distribution_has_the_best_log_score_and_is_consistent():
    regime = drawn(5)
    shape = (2000, 15, len(regime.C))
    big = regimes.simulate(
        np.random.default_rng(1),
        plant=(regime.A, regime.B, regime.C),
        noise=(regime.Q, regime.R),
        seen=np.ones(shape, dtype=bool),
    )
    J, (means, P) = scoring.blur(big.x0_cov, 1e-4), oracle.estimate(*big.arguments())
    best = scoring.log_score((means, P), big.X, J).mean()
    assert scoring.nees((means, P), big.X, J) == pytest.approx(1.0, abs=0.02)
    for factor in (0.5, 0.8, 1.25, 2.0):
        other = (means, factor * P)
        lost = scoring.log_score(other, big.X, J).mean() - best
        assert lost == pytest.approx(scoring.excess(other, (means, P), J).mean(), abs=0.01) and lost > 0.003
    assert abs(scoring.excess((means, P), (means, P), J)).max() < 1e-9


def test_impossible_axes_are_refused():
    with pytest.raises(ValueError, match="asks for a filter"):
        axes = {"N": 2, "T": 4, "dt": (0.1, 0.1), "radius": (0.9, 0.9), "oracle_at_most": 0.0, "condition": 1e8, "blur": 1e-4}
        regimes.draw(np.random.default_rng(0), {"plant": "integrator", "noise": 1.0}, axes)
