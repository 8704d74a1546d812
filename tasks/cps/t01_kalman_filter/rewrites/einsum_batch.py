"""Everything batched by einsum: each trajectory carries its own covariance; textbook update P - K S K'.

Score: 0.99..1.0
"""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T = Y.shape[:2]
    n = A.shape[0]
    x = np.repeat(x0_mean[None], N, axis=0)
    P = np.repeat(x0_cov[None], N, axis=0)
    history = np.zeros((T, N, n))
    for k in range(T):
        PCt = np.einsum("bij,pj->bip", P, C)
        S = np.einsum("pi,biq->bpq", C, PCt) + R
        K = np.linalg.solve(S, PCt.transpose(0, 2, 1)).transpose(0, 2, 1)
        x = x + np.einsum("bip,bp->bi", K, Y[:, k] - np.einsum("pi,bi->bp", C, x))
        P = P - np.einsum("bip,bpq,bjq->bij", K, S, K)
        P = 0.5 * (P + P.transpose(0, 2, 1))
        history[k] = x
        x = np.einsum("ij,bj->bi", A, x) + np.einsum("im,bm->bi", B, U[:, k])
        P = np.einsum("ij,bjk,lk->bil", A, P, A) + Q
    return history.transpose(1, 0, 2)
