"""The families of p01: scalars in, a scalar out, near one expression.

Each truth is the equation of its docstring in plain Python. Inputs lie on a binary grid; `edges` puts some of them on the bounds
where a comparison is decided. Not covered: vectors and state, which p02 has, and angles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tasks.primer.composing.composer import Argument, Family

SIGNAL = ("u", "x", "value", "signal")
GAINS = ("gain", "k", "kp")


def saturation(u: float, low: float, high: float) -> float:
    """The nearest number to u in [low, high]."""
    return low if u < low else high if u > high else u


def dead_zone(x: float, width: float) -> float:
    """0 where |x| < width, else x."""
    return 0.0 if abs(x) < width else x


def leaky_unit(x: float, slope: float) -> float:
    """x where x > 0, else slope x."""
    return x if x > 0 else slope * x


def hinge_loss(score: float, label: float) -> float:
    """max(0, 1 - score label)."""
    return max(0.0, 1.0 - score * label)


def euler_advance(x: float, rate: float, dt: float) -> float:
    """x + dt rate: the explicit Euler step."""
    return x + dt * rate


def backward_euler(x: float, u: float, dt: float, tau: float) -> float:
    """(x + (dt / tau) u) / (1 + dt / tau): tau dx/dt = u - x, one implicit step."""
    ratio = dt / tau
    return (x + ratio * u) / (1.0 + ratio)


def residual_test(measured: float, predicted: float, threshold: float) -> bool:
    """|measured - predicted| > threshold."""
    return abs(measured - predicted) > threshold


def smoothing_update(previous: float, x: float, alpha: float) -> float:
    """alpha x + (1 - alpha) previous."""
    return alpha * x + (1.0 - alpha) * previous


def proportional(setpoint: float, measured: float, gain: float) -> float:
    """gain (setpoint - measured)."""
    return gain * (setpoint - measured)


def proportional_derivative(error: float, previous_error: float, kp: float, kd: float) -> float:
    """kp e + kd (e - previous e)."""
    return kp * error + kd * (error - previous_error)


def pid_sum(error: float, integral: float, derivative: float, kp: float, ki: float, kd: float) -> float:
    """kp e + ki i + kd d."""
    return kp * error + ki * integral + kd * derivative


def gradient_descent(weight: float, gradient: float, rate: float) -> float:
    """weight - rate gradient."""
    return weight - rate * gradient


def adc_voltage(code: int, reference: float, levels: int) -> float:
    """code reference / levels."""
    return code * reference / levels


def unit_interval(x: float, low: float, high: float) -> float:
    """(x - low) / (high - low)."""
    return (x - low) / (high - low)


def sensor_line(raw: float, gain: float, offset: float) -> float:
    """gain raw + offset."""
    return gain * raw + offset


def interpolated(x: float, x0: float, y0: float, x1: float, y1: float) -> float:
    """y0 + (y1 - y0) (x - x0) / (x1 - x0)."""
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def relative_deviation(measured: float, true: float) -> float:
    """|measured - true| / |true|."""
    return abs(measured - true) / abs(true)


def to_celsius(fahrenheit: float) -> float:
    """(f - 32) 5 / 9."""
    return (fahrenheit - 32.0) * 5.0 / 9.0


def _saturation_edges(u: float, low: float, high: float) -> list[dict[str, Any]]:
    return [{"u": low}, {"u": high}, {"u": low - 0.25}, {"u": high + 0.25}]


def _dead_edges(x: float, width: float) -> list[dict[str, Any]]:
    return [{"x": width}, {"x": -width}, {"x": width / 2}, {"x": -width / 2}]


def _residual_edges(measured: float, predicted: float, threshold: float) -> list[dict[str, Any]]:
    return [{"measured": predicted + sign * threshold + move} for sign in (1, -1) for move in (0.0, sign * 0.25)]


def _hinge_edges(score: float, label: float) -> list[dict[str, Any]]:
    return [{"score": label}, {"score": 2 * label}, {"score": label / 2}]


def _families() -> tuple[Family, ...]:
    number = Argument("x", SIGNAL, -10, 10)
    gain = Argument("gain", GAINS, 0.5, 4, 0.25, fixable=True)
    dt = Argument("dt", ("dt", "h", "step"), 0.125, 1, 0.125, fixable=True)
    low = Argument("low", ("low", "lower", "minimum"), -6, -1, 0.5, fixable=True)
    high = Argument("high", ("high", "upper", "maximum"), 1, 6, 0.5, fixable=True)
    measured = Argument("measured", ("measured", "y", "measurement"), -10, 10)
    error = Argument("error", ("error", "e", "err"), -8, 8)
    u = Argument("u", SIGNAL, -10, 10)
    return (
        Family(
            "saturation", ("saturate", "clip_signal", "limit_value"), (u, low, high), saturation, "float", _saturation_edges,
            exact=True, scales=("u", "low", "high"),
        ),
        Family(
            "dead_zone", ("dead_band", "apply_dead_band", "ignore_small"),
            (number, Argument("width", ("width", "band", "limit"), 1, 5, 0.5, fixable=True)), dead_zone, "float", _dead_edges,
            exact=True, scales=("x", "width"),
        ),
        Family(
            "leaky_unit", ("leaky_relu", "activate", "leaky"),
            (number, Argument("slope", ("slope", "a", "leak"), 0.125, 0.5, 0.125, fixable=True)), leaky_unit, "float",
            exact=True, scales=("x",),
        ),
        Family(
            "hinge_loss", ("hinge", "margin_loss", "svm_loss"),
            (Argument("score", ("score", "s", "prediction"), -3, 3), Argument("label", ("label", "y", "target"), -1, 1, 2)),
            hinge_loss, "float", _hinge_edges, exact=True,
        ),
        Family(
            "euler_advance", ("euler_step", "next_state", "advance"),
            (Argument("x", ("x", "state", "position"), -10, 10), Argument("rate", ("rate", "dx", "velocity"), -4, 4), dt),
            euler_advance, "float", exact=True, scales=("x", "rate"),
        ),
        Family(
            "backward_euler", ("implicit_step", "lag_step", "filter_step"),
            (
                Argument("x", ("x", "state", "y"), -10, 10), Argument("u", ("u", "command", "inp"), -10, 10), dt,
                Argument("tau", ("tau", "time_constant", "T"), 1, 4, 0.5, fixable=True),
            ),
            backward_euler, "float", scales=("x", "u"),
        ),
        Family(
            "residual_test", ("residual_alarm", "is_fault", "detect_fault"),
            (
                measured, Argument("predicted", ("predicted", "expected", "model"), -8, 8),
                Argument("threshold", ("threshold", "limit", "tol"), 1, 6, 0.5, fixable=True),
            ),
            residual_test, "bool", _residual_edges, scales=("measured", "predicted", "threshold"), degree=0,
        ),
        Family(
            "smoothing_update", ("smooth", "ema_step", "low_pass"),
            (
                Argument("previous", ("previous", "old", "state"), -10, 10), Argument("x", ("x", "new", "sample"), -10, 10),
                Argument("alpha", ("alpha", "a", "weight"), 0.125, 0.875, 0.25, fixable=True),
            ),
            smoothing_update, "float", exact=True, scales=("previous", "x"),
        ),
        Family(
            "proportional", ("p_control", "control", "p_controller"),
            (Argument("setpoint", ("setpoint", "target", "r"), -10, 10), measured, gain), proportional, "float",
            exact=True, scales=("setpoint", "measured"),
        ),
        Family(
            "proportional_derivative", ("pd_control", "pd_step", "pd_output"),
            (
                error, Argument("previous_error", ("previous_error", "last_error", "old_error"), -8, 8),
                Argument("kp", ("kp", "p_gain"), 0.5, 4, fixable=True), Argument("kd", ("kd", "d_gain"), 0.5, 4, fixable=True),
            ),
            proportional_derivative, "float", exact=True, scales=("error", "previous_error"),
        ),
        Family(
            "pid_sum", ("pid", "pid_output", "pid_step"),
            (
                error, Argument("integral", ("integral", "i", "total_error"), -8, 8),
                Argument("derivative", ("derivative", "d", "error_rate"), -8, 8),
                Argument("kp", ("kp", "p_gain"), 0.5, 4, fixable=True), Argument("ki", ("ki", "i_gain"), 0.25, 2, fixable=True),
                Argument("kd", ("kd", "d_gain"), 0.25, 2, fixable=True),
            ),
            pid_sum, "float", exact=True, scales=("error", "integral", "derivative"),
        ),
        Family(
            "gradient_descent", ("sgd_step", "update_weight", "gradient_step"),
            (
                Argument("weight", ("weight", "w", "theta"), -5, 5), Argument("gradient", ("gradient", "grad", "g"), -8, 8),
                Argument("rate", ("learning_rate", "lr", "eta"), 0.125, 1, 0.125, fixable=True),
            ),
            gradient_descent, "float", exact=True, scales=("weight", "gradient"),
        ),
        Family(
            "adc_voltage", ("adc_to_volts", "code_to_voltage", "read_voltage"),
            (
                Argument("code", ("code", "raw", "count"), 0, 1000, 1, "int"),
                Argument("reference", ("reference", "v_ref", "full_scale"), 2, 12, 0.5, fixable=True),
                Argument("levels", ("levels", "steps", "max_code"), 1001, 4095, 1, "int", fixable=True),
            ),
            adc_voltage, "float", scales=("reference",),
        ),
        Family(
            "unit_interval", ("normalize", "min_max", "rescale"),
            (
                number, Argument("low", ("low", "lower", "minimum"), 0.5, 3, 0.5, fixable=True),
                Argument("high", ("high", "upper", "maximum"), 4, 9, 0.5, fixable=True),
            ),
            unit_interval, "float", scales=("x", "low", "high"), degree=0,
        ),
        Family(
            "sensor_line", ("scale_sensor", "calibrate", "sensor_value"),
            (
                Argument("raw", ("raw", "reading", "x"), -10, 10), gain,
                Argument("offset", ("offset", "bias", "b"), 0.5, 5, 0.5, fixable=True),
            ),
            sensor_line, "float", exact=True, scales=("raw", "offset"),
        ),
        Family(
            "interpolated", ("interpolate", "lerp", "linear_value"),
            (
                Argument("x", ("x", "t", "at"), -4, 8), Argument("x0", ("x0", "xa"), -4, 0), Argument("y0", ("y0", "ya"), -8, 8),
                Argument("x1", ("x1", "xb"), 1, 8), Argument("y1", ("y1", "yb"), -8, 8),
            ),
            interpolated, "float", scales=("y0", "y1"),
        ),
        Family(
            "relative_deviation", ("relative_error", "rel_error", "error_ratio"),
            (measured, Argument("true", ("true_value", "actual", "truth"), -8.75, 8.75, 0.5)), relative_deviation, "float",
            scales=("measured", "true"), degree=0,
        ),
        Family(
            "to_celsius", ("fahrenheit_to_celsius", "to_c", "convert_temperature"),
            (Argument("fahrenheit", ("fahrenheit", "f", "temperature"), -40, 212),), to_celsius, "float",
        ),
    )  # fmt: skip


MISTAKES = {
    "saturation": (lambda u, low, high: u if low < u < high else 0.0,),
    "dead_zone": (lambda x, width: 0.0 if abs(x) <= width else x,),
    "leaky_unit": (lambda x, slope: max(x, 0.0), lambda x, slope: slope * x),
    "hinge_loss": (lambda score, label: max(0.0, 1.0 + score * label),),
    "residual_test": (
        lambda measured, predicted, threshold: abs(measured - predicted) >= threshold,
        lambda measured, predicted, threshold: measured - predicted > threshold,
    ),
    "euler_advance": (lambda x, rate, dt: x - dt * rate,),
    "proportional": (lambda setpoint, measured, gain: gain * (measured - setpoint),),
    "gradient_descent": (lambda weight, gradient, rate: weight + rate * gradient,),
    "smoothing_update": (lambda previous, x, alpha: alpha * previous + (1.0 - alpha) * x,),
    "relative_deviation": (lambda measured, true: abs(measured - true) / abs(measured or 1.0),),
}
"""Near misses by family: each is wrong on a hidden case of every instance."""

FAMILIES = {family.name: replace(family, mistakes=MISTAKES.get(family.name, ())) for family in _families()}
