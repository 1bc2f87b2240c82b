"""The sRGB curve, from what is stored to linear intensities and back, both from 0 to 1."""

from __future__ import annotations

KNEE, LINEAR_KNEE, SLOPE = 0.04045, 0.0031308, 12.92
OFFSET, EXPONENT = 0.055, 2.4


def linear(stored: float) -> float:
    """Return the intensity that a stored value stands for; below 0 and above 1 the curve goes on."""
    if stored <= KNEE:
        return stored / SLOPE
    return float(((stored + OFFSET) / (1 + OFFSET)) ** EXPONENT)


def stored(intensity: float) -> float:
    """Return the value that is stored for an intensity; NaN and what lies outside are clamped."""
    if not intensity > 0:
        return 0.0
    if intensity >= 1:
        return 1.0
    if intensity < LINEAR_KNEE:
        return intensity * SLOPE
    return float((1 + OFFSET) * intensity ** (1 / EXPONENT) - OFFSET)
