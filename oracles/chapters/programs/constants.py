"""What specialization constants are in a build, as a kernel tells it that stores them (section 5.8.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Place, by, in_a_row, plain
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.programs import BuildState, IlProgram
from clconform.oracles.model.spirv import CONSTANTS, TRUTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import Specialization
    from clconform.oracles.model.spirv import Constant

SET = "clSetProgramSpecializationConstant"
LAST, COPIED, KEPT, BOOLEAN, DEFAULT = (f"{SET}/effect/{number}" for number in range(1, 6))
SIZES = {constant.spec_id: constant.bytes for constant in CONSTANTS}
"""Bytes of each constant of our module by its identifier."""
SHOWN = {
    LAST: "The value that a specialization constant was set to last is the one that counts.",
    COPIED: "The value of a specialization constant is copied during the call.",
    KEPT: "The value of a specialization constant counts for each later build until it is set again.",
    BOOLEAN: "A boolean specialization constant is true if any of its bits is set.",
    DEFAULT: "A specialization constant that is not set has the value that stands in the module.",
}
"""Effects that are seen in what the kernel stores, in words."""


def specialized(program: IlProgram, devices: Sequence[Device]) -> None:
    """Note which values a build for some devices uses."""
    for device in devices:
        program.built_with[device.name] = dict(program.constants)
    for spec_id, each in program.constants.items():
        program.constants[spec_id] = replace(each, builds=each.builds + 1)


def constants_told(kernel: Kernel, device: Device, record: str) -> MemoryEffect:
    """Return what the kernel stores of the constants of its program; UnknownError if that is not known."""
    program = kernel.program
    held = kernel.arguments.get(0)
    buffer = held.object if held is not None else None
    build = program.builds.get(device.name) if program is not None else None
    if not isinstance(program, IlProgram) or build is None or build.state is not BuildState.BUILT:
        raise UnknownError("constants")
    if not isinstance(buffer, Buffer) or buffer.memory is None or buffer.memory.size < WORD_BYTES * len(CONSTANTS):
        raise UnknownError("argument")
    target = Place(buffer.memory.storage, buffer.memory.spans(0, WORD_BYTES * len(CONSTANTS)), buffer)
    used = program.built_with.get(device.name, {})
    told = [_word(constant, used.get(constant.spec_id)) for constant in CONSTANTS]
    ways = [list(_shown(constant, used.get(constant.spec_id))) for constant in CONSTANTS]
    words = [by(plain(word), (*shown, record)[0]) for word, shown in zip(told, ways, strict=True)]
    everything = frozenset(each for shown in ways for each in shown)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(in_a_row(words))
        target.storage.ways = everything

    return MemoryEffect((), (target,), carry_out=carry_out)


def _word(constant: Constant, used: Specialization | None) -> bytes:
    """Return the word that is stored for a constant."""
    value = constant.default.to_bytes(constant.bytes, "little") if used is None else used.value
    if value is None:
        raise UnknownError("a constant")
    return int(any(value)).to_bytes(WORD_BYTES, "little") if constant is TRUTH else value


def _shown(constant: Constant, used: Specialization | None) -> Iterator[str]:
    """Yield what the word of a constant shows, the first of which is to blame if it is wrong."""
    if used is None:
        yield DEFAULT
        return
    if used.again:
        yield LAST
    if used.builds:
        yield KEPT
    if constant is TRUTH:
        yield BOOLEAN
    yield COPIED
