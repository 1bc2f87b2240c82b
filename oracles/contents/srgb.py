"""The sRGB curve between stored values and linear intensities, both from 0 to 1."""

from __future__ import annotations

KNEE, LINEAR_KNEE, SLOPE = 0.04045, 0.0031308, 12.92
OFFSET, EXPONENT = 0.055, 2.4


def linear_intensity(stored: float) -> float:
    """Return the intensity of a stored value; the curve is extended below 0 and above 1."""
    if stored <= KNEE:
        return stored / SLOPE
    return float(((stored + OFFSET) / (1 + OFFSET)) ** EXPONENT)


def stored_value(intensity: float) -> float:
    """Return the stored value for an intensity; NaN and values outside the range are clamped."""
    if not intensity > 0:
        return 0.0
    if intensity >= 1:
        return 1.0
    if intensity < LINEAR_KNEE:
        return intensity * SLOPE
    return float((1 + OFFSET) * intensity ** (1 / EXPONENT) - OFFSET)
