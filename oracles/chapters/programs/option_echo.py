"""Memory effects of the echo kernel, which writes the macros that its build options define (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.options import parse_definitions
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import MemoryPlace, attribute_to, concatenate, defined_bytes
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.option_kernels import ECHO_OPTIONS, MACROS, WORDS, is_predictable, stored_number
from clconform.oracles.model.programs import BinaryProgram, BuildState, SourceProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import Program, ProgramBuild

FAST = "-cl-fast-relaxed-math"
PREPROCESSOR = "OpenCL:preprocessor-options"
AS_ONE, AS_TOKENS = (f"{PREPROCESSOR}/{number}" for number in (3, 4))
OFF_BY_DEFAULT, FAST_MATH = (f"OpenCL:optimization-options/{number}" for number in (2, 3))
AS_ORIGINAL_BUILD = "clBuildProgram/effect/5"
REQUIREMENT_TEXTS = {
    AS_ONE: "Checked on buffers that a kernel wrote with the values of macros from -D options.",
    AS_TOKENS: "Checked on buffers that a kernel wrote with the values of macros from -D options.",
    OFF_BY_DEFAULT: "Checked on kernel output: __FAST_RELAXED_MATH__ is not defined without -cl-fast-relaxed-math.",
    FAST_MATH: "Checked on kernel output: __FAST_RELAXED_MATH__ is defined with -cl-fast-relaxed-math.",
    AS_ORIGINAL_BUILD: "Checked on buffers that a kernel from a binary wrote with the macros of the original build.",
}
"""Maps each requirement that the output of the echo kernel covers to its text."""


def option_echo_effect(kernel: Kernel, device: Device, requirement: str) -> MemoryEffect:
    """Return the memory effect of the kernel that writes the macros of its build options.

    Raises UnknownFactError if the options are unknown.
    """
    program = kernel.program
    build = program.builds.get(device.name) if program is not None else None
    held = kernel.arguments.get(0)
    buffer = held.object if held is not None else None
    if program is None or build is None or build.state is not BuildState.BUILT or program.parts != (ECHO_OPTIONS.name,):
        raise UnknownFactError("options")
    options, first = _effective_options(program, build)
    if not isinstance(buffer, Buffer) or buffer.memory is None or buffer.memory.size < WORD_BYTES * WORDS:
        raise UnknownFactError("argument")
    target = MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, WORD_BYTES * WORDS), buffer)
    told = [(word, first or by_whom) for word, by_whom in _expected_words(options)]
    words = [
        attribute_to(defined_bytes(word.to_bytes(WORD_BYTES, "little")), by_whom or requirement)
        for word, by_whom in told
    ]
    shown = frozenset(by_whom for _, by_whom in told)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(concatenate(words))
        target.storage.used_capabilities = shown

    return MemoryEffect((), (target,), apply=carry_out)


def _effective_options(program: Program, build: ProgramBuild) -> tuple[str, str]:
    """Return the options of a build, and the requirement that these options cover.

    The requirement is empty unless the options are those of the binary.
    """
    if isinstance(program, SourceProgram) and build.options is not None:
        return build.options, ""
    if isinstance(program, BinaryProgram) and build.options is None and program.saved_options:
        return program.saved_options, AS_ORIGINAL_BUILD
    raise UnknownFactError("options")


def _expected_words(options: str) -> Iterator[tuple[int, str]]:
    """Yield each number that the kernel writes, with the requirement that the number covers; empty if there is none."""
    found: dict[str, str] = {}
    shown: dict[str, str] = {}
    for each in parse_definitions(options):
        name, equals, value = each.partition("=")
        if not is_predictable(name, value) or name in found:
            raise UnknownFactError("a definition")
        found[name] = value if equals else "1"
        shown[name] = AS_TOKENS if equals else AS_ONE
    for name in MACROS:
        yield int(name in found), shown.get(name, "")
        try:
            yield stored_number(name, found), shown.get(name, "")
        except ValueError:
            raise UnknownFactError("a definition") from None
    yield (1, FAST_MATH) if FAST in options.split() else (0, OFF_BY_DEFAULT)
