"""Generates the part of the worker's source that depends on the tables: thunks for signatures, layouts of structures.

``python -m tests.renew`` writes it to ``harness/driver_worker/prototypes.c``. Since there is a thunk for each
signature, and not for each function, a worker can also call most functions of later revisions.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from clconform.harness.signatures import POINTER_LETTER, VOID_LETTER, function_signature, split_field, type_letter
from clconform.spec_tables.loading import REVISIONS, list_revisions, read_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Type

_C_TYPES = {"p": "void *", "i": "int32_t", "u": "uint32_t", "q": "int64_t", "w": "uint64_t"}
"""Maps the letters of a signature to types in C."""
_UNCHANGED_TYPES = ("char", "unsigned char", "size_t")


def generate_source(revisions: Iterable[Tables]) -> str:
    """Return the source with the signatures of all functions, and the structures, of these tables."""
    signatures: set[str] = set()
    structures: dict[str, list[str]] = {}
    for tables in revisions:
        signatures |= {function_signature(each, tables.types) for each in tables.functions.values()}
        for name, known in sorted(tables.types.items()):
            fields = _c_fields(known, tables) if known.kind == "struct" else []
            if fields:
                structures[name] = fields
    names = sorted(signatures - {""})
    layouts = "".join(_define_structure(name, fields) for name, fields in sorted(structures.items()))
    listed = "".join(f'    {{"{name}", make_{name}}},\n' for name in names)
    described = "".join(f'    {{"{name}", sizeof(struct {name}), {name}_offsets}},\n' for name in sorted(structures))
    return (
        "/* Generated from the tables by python -m tests.renew; do not edit. */\n"
        '#include "prototypes.h"\n\n'
        f"{''.join(map(_define_thunk, names))}\n"
        f"const struct signature signatures[] = {{\n{listed}}};\n"
        "const size_t signature_count = sizeof signatures / sizeof *signatures;\n\n"
        f"{layouts}\n"
        f"const struct structure structures[] = {{\n{described}}};\n"
        "const size_t structure_count = sizeof structures / sizeof *structures;\n"
    )


def _define_thunk(signature: str) -> str:
    """Return the C function that calls a function of this signature with machine words."""
    result, passed = signature[0], signature[1:]
    types = ", ".join(_C_TYPES[letter].strip() for letter in passed) or "void"
    words = ", ".join(
        f"(void *)(uintptr_t)w[{at}]" if letter == POINTER_LETTER else f"({_C_TYPES[letter]})w[{at}]"
        for at, letter in enumerate(passed)
    )
    returned = "void" if result == VOID_LETTER else _C_TYPES[result].strip()
    call = f"(({returned}(CALLING_CONVENTION *)({types}))f)({words})"
    body = "" if passed else "    (void)w;\n"
    if result == VOID_LETTER:
        body += f"    {call};\n    return 0;\n"
    else:
        body += f"    return ({'uintptr_t' if result == POINTER_LETTER else 'uint64_t'}){call};\n"
    return f"static uint64_t make_{signature}(function_without_type *f, const uint64_t *w) {{\n{body}}}\n"


def _define_structure(name: str, fields: list[str]) -> str:
    """Return the definition of a structure, and the list of its fields' offsets."""
    names = [re.split(r"[ *]", field.partition("[")[0].rstrip(";"))[-1] for field in fields]
    offsets = ", ".join(f"offsetof(struct {name}, {each})" for each in names)
    lines = "".join(f"    {field}\n" for field in fields)
    return f"struct {name} {{\n{lines}}};\nstatic const size_t {name}_offsets[] = {{{offsets}, SIZE_MAX}};\n"


def _c_fields(known: Type, tables: Tables) -> list[str]:
    """Return the declarations of a structure's fields; none if the tables do not define the type of one."""
    fields = []
    for name, spelling in known.fields:
        parsed = split_field(spelling)
        c_type = _c_field_type(*parsed[:2], tables) if parsed else ""
        if not parsed or not c_type:
            return []
        length = parsed[2]
        if length and not length.isdecimal():
            if length not in tables.enumerants:
                return []
            length = str(tables.enumerants[length].value)
        fields.append(f"{c_type}{'' if c_type.endswith('*') else ' '}{name}{f'[{length}]' if length else ''};")
    return fields


def _c_field_type(base: str, stars: int, tables: Tables) -> str:
    if not stars and base in _UNCHANGED_TYPES:
        return base
    letter = type_letter(base, stars, tables.types)
    c_type = _C_TYPES.get(letter, "")
    return f"ALIGNED_8 {c_type}" if letter in ("q", "w") else c_type


if __name__ == "__main__":
    sys.stdout.write(generate_source(read_tables(REVISIONS / each) for each in list_revisions()))
