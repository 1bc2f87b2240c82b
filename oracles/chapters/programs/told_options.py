"""Effects of build options, as an echo kernel writes the macros it was compiled with (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.options import defined
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Place, by, in_a_row, plain
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.option_kernels import NAMES, TELL_OPTIONS, WORDS, is_told, number_of
from clconform.oracles.model.programs import BinaryProgram, BuildState, SourceProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import Build, Program

FAST = "-cl-fast-relaxed-math"
PREPROCESSOR = "OpenCL:preprocessor-options"
AS_ONE, AS_TOKENS = (f"{PREPROCESSOR}/{number}" for number in (3, 4))
NOT_ASKED_FOR, FAST_MATH = (f"OpenCL:optimization-options/{number}" for number in (2, 3))
AS_AT_FIRST = "clBuildProgram/effect/5"
SHOWN = {
    AS_ONE: "Checked on buffers that a kernel wrote with the values of its macros.",
    AS_TOKENS: "Checked on buffers that a kernel wrote with the values of its macros.",
    NOT_ASKED_FOR: "Checked on buffers that a kernel wrote: __FAST_RELAXED_MATH__ is not defined.",
    FAST_MATH: "Checked on buffers that a kernel wrote with -cl-fast-relaxed-math in the options.",
    AS_AT_FIRST: "Checked on buffers that a kernel wrote: it has the macros of the original build.",
}
"""Requirement id to its text, for effects observed in the words that the kernel writes."""


def options_told(kernel: Kernel, device: Device, record: str) -> MemoryEffect:
    """Return the effect of the echo kernel for its build options; UnknownError if they are unknown."""
    program = kernel.program
    build = program.builds.get(device.name) if program is not None else None
    held = kernel.arguments.get(0)
    buffer = held.object if held is not None else None
    if program is None or build is None or build.state is not BuildState.BUILT or program.parts != (TELL_OPTIONS.name,):
        raise UnknownError("options")
    options, first = _options(program, build)
    if not isinstance(buffer, Buffer) or buffer.memory is None or buffer.memory.size < WORD_BYTES * WORDS:
        raise UnknownError("argument")
    target = Place(buffer.memory.storage, buffer.memory.spans(0, WORD_BYTES * WORDS), buffer)
    told = [(word, first or by_whom) for word, by_whom in _words(options)]
    words = [by(plain(word.to_bytes(WORD_BYTES, "little")), by_whom or record) for word, by_whom in told]
    shown = frozenset(by_whom for _, by_whom in told)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(in_a_row(words))
        target.storage.ways = shown

    return MemoryEffect((), (target,), carry_out=carry_out)


def _options(program: Program, build: Build) -> tuple[str, str]:
    """Return the options that apply to a program, and the requirement that is covered if its binary supplies them."""
    if isinstance(program, SourceProgram) and build.options is not None:
        return build.options, ""
    if isinstance(program, BinaryProgram) and build.options is None and program.first_options:
        return program.first_options, AS_AT_FIRST
    raise UnknownError("options")


def _words(options: str) -> Iterator[tuple[int, str]]:
    """Yield the words that the kernel writes, each with the requirement that it covers, or ''."""
    found: dict[str, str] = {}
    shown: dict[str, str] = {}
    for each in defined(options):
        name, equals, value = each.partition("=")
        if not is_told(name, value) or name in found:
            raise UnknownError("a definition")
        found[name] = value if equals else "1"
        shown[name] = AS_TOKENS if equals else AS_ONE
    for name in NAMES:
        yield int(name in found), shown.get(name, "")
        try:
            yield number_of(name, found), shown.get(name, "")
        except ValueError:
            raise UnknownError("a definition") from None
    yield (1, FAST_MATH) if FAST in options.split() else (0, NOT_ASKED_FOR)
