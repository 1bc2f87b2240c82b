"""Postconditions of setting specialization constants (section 5.8.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.chapters.programs.constants import SIZES
from clconform.oracles.engine.judgements import UNEXPECTED_ERROR
from clconform.oracles.engine.matchers import Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.programs import IlProgram, SpecializationValue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clSetProgramSpecializationConstant")
def expect_constant(call: Call, model: Model) -> Postcondition:
    """Later builds of program use the value at spec_value for the specialization constant spec_id."""
    program, given = model.find(call.program), call.spec_value
    size = SIZES.get(call.spec_id)
    content = given.content[:size] if isinstance(given, Data) and call.spec_size == size else b""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(program, IlProgram):
            before = program.constants.get(call.spec_id)
            value = content if size and len(content) == size else None
            again = before is not None and before.value != value
            program.constants[call.spec_id] = SpecializationValue(value, again)

    return Postcondition(apply=apply)


@rules.aftermath("clSetProgramSpecializationConstant")
def record_failed_constant(call: Call, model: Model, code: str) -> None:
    """Record that the value of the constant is unknown if the call failed with an unexplained error."""
    program = model.find(call.program)
    if code == UNEXPECTED_ERROR and isinstance(program, IlProgram):
        program.constants[call.spec_id] = SpecializationValue(None)
