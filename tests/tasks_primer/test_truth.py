"""Truths against formulas of numpy and scipy that were written apart from them."""

from random import Random

import numpy as np
import pytest
from scipy import integrate, interpolate, signal, special

from tests.tasks_primer import made


def _windows(values, window):
    return np.lib.stride_tricks.sliding_window_view(np.array(values), window).mean(axis=1)


def _thermostat(temperature, low, high, heating):
    return bool(np.select([temperature < low, temperature > high], [True, False], default=heating))


def _runs(values, threshold, count):
    text = "".join("1" if v > threshold else "0" for v in values)
    return "1" * count in text


FORMULAS = {
    "saturation": lambda u, low, high: np.clip(u, low, high),
    "dead_zone": lambda x, width: x * (np.abs(x) >= width),
    "leaky_unit": lambda x, slope: np.where(x > 0, x, slope * x),
    "hinge_loss": lambda score, label: np.clip(1 - score * label, 0, None),
    "euler_advance": lambda x, rate, dt: np.polyval([rate, x], dt),
    "backward_euler": lambda x, u, dt, tau: u + (x - u) / (1 + dt / tau),
    "residual_test": lambda measured, predicted, threshold: not np.abs(measured - predicted) <= threshold,
    "smoothing_update": lambda previous, x, alpha: np.interp(alpha, [0, 1], [previous, x]),
    "proportional": lambda setpoint, measured, gain: gain * setpoint - gain * measured,
    "proportional_derivative": lambda error, previous_error, kp, kd: (kp + kd) * error - kd * previous_error,
    "pid_sum": lambda error, integral, derivative, kp, ki, kd: np.dot([kp, ki, kd], [error, integral, derivative]),
    "gradient_descent": lambda weight, gradient, rate: np.polyval([-gradient, weight], rate),
    "adc_voltage": lambda code, reference, levels: np.interp(code, [0, levels], [0, reference]),
    "unit_interval": lambda x, low, high: interpolate.interp1d([low, high], [0, 1], fill_value="extrapolate")(x),
    "sensor_line": lambda raw, gain, offset: np.polyval([gain, offset], raw),
    "interpolated": lambda x, x0, y0, x1, y1: interpolate.interp1d([x0, x1], [y0, y1], fill_value="extrapolate")(x),
    "relative_deviation": lambda measured, true: np.linalg.norm([measured - true]) / np.linalg.norm([true]),
    "to_celsius": lambda fahrenheit: interpolate.interp1d([32, 212], [0, 100], fill_value="extrapolate")(fahrenheit),
    "root_mean_square": lambda values: np.linalg.norm(values) / np.sqrt(len(values)),
    "mean_absolute": lambda values: np.linalg.norm(values, 1) / len(values),
    "average": lambda values: np.mean(values),
    "exceedances": lambda values, threshold: len(values) - np.searchsorted(np.sort(values), threshold, side="right"),
    "alarm_index": lambda values, threshold: int(np.argmax([*(np.array(values) > threshold), True])) if max(values) > threshold else -1,
    "window_means": _windows,
    "smoothed": lambda values, alpha: signal.lfilter([alpha], [1, alpha - 1], values, zi=[(1 - alpha) * values[0]])[0],
    "rate_limited": None,
    "rectangle_sum": lambda values, dt: np.dot(values, np.full(len(values), dt)),
    "trapezoid_sum": lambda values, dt: integrate.trapezoid(values, dx=dt),
    "slopes": lambda values, dt: np.diff(values) / dt,
    "running_sum": lambda values: np.tril(np.ones((len(values), len(values)))) @ np.array(values),
    "held_above": _runs,
    "shifted": lambda values, offset: np.array(values) - offset,
    "amplified": lambda values, gain: gain * np.array(values),
    "overshoot_above": lambda values, target: (np.array(values) - target).max(),
    "mode_switch": lambda values, jump: int(np.argmax(np.abs(np.diff(values)) > jump)) + 1 if np.abs(np.diff(values)).max() > jump else -1,
    "kalman_mean": lambda x, p, z, r: (x / p + z / r) / (1 / p + 1 / r),
    "huber": lambda error, delta: special.huber(delta, error),
    "mean_squared": lambda values: np.var(values) + np.mean(values) ** 2,
    "on_share": lambda states: np.mean(np.array(states) == 1),
    "forward_command": lambda velocity, acceleration, kv, ka: np.dot([kv, ka], [velocity, acceleration]),
    "swing": lambda values: np.ptp(values),
    "two_point": _thermostat,
    "sign_changes": lambda values: np.sum(np.array(values[1:]) * np.array(values[:-1]) < 0),
    "quantised": lambda x, step: x - np.mod(x, step),
    "logistic": special.expit,
}  # fmt: skip


@pytest.mark.parametrize(("task_id", "name"), [(task_id, name) for task_id in made.TASKS for name in made.families(task_id)])
def test_truth_is_the_formula(task_id, name):
    family, rng = made.families(task_id)[name], Random(5)
    for _ in range(50):
        row = {argument.name: argument.draw(rng) for argument in family.arguments}
        for inputs in [row, *(row | change for change in family.edges(**row))]:
            value = family.truth(**inputs)
            if name == "rate_limited":
                moves = np.diff(value)
                assert value[0] == inputs["values"][0]
                assert np.all(np.abs(moves) <= inputs["change"])
                left = np.array(inputs["values"][1:]) - np.array(value[1:])
                assert np.all((left == 0) | (np.abs(moves) == inputs["change"]) & (np.sign(left) == np.sign(moves)))
            else:
                keywords = inputs.values() if name == "logistic" else ()
                wanted = FORMULAS[name](*keywords) if name == "logistic" else FORMULAS[name](**inputs)
                np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-12)


def test_every_family_has_a_formula():
    assert set(FORMULAS) == {name for task_id in made.TASKS for name in made.families(task_id)}


@pytest.mark.parametrize("task_id", made.TASKS)
def test_promised_scaling_holds(task_id):
    rng = Random(11)
    for family in made.families(task_id).values():
        row = {argument.name: argument.draw(rng) for argument in family.arguments}
        for factor in (2, 4) if family.scales else ():
            more = {k: np.multiply(v, factor).tolist() if k in family.scales else v for k, v in row.items()}
            wanted = np.multiply(family.truth(**row), float(factor) ** family.degree)
            np.testing.assert_allclose(family.truth(**more), wanted, rtol=1e-12)
