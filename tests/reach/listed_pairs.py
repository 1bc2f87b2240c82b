"""Selects the entries of ``findings/unreachable.toml`` that apply to the driver of a result."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.findings.unreachable import DriverCondition, UnreachableEntry, UnreachableList
    from clconform.reports.error_codes import FunctionCodePair
    from clconform.reports.run_result import RunResult


def applies_to(where: DriverCondition, result: RunResult) -> bool:
    """Return whether the driver of a result meets every condition."""
    platform = result.platform
    if platform is None:
        return False
    reported = {
        value.query: value.value
        for capabilities in result.capabilities
        if capabilities.handle in (platform.handle, platform.device)
        for value in capabilities.values
    }
    extensions = f"{platform.extensions} {reported.get('CL_DEVICE_EXTENSIONS') or ''}".split()
    return (
        where.devices in (None, len(platform.devices))
        and all(fnmatchcase(reported.get(query) or "", value) for query, value in where.query_results.items())
        and not set(where.missing_extensions.split()) & set(extensions)
        and not (where.missing_function and has_function(where.missing_function, result))
    )


def has_function(function: str, result: RunResult) -> bool:
    """Return False if a call has shown that the driver lacks the function, else True."""
    reasons = (each.reason for each in result.requirements if each.function == function)
    return not any(reason.startswith(f"{function} cannot be called") for reason in reasons)


def map_reasons(listed: UnreachableList, result: RunResult) -> dict[FunctionCodePair, str]:
    """Return the pairs that cannot be reached on the driver of a result, each with the reason."""
    return {pair: entry.reason for entry in _list_matching_entries(listed, result) for pair in entry.pairs}


def list_early_pairs(listed: UnreachableList, result: RunResult) -> set[FunctionCodePair]:
    """Return the unreachable pairs that were listed before the suites were written."""
    return {pair for entry in _list_matching_entries(listed, result) if not entry.listed_later for pair in entry.pairs}


def list_impossible_pairs(listed: UnreachableList, result: RunResult) -> set[FunctionCodePair]:
    """Return the unreachable pairs that no driver with the same features can return."""
    return {pair for entry in _list_matching_entries(listed, result) if not entry.is_optional for pair in entry.pairs}


def list_constant_queries(listed: UnreachableList, result: RunResult) -> set[str]:
    """Return the queries that have a single possible value on the driver of a result."""
    return {name for each in listed.constant if applies_to(each.where, result) for name in each.queries}


def _list_matching_entries(listed: UnreachableList, result: RunResult) -> list[UnreachableEntry]:
    return [entry for entry in listed.unreachable if applies_to(entry.where, result)]
