"""Memory effects of the echo kernel, which writes the specialization constants of its build (section 5.8.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import MemoryPlace, attribute_to, concatenate, defined_bytes
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.programs import BuildState, IlProgram
from clconform.oracles.model.spirv import BOOLEAN_CONSTANT, CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import SpecializationValue
    from clconform.oracles.model.spirv import SpecializationConstant

SET_CONSTANT = "clSetProgramSpecializationConstant"
LAST, COPIED, KEPT, BOOLEAN, DEFAULT = (f"{SET_CONSTANT}/effect/{number}" for number in range(1, 6))
SIZES = {constant.spec_id: constant.bytes for constant in CONSTANTS}
"""Maps the id of each specialization constant in our module to the size of the constant in bytes."""
REQUIREMENT_TEXTS = {
    LAST: "A build uses the value that the specialization constant was last set to.",
    COPIED: (
        "Checked on buffers that a kernel wrote after the application reused the memory at spec_value for other data."
    ),
    KEPT: "Checked on buffers that a kernel wrote after several builds: the constant was set only once.",
    BOOLEAN: "Checked on buffers that a kernel wrote with the value of a boolean constant.",
    DEFAULT: "Checked on buffers that a kernel wrote with the value of a constant that was not set.",
}
"""Maps each requirement that the output of the echo kernel covers to its text."""


def record_specialization(program: IlProgram, devices: Sequence[Device]) -> None:
    """Record which values the specialization constants of a program have in a build for these devices."""
    for device in devices:
        program.built_with[device.name] = dict(program.constants)
    for spec_id, each in program.constants.items():
        program.constants[spec_id] = replace(each, build_count=each.build_count + 1)


def constant_echo_effect(kernel: Kernel, device: Device, requirement: str) -> MemoryEffect:
    """Return the memory effect of the kernel that writes the specialization constants of its build.

    Raises UnknownFactError if the build or the buffer is unknown.
    """
    program = kernel.program
    held = kernel.arguments.get(0)
    buffer = held.object if held is not None else None
    build = program.builds.get(device.name) if program is not None else None
    if not isinstance(program, IlProgram) or build is None or build.state is not BuildState.BUILT:
        raise UnknownFactError("constants")
    if not isinstance(buffer, Buffer) or buffer.memory is None or buffer.memory.size < WORD_BYTES * len(CONSTANTS):
        raise UnknownFactError("argument")
    target = MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, WORD_BYTES * len(CONSTANTS)), buffer)
    used = program.built_with.get(device.name, {})
    told = [_constant_word(constant, used.get(constant.spec_id)) for constant in CONSTANTS]
    ways = [list(_covered_requirements(constant, used.get(constant.spec_id))) for constant in CONSTANTS]
    words = [
        attribute_to(defined_bytes(word), (*shown, requirement)[0]) for word, shown in zip(told, ways, strict=True)
    ]
    everything = frozenset(each for shown in ways for each in shown)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(concatenate(words))
        target.storage.used_capabilities = everything

    return MemoryEffect((), (target,), apply=carry_out)


def _constant_word(constant: SpecializationConstant, used: SpecializationValue | None) -> bytes:
    """Return the bytes that the echo kernel writes for a constant."""
    value = constant.default.to_bytes(constant.bytes, "little") if used is None else used.value
    if value is None:
        raise UnknownFactError("a constant")
    return int(any(value)).to_bytes(WORD_BYTES, "little") if constant is BOOLEAN_CONSTANT else value


def _covered_requirements(constant: SpecializationConstant, used: SpecializationValue | None) -> Iterator[str]:
    """Yield the requirements that the value of a constant in a build covers; a deviation is attributed to the first.

    ``used``: the specialization that the build used; None for the default value.
    """
    if used is None:
        yield DEFAULT
        return
    if used.was_changed:
        yield LAST
    if used.build_count:
        yield KEPT
    if constant is BOOLEAN_CONSTANT:
        yield BOOLEAN
    yield COPIED
