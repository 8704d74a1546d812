"""A filter with one part in a hundred of a smoother."""

import numpy as np

BLEND = 0.01


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T, _ = Y.shape
    x, P, means, covs = np.tile(x0_mean, (N, 1)), x0_cov, [], []
    for k in range(T):
        K = np.linalg.solve(C @ P @ C.T + R, C @ P).T
        x, P = x + (Y[:, k] - x @ C.T) @ K.T, P - K @ C @ P
        means.append(x)
        covs.append(P)
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    smooth = [None] * T
    smooth[-1] = means[-1]
    for k in range(T - 2, -1, -1):
        G = np.linalg.solve(A @ covs[k] @ A.T + Q, A @ covs[k]).T
        smooth[k] = means[k] + (smooth[k + 1] - means[k] @ A.T - U[:, k] @ B.T) @ G.T
    return (1 - BLEND) * np.stack(means, 1) + BLEND * np.stack(smooth, 1)
