"""What one writes from the prompt alone: trajectory by trajectory, the rows that are measured, textbook update, symmetrised.

Score: 0.99..1.0
"""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T = Y.shape[:2]
    n = A.shape[0]
    X_hat = np.zeros((N, T, n))
    P_all = np.zeros((N, T, n, n))
    for i in range(N):
        x = x0_mean.copy()
        P = x0_cov.copy()
        for k in range(T):
            ok = ~np.isnan(Y[i, k])
            if ok.any():
                H = C[ok]
                S = H @ P @ H.T + R[k][np.ix_(ok, ok)]
                K = P @ H.T @ np.linalg.inv(S)
                x = x + K @ (Y[i, k, ok] - H @ x)
                P = P - K @ H @ P
                P = (P + P.T) / 2
            X_hat[i, k] = x
            P_all[i, k] = P
            x = A @ x + B @ U[i, k]
            P = A @ P @ A.T + Q
    return X_hat, P_all
