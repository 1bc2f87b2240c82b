"""Function addresses: extension functions by name, and core entry points that a driver lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Text, Value
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

NAME = "platforms.functions"
BY_PLATFORM, BY_NAME = "clGetExtensionFunctionAddressForPlatform", "clGetExtensionFunctionAddress"
UNKNOWN_NAMES = (
    "clNobodysFunctionOfClconform",
    "clNobodysFunctionOfClconformKHR",
    "clNobodysFunctionOfClconformEXT",
    "clNobodysFunctionOfClconformINTEL",
    "nobody",
    "",
)
"""Names that do not belong to a function."""


def cases(tables: Tables) -> list[TableCase]:
    """Return the items: each extension's functions, unknown names, and each function of a version."""
    return [*_address_cases(tables), *_entry_point_cases(tables)]


def _address_cases(tables: Tables) -> Iterator[TableCase]:
    by_extension: dict[str, list[str]] = {}
    for function in tables.functions.values():
        for gate in function.applicability:
            if gate.subject == "extension":
                by_extension.setdefault(gate.name, []).append(function.name)
    for way in (BY_PLATFORM, BY_NAME):
        for extension, names in by_extension.items():
            yield TableCase(f"{way}/success", extension, _query_addresses(way, names))
        yield TableCase(f"{way}/success", "unknown names", _query_addresses(way, UNKNOWN_NAMES))
    yield TableCase("clGetExtensionFunctionAddressForPlatform/success", "platform NULL", _query_without_platform)


def _query_addresses(way: str, names: tuple[str, ...] | list[str]) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        platform: dict[str, Handle] = {"platform": cl.platform} if way == BY_PLATFORM else {}
        for name in names:
            cl.call_at(name or "no name", Call(way, {**platform, "func_name": Text(name)}))

    return act


def _query_without_platform(cl: Session) -> None:
    cl.clGetExtensionFunctionAddressForPlatform(None, Text(UNKNOWN_NAMES[0]))


def _entry_point_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each core function that the dispatch table contains, whether deprecated or not."""
    for name in tables.dispatch:
        function = tables.functions.get(name)
        if function is None or not _takes_object(function, tables):
            continue
        if all(gate.subject == "platform-version" and not gate.before for gate in function.applicability):
            yield TableCase(f"{name}/success", "its entry in the driver's table", _call_missing_entry_point(function))


def _call_missing_entry_point(function: Function) -> Callable[[Session], None]:
    """Return a function that calls ``function`` if the driver lacks its entry point."""
    nothing: dict[str, Value] = {
        parameter.name: None if parameter.pointers or parameter.direction == "callback" else 0
        for parameter in function.parameters
    }

    def act(cl: Session) -> None:
        if function.name in cl.reached.missing:
            cl.call(Call(function.name, _without_objects(cl, function, nothing)))

    return act


def _takes_object(function: Function, tables: Tables) -> bool:
    """Return whether a loader finds the dispatch table for a function by an object, and not by other arguments."""
    kinds = {name for name, known in tables.types.items() if known.kind == "handle"}
    return any(
        each.direction == "in" and (each.base in kinds or "propert" in each.base) for each in function.parameters
    )


def _without_objects(cl: Session, function: Function, nothing: dict[str, Value]) -> dict[str, Value]:
    """Return the arguments ``nothing`` with None in place of each object, so that a call passes only NULL and zeros."""
    handles = {name for name, known in cl.tables.types.items() if known.kind == "handle"}
    given = {parameter.name: None for parameter in function.parameters if parameter.base in handles}
    return {**nothing, **given}


test_functions_have_addresses = TableTest(lambda: cases(load()))
