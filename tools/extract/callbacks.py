"""Extracts the types of callbacks from the prototypes that contain them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import Callback, Function, Parameter
from clconform.tools.extract.prototypes import parse_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPELLING = re.compile(r"(.*?) ?\(CL_CALLBACK ?\*\)\((.*)\)$")


def extract_callbacks(functions: Iterable[Function]) -> list[Callback]:
    """Return every callback type that a function takes, in the order of the functions."""
    return [
        _parse_callback(function, parameter)
        for function in functions
        for parameter in function.parameters
        if parameter.direction == "callback"
    ]


def _parse_callback(function: Function, parameter: Parameter) -> Callback:
    spelled = _SPELLING.match(parameter.type)
    if spelled is None:
        raise ValueError(f"{function.name}: {parameter.name} is not a pointer to a function: {parameter.type!r}")
    given = tuple(msgspec.structs.replace(p, direction="in") for p in parse_parameters(spelled[2], unnamed=True))
    return Callback(
        name=f"{function.name}/{parameter.name}",
        function=function.name,
        parameter=parameter.name,
        type=parameter.type,
        returns=spelled[1],
        parameters=given,
        document=function.document,
        section=function.section,
        applicability=function.applicability,
    )
