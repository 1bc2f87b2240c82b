"""Extracts the values that a property or a query may have, if its description lists their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Flag
from clconform.tools.extract.document_blocks import TableCell
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.query_tables import names_with_conditions, parse_return_type
from clconform.tools.extract.sentence_text import find_symbols, sentence_digest
from clconform.tools.extract.table_facts import find_exclusions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.spec_tables.requirements import Enumerant, Type
    from clconform.tools.extract.query_tables import NameRow

_LEADING_NAME = re.compile(r"(CL_\w+)(?: [-—] |: )")

_BOOLEAN_TYPE = "cl_bool"
"""The Boolean type, whose two values do not need requirements of their own."""


def extract_values(
    rows: Iterable[NameRow], document: str, types: Mapping[str, Type], enumerants: Mapping[str, Enumerant]
) -> list[RequirementDraft]:
    """Return a flag for every value of a row's type that a description names.

    If several descriptions name a value, the first counts.
    """
    found: dict[str, RequirementDraft] = {}
    for row in rows:
        base, _ = parse_return_type(row.type)
        if base not in types or base == _BOOLEAN_TYPE:
            continue
        listed = names_with_conditions(TableCell(list(row.description)), "platform-version")
        exclusive = find_exclusions(row.description)
        for name in _value_names(row, base, types[base].kind == "bitfield", enumerants):
            words = next((text for text in row.description if name in text), "")
            flag = Flag(
                id="",
                document=document,
                section=row.section,
                digest=sentence_digest(f"{name} {words}"),
                applicability=listed.get(name, ((), ""))[0] or enumerants[name].applicability,
                symbols=find_symbols(f"{name} {words}"),
                function=row.function if row.kind == "property" else "",
                name=name,
                type=base,
                excludes=tuple(sorted(exclusive.get(name, ()))),
            )
            found.setdefault(f"{base}:{name}", RequirementDraft(f"{base}:{name}", flag, numbered=False))
    return list(found.values())


def _value_names(row: NameRow, base: str, bits: bool, enumerants: Mapping[str, Enumerant]) -> list[str]:  # noqa: FBT001
    """Return the values of a type that a description names.

    These are the names in the group of the type. For a bit-field without a group, these are the names that begin
    paragraphs.
    """
    mentioned = [name for name in find_symbols(" ".join(row.description)) if name in enumerants and name != row.name]
    own = [name for name in mentioned if enumerants[name].group == base]
    if own or any(entry.group == base for entry in enumerants.values()) or not bits:
        return own
    leading = {match[1] for match in map(_LEADING_NAME.match, row.description) if match}
    return [name for name in mentioned if name in leading]
