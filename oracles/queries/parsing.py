"""Parsing of query values: versions, lists of names in a string, arrays of names with versions, flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.errors import UnknownFactError
from clconform.spec_tables.versions import parse_language_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import ClObject, Fact
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables.versions import Version


def known_value(source: ClObject, *names: str) -> Fact:
    """Return the value of the first of these queries that has a value; UnknownFactError if none has one."""
    for name in names:
        if name in source.facts:
            return source.facts[name]
    raise UnknownFactError(" or ".join(names))


def known_text(thing: ClObject, *names: str) -> str:
    """Return the string value of the first of these queries that has a value; UnknownFactError without a string."""
    found = known_value(thing, *names)
    if not isinstance(found, str):
        raise UnknownFactError(names[0])
    return found


def names_with_versions(elements: Iterable[Element]) -> list[tuple[str, int]]:
    """Return the names and packed versions in an array of cl_name_version; ``elements``: versions and names in turn."""
    flat = list(elements)
    pairs = zip(flat[::2], flat[1::2], strict=False)
    return [(str(name).split("\0")[0], version if isinstance(version, int) else -1) for version, name in pairs]


def known_names_with_versions(thing: ClObject, *names: str) -> list[tuple[str, int]]:
    """Return the names and packed versions that one of these queries has returned; UnknownFactError if unknown."""
    found = known_value(thing, *names)
    if not isinstance(found, tuple):
        raise UnknownFactError(names[0])
    return names_with_versions(found)


def parse_features(elements: Iterable[Element]) -> set[str]:
    """Return the features of OpenCL C in an array of names with versions, without spaces around the names.

    A name with spaces is a deviation of the query that lists it. The feature is nevertheless listed.
    """
    return {name.strip() for name, _ in names_with_versions(elements)}


def known_features(device: ClObject) -> set[str]:
    """Return the features of OpenCL C that a device lists, as for ``parse_features``; UnknownFactError if unknown."""
    return {name.strip() for name, _ in known_names_with_versions(device, "CL_DEVICE_OPENCL_C_FEATURES")}


def parse_il_versions(text: str) -> set[tuple[str, Version]]:
    """Return the prefixes and versions of the intermediate languages in a string; other words are omitted."""
    return {found for word in text.split() if (found := parse_language_version(word))}


def combine_flags(request: QueryRequest, *names: str) -> int:
    """Return the bits of all flags with these names."""
    mask = 0
    for name in names:
        mask |= request.model.constant_value(name)
    return mask


def single_number(values: list[Element]) -> int:
    """Return the single number of a value, or -1 if it is not a number."""
    return values[0] if values and isinstance(values[0], int) else -1


def are_all_zero(values: list[Element]) -> bool:
    """Return whether a value consists of zeros only."""
    return all(value == 0 for value in values)


def split_words(values: list[Element]) -> frozenset[str]:
    """Return the words of a string value."""
    return frozenset("".join(map(str, values)).split())


def format_names(names: Iterable[str]) -> str:
    """Return the sorted names, joined by commas, or *nothing* if there are none."""
    return ", ".join(sorted(names)) or "nothing"
