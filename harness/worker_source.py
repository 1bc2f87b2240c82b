"""Generates the part of the worker's source that depends on the tables: thunks for signatures, layouts of structures.

``python -m tests.renew`` writes it to ``harness/driver_worker/prototypes.c``. Because thunks are generated for
signatures and not for functions, a worker can call most functions of later revisions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Callback, Function, Parameter, Type

POINTER_LETTER, VOID_LETTER = "p", "v"
_C_TYPES = {"p": "void *", "i": "int32_t", "u": "uint32_t", "q": "int64_t", "w": "uint64_t"}
"""Maps the letters of a signature to types in C."""
_LETTERS = {
    ("int", 8): "i",
    ("int", 16): "i",
    ("int", 32): "i",
    ("int", 64): "q",
    ("uint", 8): "u",
    ("uint", 16): "u",
    ("uint", 32): "u",
    ("uint", 64): "w",
}
_BASIC = re.compile(r"(u?int)(\d+)(?:_t)?")
_WORDS = {"int": "i", "unsigned int": "u", "unsigned": "u", "size_t": "p", "intptr_t": "p", "uintptr_t": "p"}
_FIELD = re.compile(r"(?:const\s+)?(?:struct\s+)?(?P<base>[\w ]*\w)\s*(?P<stars>\**)\s*(?:\[\s*(?P<length>\w+)\s*\])?")
_CHARACTERS = {"char": "char", "unsigned char": "unsigned char"}
_MAX_TYPEDEFS = 16


def type_letter(base: str, pointers: int, types: Mapping[str, Type]) -> str:
    """Return the letter for a type in a signature; an empty text if the tables do not define how it is passed."""
    if pointers:
        return POINTER_LETTER
    if base == "void":
        return VOID_LETTER
    for _ in range(_MAX_TYPEDEFS):
        known = types.get(base)
        if known is not None and known.kind == "handle":
            return POINTER_LETTER
        basic = _BASIC.fullmatch(base)
        if basic:
            return _LETTERS.get((basic[1], int(basic[2])), "")
        if base in _WORDS:
            return _WORDS[base]
        if known is None or known.base in ("", base):
            return ""
        pointers = known.base.count("*")
        base = known.base.replace("*", "").removeprefix("const ").strip()
        if pointers:
            return POINTER_LETTER
    return ""


def function_signature(function: Function, types: Mapping[str, Type]) -> str:
    """Return the signature of a function, such as ``ip`` for clRetainContext.

    An empty text if the tables do not define how a parameter is passed.
    """
    base, stars = function.returns.rstrip("* ").removeprefix("const ").strip(), function.returns.count("*")
    letters = [type_letter(base, stars, types), *_parameter_letters(function.parameters, types)]
    return "".join(letters) if all(letters) else ""


def callback_signature(callback: Callback, types: Mapping[str, Type]) -> str:
    """Return the signature of a callback, as for a function; its result is void."""
    letters = [VOID_LETTER, *_parameter_letters(callback.parameters, types)]
    return "".join(letters) if all(letters) else ""


def _parameter_letters(parameters: Iterable[Parameter], types: Mapping[str, Type]) -> list[str]:
    return [
        POINTER_LETTER if each.direction == "callback" else type_letter(each.base, each.pointers, types)
        for each in parameters
    ]


def generate_source(revisions: Iterable[Tables]) -> str:
    """Return the source with the signatures of all functions, and the structures, of these tables."""
    signatures: set[str] = set()
    structures: dict[str, str] = {}
    for tables in revisions:
        signatures |= {function_signature(each, tables.types) for each in tables.functions.values()}
        for name, known in sorted(tables.types.items()):
            fields = _c_fields(known, tables) if known.kind == "struct" else None
            if fields:
                structures[name] = fields
    signatures -= {""}
    names = sorted(signatures)
    thunks = [_thunk(name) for name in names]
    layouts = [_layout(name, fields) for name, fields in sorted(structures.items())]
    listed = "".join(f'    {{"{name}", make_{name}}},\n' for name in names)
    described = "".join(f'    {{"{name}", sizeof(struct {name}), {name}_offsets}},\n' for name in sorted(structures))
    return (
        "/* Generated from the tables by python -m tests.renew; do not edit. */\n"
        '#include "prototypes.h"\n\n'
        f"{''.join(thunks)}\n"
        f"const struct signature signatures[] = {{\n{listed}}};\n"
        "const size_t signature_count = sizeof signatures / sizeof *signatures;\n\n"
        f"{''.join(layouts)}\n"
        f"const struct structure structures[] = {{\n{described}}};\n"
        "const size_t structure_count = sizeof structures / sizeof *structures;\n"
    )


def _thunk(name: str) -> str:
    """Return the C function that calls a function of this signature with machine words."""
    result, passed = name[0], name[1:]
    types = ", ".join(_C_TYPES[letter].strip() for letter in passed) or "void"
    words = ", ".join(
        f"(void *)(uintptr_t)w[{at}]" if letter == POINTER_LETTER else f"({_C_TYPES[letter]})w[{at}]"
        for at, letter in enumerate(passed)
    )
    returned = "void" if result == VOID_LETTER else _C_TYPES[result].strip()
    call = f"(({returned}(CALLING_CONVENTION *)({types}))f)({words})"
    unused = "" if passed else "    (void)w;\n"
    if result == VOID_LETTER:
        body = f"{unused}    {call};\n    return 0;\n"
    elif result == POINTER_LETTER:
        body = f"{unused}    return (uintptr_t){call};\n"
    else:
        body = f"{unused}    return (uint64_t){call};\n"
    return f"static uint64_t make_{name}(function_without_type *f, const uint64_t *w) {{\n{body}}}\n"


def _layout(name: str, fields: str) -> str:
    """Return the definition of a structure, and the list of its fields' offsets."""
    names = re.findall(r"(\w+)(?:\[\d+\])?;", fields)
    offsets = ", ".join(f"offsetof(struct {name}, {each})" for each in names)
    return f"struct {name} {{\n{fields}}};\nstatic const size_t {name}_offsets[] = {{{offsets}, SIZE_MAX}};\n"


def _c_fields(known: Type, tables: Tables) -> str:
    """Return the fields of a structure in C; an empty text if the tables do not define a type of one."""
    lines = ""
    for name, spelling in known.fields:
        parsed = _FIELD.fullmatch(spelling.strip())
        if parsed is None:
            return ""
        c_type = _c_field_type(parsed["base"], len(parsed["stars"]), tables)
        length = parsed["length"] or ""
        if length and not length.isdecimal():
            length = str(tables.enumerants[length].value) if length in tables.enumerants else ""
        if not c_type or (parsed["length"] and not length):
            return ""
        lines += f"    {c_type}{'' if c_type.endswith('*') else ' '}{name}{f'[{length}]' if length else ''};\n"
    return lines


def _c_field_type(base: str, stars: int, tables: Tables) -> str:
    if not stars and base in _CHARACTERS:
        return _CHARACTERS[base]
    if not stars and base == "size_t":
        return "size_t"
    letter = type_letter(base, stars, tables.types)
    c_type = _C_TYPES.get(letter, "")
    return f"ALIGNED_8 {c_type}" if letter in ("q", "w") else c_type


if __name__ == "__main__":
    import sys

    from clconform.spec_tables.loading import REVISIONS, list_revisions, read_tables

    sys.stdout.write(generate_source(read_tables(REVISIONS / each) for each in list_revisions()))
