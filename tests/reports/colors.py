"""Contrast between text and background, as defined by the Web Content Accessibility Guidelines."""

from __future__ import annotations

import re


def contrast_ratio(one: str, other: str) -> float:
    """Return the contrast ratio of two colours in CSS notation."""
    light, dark = sorted((_luminance(one.strip()), _luminance(other.strip())), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _channels(color))
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _channels(color: str) -> list[float]:
    """Return red, green and blue of a colour in CSS notation, each from 0 to 1."""
    if color.startswith("#"):
        digits = color.removeprefix("#")
        step = len(digits) // 3
        return [int(digits[start : start + step] * (3 - step), 16) / 255 for start in range(0, len(digits), step)]
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", color)][:3]
    return numbers if color.startswith("color(srgb") else [number / 255 for number in numbers]
