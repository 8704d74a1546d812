"""Settings of the whole suite, made before NumPy is imported."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # several test processes share the cores
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from hypothesis import HealthCheck, settings

# The machines are noisy: no example has a deadline. The same examples are drawn each time, so that a red run can be had again.
settings.register_profile("assay", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("assay")
