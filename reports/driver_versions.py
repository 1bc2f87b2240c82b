"""Determines driver versions, and compares them with ranges in files of known deviations, such as ``>=3.0, <4``.

A driver version can be any string. The comparison uses the first dotted number, or without a dotted number the first
number: 3.0 of ``3.0-rc2``, 2026.21.3 of ``2026.21.3_160000``.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.versions import version_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.calls.protocol import PlatformIdentity
    from clconform.reports.run_result import PlatformTested, RunResult

COMPARISONS: dict[str, Callable[[list[int], list[int]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
PART = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*([0-9]{1,18}(?:\.[0-9]{1,18})*)\s*")


def driver_version(platforms: Iterable[PlatformIdentity | PlatformTested], device: str) -> str:
    """Return the driver version of the device with the handle ``device``; empty if there is no such device."""
    devices = (each for platform in platforms for each in platform.devices)
    return next((each.driver_version for each in devices if each.handle == device), "")


def tested_driver_version(result: RunResult) -> str:
    """Return the driver version of the tested device; empty if no device was tested."""
    return driver_version([result.platform], result.platform.device) if result.platform else ""


def is_range(text: str) -> bool:
    """Return whether a text is a range, which is a list of comparisons with versions."""
    return all(PART.fullmatch(part) for part in text.split(","))


def is_in_range(version: str, wanted: str) -> bool:
    """Return whether a version is in a range.

    A version without numbers is in no range.
    """
    numbers = version_numbers(version)
    return numbers is not None and all(_satisfies_comparison(numbers, part) for part in wanted.split(","))


def _satisfies_comparison(numbers: list[int], part: str) -> bool:
    found = PART.fullmatch(part)
    if found is None:
        raise ValueError(f"{part!r} is not a comparison with a version")
    other = version_numbers(found[2]) or []
    length = max(len(numbers), len(other))
    return COMPARISONS[found[1]](_pad_zeros(numbers, length), _pad_zeros(other, length))


def _pad_zeros(numbers: list[int], length: int) -> list[int]:
    return [*numbers, *[0] * (length - len(numbers))]
