"""Programs from source, binaries, IL modules and built-in kernels (5.8.1 to 5.8.3): variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Inside, Items, Pointers, Text, Texts
from clconform.oracles.model.sources import INVALID
from clconform.suites.chapters.kernels.making import built_for
from clconform.suites.chapters.programs.valid_calls import NO_SUCH_KERNEL
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.programs import sources_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

NO_MODULE = Data(bytes(20))
"""Zeros of the length of a SPIR-V header, without its magic number."""
NO_BINARY = Data(b"no driver's binary")
WORD = 8

# clCreateProgramWithSource


@variations.of("clCreateProgramWithSource/CL_INVALID_VALUE/1")
def no_strings() -> Iterator[Variation]:
    """Yield an empty list of strings, and NULL among the strings."""
    yield Variation("count=0", {"count": 0})
    yield Variation("strings=NULL", {"strings": None})
    yield Variation("count=0, strings=NULL", {"count": 0, "strings": None})
    yield Variation("strings={NULL}", {"strings": Pointers((None,))})
    yield Variation("strings={a string, NULL}", _with_null_last)


def _with_null_last(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return a string in host memory, and NULL."""
    area = kit.area(sources_of("add_index")[0].encode() + b"\0")
    return {"count": 2, "strings": Pointers((Inside(area, 0), None))}


@variations.of("clCreateProgramWithSource/success")
def strings_and_lengths() -> Iterator[Variation]:
    """Yield several strings, each with a terminator or a length."""
    first, second = sources_of("add_index", "copy_plus_one")
    size = len(first)
    yield Variation("two strings", {"count": 2, "strings": Texts((first, second))})
    yield Variation("one of two strings", {"count": 1, "strings": Texts((first, second))})
    yield Variation("lengths={0}", {"lengths": Items((0,))})
    yield Variation("lengths={length}", {"lengths": Items((size,))})
    yield Variation("a length with the terminator", {"lengths": Items((size + 1,))})
    yield Variation("a length before the end", {"strings": Texts((first + INVALID,)), "lengths": Items((size,))})
    yield Variation("an empty string", {"count": 2, "strings": Texts(("", first))})


# clCreateProgramWithBinary


@variations.of("clCreateProgramWithBinary/CL_INVALID_VALUE/2")
def no_binaries() -> Iterator[Variation]:
    """Yield NULL as the lists and in them, and a length of 0."""
    yield Variation("lengths=NULL", {"lengths": None})
    yield Variation("binaries=NULL", {"binaries": None})
    yield Variation("lengths={0}", {"lengths": Items((0,))})
    yield Variation("binaries={NULL}", {"binaries": Pointers((None,))})


@variations.of("clCreateProgramWithBinary/CL_INVALID_BINARY/1")
def broken_binaries() -> Iterator[Variation]:
    """Yield bytes that are not a binary, truncated or changed binaries, and another device's binary; none is built."""
    yield Variation("a text", {"lengths": Items((len(NO_BINARY.content),)), "binaries": NO_BINARY})
    yield Variation("one byte", {"lengths": Items((1,))})
    yield Variation("without the second half", lambda _kit, given: _first_half(given))
    for words, at in (("first", 0), ("middle", 1), ("last", 2)):
        yield Variation(f"its {words} byte changed", bound(_changed, at))
    yield Variation("the binary of another device", _of_another_device)


def _changed(_kit: Kit, given: Arguments, half: int) -> Mapping[str, Value]:
    content = bytearray(given["binaries"].content if isinstance(given["binaries"], Data) else b"")
    content[min(half * len(content) // 2, len(content) - 1)] ^= 0xFF
    return {"binaries": Data(bytes(content))}


def _of_another_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return the binary of a program built for another device of the context."""
    other = kit.another_device
    both = kit.within(kit.new_context(kit.cl.device, other))
    there = both.within(kit.new_context(other)).program("add_index")
    built_for(kit, there, other)
    content = kit.binary_of(there)
    return {"context": both.context, "lengths": Items((len(content),)), "binaries": Data(content)}


def _first_half(given: Arguments) -> Mapping[str, Value]:
    content = given["binaries"].content if isinstance(given["binaries"], Data) else b""
    return {"lengths": Items((len(content) // 2,)), "binaries": Data(content[: len(content) // 2])}


@variations.of("clCreateProgramWithBinary/success")
def without_a_status() -> Iterator[Variation]:
    """Yield NULL as the status output."""
    yield Variation("binary_status=NULL", {"binary_status": None})


# clCreateProgramWithIL and clSetProgramSpecializationConstant


@variations.of("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def no_modules() -> Iterator[Variation]:
    """Yield bytes that are not a module, and a truncated module."""
    yield Variation("20 bytes of zero", {"il": NO_MODULE, "length": len(NO_MODULE.content)})
    yield Variation("without its last word", lambda _kit, given: {"length": int(str(given["length"])) - 4})


@variations.of("clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1")
def programs_without_a_language() -> Iterator[Variation]:
    """Yield NULL, and a program from source."""
    yield Variation("program=NULL", {"program": None})
    yield Variation("a program from source", lambda kit, _given: {"program": kit.program("add_index")})


@variations.of("clSetProgramSpecializationConstant/CL_INVALID_SPEC_ID/1")
def unknown_constants() -> Iterator[Variation]:
    """Yield unknown identifiers, and a module without constants."""
    yield Variation("spec_id=0", {"spec_id": 0})
    yield Variation("spec_id=UINT_MAX", {"spec_id": 0xFFFFFFFF})
    yield Variation("a module without constants", lambda kit, _given: {"program": kit.program_from_language()})


@variations.of("clSetProgramSpecializationConstant/CL_INVALID_VALUE/1")
def other_values() -> Iterator[Variation]:
    """Yield NULL, and sizes that differ from the constant's 4 bytes."""
    yield Variation("spec_value=NULL", {"spec_value": None})
    yield Variation("spec_size=2", {"spec_size": 2})
    yield Variation("spec_size=8", {"spec_size": WORD, "spec_value": Data(bytes(WORD))})


@variations.of(
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1",
    "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
)
def as_they_are() -> Iterator[Variation]:
    """Yield the valid call, which a device without the feature must reject."""
    yield Variation("the valid call", {})


# clCreateProgramWithBuiltInKernels


@variations.of("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def no_built_in_kernels() -> Iterator[Variation]:
    """Yield NULL, and the name of an unknown kernel."""
    yield Variation("kernel_names=NULL", {"kernel_names": None})
    yield Variation("a name that no kernel has", {"kernel_names": Text(NO_SUCH_KERNEL)})


@variations.of("clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def devices_without_the_context() -> Iterator[Variation]:
    """Yield NULL in the list, and a device outside the context."""
    yield Variation("NULL in device_list", {"device_list": Items((None,))})
    yield Variation("a device not in the context", lambda kit, _given: {"device_list": Items((kit.another_device,))})
