"""Signatures of functions and callbacks: how each parameter is passed, as a text of one letter for each.

The first letter is the result. ``v``: none. ``p``: a pointer, a handle or a size_t. ``i``, ``u``: a number of up to 32
bits, with or without a sign. ``q``, ``w``: the same with 64 bits. Functions with the same signature share a thunk of
the worker.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.spec_tables.requirements import Callback, Function, Parameter, Type

POINTER_LETTER, VOID_LETTER = "p", "v"
_SIZED = re.compile(r"(u?int)(\d+)(?:_t)?")
_WORD_BITS = 32
_LETTERS = {"int": "i", "unsigned int": "u", "unsigned": "u", "size_t": "p", "intptr_t": "p", "uintptr_t": "p"}
_MAX_TYPEDEFS = 16
_FIELD = re.compile(r"(?:const\s+)?(?:struct\s+)?(?P<base>[\w ]*\w)\s*(?P<stars>\**)\s*(?:\[\s*(?P<length>\w+)\s*\])?")


def type_letter(base: str, pointers: int, types: Mapping[str, Type]) -> str:
    """Return the letter of a type with ``pointers`` stars; empty if the tables do not define how it is passed."""
    for _ in range(_MAX_TYPEDEFS):
        known = types.get(base)
        if pointers or (known is not None and known.kind == "handle"):
            return POINTER_LETTER
        if base == "void":
            return VOID_LETTER
        sized = _SIZED.fullmatch(base)
        if sized:
            is_wide = int(sized[2]) > _WORD_BITS
            return ("q" if is_wide else "i") if sized[1] == "int" else ("w" if is_wide else "u")
        if base in _LETTERS:
            return _LETTERS[base]
        if known is None or known.base in ("", base):
            return ""
        base, pointers = split_type(known.base)
    return ""


def split_type(spelling: str) -> tuple[str, int]:
    """Return the base type in a C type such as ``const char*``, and the number of its stars."""
    return spelling.rstrip("* ").removeprefix("const ").strip(), spelling.count("*")


def split_field(spelling: str) -> tuple[str, int, str] | None:
    """Return the base type of a structure's field, the number of its stars, and the length of its array, or None.

    The length is a number, the name of an enumerant, or empty.
    """
    parsed = _FIELD.fullmatch(spelling.strip())
    return (parsed["base"], len(parsed["stars"]), parsed["length"] or "") if parsed is not None else None


def function_signature(function: Function, types: Mapping[str, Type]) -> str:
    """Return the signature of a function, such as ``ip`` for clRetainContext.

    It is empty if the tables do not define how a parameter is passed.
    """
    return _join([type_letter(*split_type(function.returns), types), *_parameter_letters(function.parameters, types)])


def callback_signature(callback: Callback, types: Mapping[str, Type]) -> str:
    """Return the signature of a callback, as for a function; its result is void."""
    return _join([VOID_LETTER, *_parameter_letters(callback.parameters, types)])


def _parameter_letters(parameters: Iterable[Parameter], types: Mapping[str, Type]) -> list[str]:
    return [
        POINTER_LETTER if each.direction == "callback" else type_letter(each.base, each.pointers, types)
        for each in parameters
    ]


def _join(letters: list[str]) -> str:
    return "".join(letters) if all(letters) else ""
