"""Parses C prototypes of the documents into functions with typed parameters."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import Function, Parameter, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CALLBACK = re.compile(r"^(.*?)\(\s*(?:CL_CALLBACK\s*)?\*\s*(\w+)\s*\)\s*(\(.*\))$", re.DOTALL)
_NAME = re.compile(r"\b(cl[A-Z]\w*)\s*\(")
_SUFFIX = re.compile(r"[A-Z]{3,}\Z")
"""The suffix in the name of an extension's function."""
_PROVIDED = re.compile(r"Provided by ([^\n]+)")
_NOISE = re.compile(r"\b(?:extern|CL_API_ENTRY|CL_API_CALL|CL_EXT_SUFFIX\w*|CL_API_SUFFIX\w*|CL_EXT_PREFIX\w*)\b")


@dataclasses.dataclass(frozen=True, slots=True)
class CPrototype:
    """A prototype as printed; ``provided``: the names in the comment above the prototype."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    provided: tuple[str, ...] = ()


def parse_prototypes(listing: str) -> list[CPrototype]:
    """Return every prototype in a listing.

    Other text, such as an example, is ignored.
    """
    provided: tuple[str, ...] = ()
    found = []
    for comment in _PROVIDED.finditer(listing):
        provided = tuple(re.findall(r"CL_VERSION_\d+_\d+|cl_\w+", comment[1]))
    code = _NOISE.sub(" ", _COMMENT.sub(" ", listing))
    position = 0
    while match := _NAME.search(code, position):
        close = _closing_parenthesis(code, match.end() - 1)
        position = match.end()
        if close is None:
            continue
        start = max(code.rfind(";", 0, match.start()), code.rfind("}", 0, match.start())) + 1
        returns = _normalize_type(code[start : match.start()])
        after = code[close + 1 :].lstrip()
        if not re.fullmatch(r"(?:const )?[A-Za-z_]\w*(?: int| char)? ?\**", returns) or not after.startswith(";"):
            continue
        try:
            parameters = parse_parameters(code[match.end() : close])
        except ValueError:
            continue
        found.append(CPrototype(match[1], returns, parameters, provided))
        position = close
    return found


def parse_parameters(code: str, *, unnamed: bool = False) -> tuple[Parameter, ...]:
    """Return the parameters between the parentheses of a prototype; ValueError if they cannot be parsed.

    ``unnamed``: a pointer may lack a name, as in the types of callbacks.
    """
    pieces = [piece for piece in _split_parameters(code) if piece.strip()]
    if [piece.strip() for piece in pieces] == ["void"]:
        return ()
    nameless = [unnamed and piece.rstrip().endswith("*") for piece in pieces]
    return tuple(
        msgspec.structs.replace(parse_parameter(f"{piece} unnamed"), name="") if bare else parse_parameter(piece)
        for piece, bare in zip(pieces, nameless, strict=True)
    )


def parse_parameter(code: str) -> Parameter:
    """Return the parameter that a C declaration declares.

    The parameter may be a callback. ValueError if the text is not a declaration of a parameter.
    """
    callback = _CALLBACK.match(code.strip())
    if callback:
        spelling = f"{_normalize_type(callback[1])} (CL_CALLBACK*){_normalize_type(callback[3])}"
        return Parameter(callback[2], spelling, "callback", 1, const=False, direction="callback")
    match = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*(\[\w*\])?\s*", code, re.DOTALL)
    if not match:
        raise ValueError(f"not a parameter: {code!r}")
    spelling = _normalize_type(match[1] + ("*" if match[3] else ""))
    if not re.fullmatch(r"(?:(?:const|unsigned|struct) )*[A-Za-z_]\w*(?: const)?(?:\*+(?: ?const ?\**)?)?", spelling):
        raise ValueError(f"not a parameter: {code!r}")
    pointers = spelling.count("*")
    const = spelling.startswith("const ") or " const*" in spelling
    base = re.sub(r"\bconst\b|\*", " ", spelling)
    direction = "out" if pointers and not const and _is_output(single_spaced(base), match[2]) else "in"
    return Parameter(match[2], spelling, single_spaced(base), pointers, const=const, direction=direction)


def _is_output(base: str, name: str) -> bool:
    """Return whether a pointer parameter is an output.

    A void pointer counts only if it has the name of an output. Pointers to types of other APIs are never outputs.
    """
    if base == "void":
        return bool(re.match(r"param_value$|handle_ptr$|dst_|.*_ret$", name))
    return base.startswith(("cl_", "size_t", "char", "unsigned"))


def single_spaced(text: str) -> str:
    """Return the text with single spaces."""
    return " ".join(text.split())


def function_from_prototype(prototype: CPrototype, document: str, section: Section) -> Function:
    """Return a function with the properties that its prototype defines.

    The caller adds applicability conditions.
    """
    names = [parameter.name for parameter in prototype.parameters]
    parameters = tuple(
        msgspec.structs.replace(parameter, direction="out")
        if parameter.name == "ptr" and re.search(r"Read(?:Buffer|Image)", prototype.name)
        else parameter
        for parameter in prototype.parameters
    )
    error_by = "errcode_ret" if "errcode_ret" in names else "return" if prototype.returns == "cl_int" else "none"
    return Function(
        name=prototype.name,
        returns=prototype.returns,
        parameters=parameters,
        document=document,
        section=section,
        error_by=error_by,
        creates=_created_type(prototype),
        queries={"param_name", "param_value_size", "param_value"} <= set(names) and prototype.name.startswith("clGet"),
    )


def counterpart_parameter_names(function: Function, others: Iterable[Function]) -> dict[str, str]:
    """Map the parameter names of counterparts to the function's own names where they differ.

    A counterpart is a function whose name differs only in the suffix of an extension, and that has as many parameters.
    Parameters correspond by position.
    """
    mine = [parameter.name for parameter in function.parameters]
    found: dict[str, str] = {}
    for other in others:
        theirs = [parameter.name for parameter in other.parameters]
        if _are_counterparts(function.name, other.name) and len(theirs) == len(mine):
            found |= {their: own for their, own in zip(theirs, mine, strict=True) if their not in mine}
    return found


def _are_counterparts(one: str, other: str) -> bool:
    """Return whether two names differ only in a suffix.

    Capitals before the suffix may belong to the name itself.
    """
    short, long = sorted((one, other), key=len)
    if long.startswith(short):
        return long == short or bool(_SUFFIX.fullmatch(long, len(short)))
    return _stem(one) == _stem(other)


def _stem(name: str) -> str:
    known = next((suffix for suffix in ("KHR", "EXT") if name.endswith(suffix)), "")
    return name.removesuffix(known) if known else _SUFFIX.sub("", name)


def with_described_names(function: Function, own: Mapping[str, str], text: str) -> Function:
    """Return a function with the parameter names that a text uses.

    ``own``: maps the parameter names of counterparts, which the text also describes, to the function's own names.
    """
    called = {
        mine: their
        for their, mine in own.items()
        if re.search(rf"\b{their}\b", text) and not re.search(rf"\b{mine}\b", text)
    }
    parameters = tuple(
        msgspec.structs.replace(parameter, name=called.get(parameter.name, parameter.name))
        for parameter in function.parameters
    )
    return msgspec.structs.replace(function, parameters=parameters)


def _created_type(prototype: CPrototype) -> str:
    makes = re.match(r"cl(?:Create|Clone|Link|Compile|Enqueue|Command|Remap|Import|Get\w*EventFrom)", prototype.name)
    if not makes:
        return ""
    if prototype.returns.startswith("cl_") and prototype.returns not in ("cl_int", "cl_uint", "cl_bool"):
        return prototype.returns
    outs = [p for p in prototype.parameters if p.direction == "out" and p.pointers == 1 and p.base.startswith("cl_")]
    made = [p.base for p in outs if p.base not in ("cl_int", "cl_uint", "cl_bool")]
    return "cl_event" if "cl_event" in made else next(iter(made), "")


def _normalize_type(code: str) -> str:
    tight = single_spaced(re.sub(r"\s*\*\s*", "*", code)).replace("( ", "(").replace(" )", ")")
    return re.sub(r"\*(?=\w)", "* ", tight)


def _closing_parenthesis(code: str, opening: int) -> int | None:
    depth = 0
    for index in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[index], 0)
        if depth == 0:
            return index
    return None


def _split_parameters(code: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(code):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(code[start:index])
            start = index + 1
    return [*parts, code[start:]]
