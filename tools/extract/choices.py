"""Extracts the values that a property or query may have, if its description lists them by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.spec_tables.records import Flag
from clconform.tools.extract.blocks import Cell
from clconform.tools.extract.drafts import Draft
from clconform.tools.extract.facts import exclusions_in
from clconform.tools.extract.queries import element_of, names_of
from clconform.tools.extract.wording import digest, symbols_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.spec_tables.records import Enumerant, Type
    from clconform.tools.extract.queries import Row

_LEADING = re.compile(r"(CL_\w+)(?: [-—] |: )")

_TRUTH = "cl_bool"
"""Its two values do not need requirements of their own."""


def choices_in(
    rows: Iterable[Row], document: str, types: Mapping[str, Type], enumerants: Mapping[str, Enumerant]
) -> list[Draft]:
    """Return a flag for every value of the row's type that a description names; the first description counts."""
    found: dict[str, Draft] = {}
    for row in rows:
        base, _ = element_of(row.type)
        if base not in types or base == _TRUTH:
            continue
        listed = names_of(Cell(list(row.description)), "platform-version")
        exclusive = exclusions_in(row.description)
        for name in _names(row, base, types[base].kind == "bitfield", enumerants):
            words = next((text for text in row.description if name in text), "")
            flag = Flag(
                id="",
                document=document,
                section=row.section,
                digest=digest(f"{name} {words}"),
                gates=listed.get(name, ((), ""))[0] or enumerants[name].gates,
                symbols=symbols_in(f"{name} {words}"),
                function=row.function if row.kind == "property" else "",
                name=name,
                type=base,
                excludes=tuple(sorted(exclusive.get(name, ()))),
            )
            found.setdefault(f"{base}:{name}", Draft(f"{base}:{name}", flag, numbered=False))
    return list(found.values())


def _names(row: Row, base: str, bits: bool, enumerants: Mapping[str, Enumerant]) -> list[str]:  # noqa: FBT001
    """Return the names of the type's group; without a group, for a bit-field, the names that begin the paragraphs."""
    mentioned = [name for name in symbols_in(" ".join(row.description)) if name in enumerants and name != row.name]
    own = [name for name in mentioned if enumerants[name].group == base]
    if own or any(entry.group == base for entry in enumerants.values()) or not bits:
        return own
    leading = {match[1] for match in map(_LEADING.match, row.description) if match}
    return [name for name in mentioned if name in leading]
