"""Programs from source, binaries, IL modules and built-in kernels (5.8.1 to 5.8.3): variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OffsetPointer, Pointers, Text, Texts
from clconform.oracles.model.program_sources import INVALID_LINE
from clconform.suites.chapters.kernels.argument_cases import build_for_device
from clconform.suites.chapters.programs.valid_calls import UNKNOWN_KERNEL
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.kit.programs import kernel_sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

INVALID_MODULE = Data(bytes(20))
"""Zeros instead of a SPIR-V module: the length of a SPIR-V header, without its magic number."""
INVALID_BINARY = Data(b"no driver's binary")
WORD = 8

# clCreateProgramWithSource


@variations.declare("clCreateProgramWithSource/CL_INVALID_VALUE/1")
def missing_strings() -> Iterator[Variation]:
    """Yield an empty list of strings, and lists that contain NULL."""
    yield Variation("count=0", {"count": 0})
    yield Variation("strings=NULL", {"strings": None})
    yield Variation("count=0, strings=NULL", {"count": 0, "strings": None})
    yield Variation("strings={NULL}", {"strings": Pointers((None,))})
    yield Variation("strings={a string, NULL}", _with_null_last)


def _with_null_last(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return a list of two strings, the first in host memory and the second NULL."""
    area = kit.host_area(kernel_sources("add_index")[0].encode() + b"\0")
    return {"count": 2, "strings": Pointers((OffsetPointer(area, 0), None))}


@variations.declare("clCreateProgramWithSource/success")
def strings_and_lengths() -> Iterator[Variation]:
    """Yield several strings, each with a terminator or a length."""
    first, second = kernel_sources("add_index", "copy_plus_one")
    size = len(first)
    yield Variation("two strings", {"count": 2, "strings": Texts((first, second))})
    yield Variation("one of two strings", {"count": 1, "strings": Texts((first, second))})
    yield Variation("lengths={0}", {"lengths": ElementList((0,))})
    yield Variation("lengths={length}", {"lengths": ElementList((size,))})
    yield Variation("a length with the terminator", {"lengths": ElementList((size + 1,))})
    yield Variation(
        "a length before the end", {"strings": Texts((first + INVALID_LINE,)), "lengths": ElementList((size,))}
    )
    yield Variation("an empty string", {"count": 2, "strings": Texts(("", first))})


# clCreateProgramWithBinary


@variations.declare("clCreateProgramWithBinary/CL_INVALID_VALUE/2")
def missing_binaries() -> Iterator[Variation]:
    """Yield NULL as ``lengths``, as ``binaries`` and as an element of ``binaries``, and a length of 0."""
    yield Variation("lengths=NULL", {"lengths": None})
    yield Variation("binaries=NULL", {"binaries": None})
    yield Variation("lengths={0}", {"lengths": ElementList((0,))})
    yield Variation("binaries={NULL}", {"binaries": Pointers((None,))})


@variations.declare("clCreateProgramWithBinary/CL_INVALID_BINARY/1")
def invalid_binaries() -> Iterator[Variation]:
    """Yield bytes that are not a binary, truncated or changed binaries, and another device's binary.

    The created programs are never built.
    """
    yield Variation("a text", {"lengths": ElementList((len(INVALID_BINARY.content),)), "binaries": INVALID_BINARY})
    yield Variation("one byte", {"lengths": ElementList((1,))})
    yield Variation("without the second half", lambda _kit, given: _with_first_half(given))
    for words, at in (("first", 0), ("middle", 1), ("last", 2)):
        yield Variation(f"its {words} byte changed", bind_values(_with_changed_byte, at))
    yield Variation("the binary of another device", _with_binary_of_another_device)


def _with_changed_byte(_kit: Kit, given: Arguments, half: int) -> Mapping[str, Value]:
    content = bytearray(given["binaries"].content if isinstance(given["binaries"], Data) else b"")
    content[min(half * len(content) // 2, len(content) - 1)] ^= 0xFF
    return {"binaries": Data(bytes(content))}


def _with_binary_of_another_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return the binary of a program built for another device of the context."""
    other = kit.other_available_device
    both = kit.for_context(kit.new_context(kit.cl.device, other))
    there = both.for_context(kit.new_context(other)).program("add_index")
    build_for_device(kit, there, other)
    content = kit.get_binary(there)
    return {"context": both.context, "lengths": ElementList((len(content),)), "binaries": Data(content)}


def _with_first_half(given: Arguments) -> Mapping[str, Value]:
    content = given["binaries"].content if isinstance(given["binaries"], Data) else b""
    return {"lengths": ElementList((len(content) // 2,)), "binaries": Data(content[: len(content) // 2])}


@variations.declare("clCreateProgramWithBinary/success")
def null_status_outputs() -> Iterator[Variation]:
    """Yield NULL as the binary status output."""
    yield Variation("binary_status=NULL", {"binary_status": None})


# clCreateProgramWithIL and clSetProgramSpecializationConstant


@variations.declare("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def invalid_modules() -> Iterator[Variation]:
    """Yield bytes that are not a module, and a truncated module."""
    yield Variation("20 bytes of zero", {"il": INVALID_MODULE, "length": len(INVALID_MODULE.content)})
    yield Variation("without its last word", lambda _kit, given: {"length": int(str(given["length"])) - 4})


@variations.declare("clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1")
def programs_without_il() -> Iterator[Variation]:
    """Yield NULL, and a program from source."""
    yield Variation("program=NULL", {"program": None})
    yield Variation("a program from source", lambda kit, _given: {"program": kit.program("add_index")})


@variations.declare("clSetProgramSpecializationConstant/CL_INVALID_SPEC_ID/1")
def unknown_constants() -> Iterator[Variation]:
    """Yield unknown identifiers of constants, and a module without constants."""
    yield Variation("spec_id=0", {"spec_id": 0})
    yield Variation("spec_id=UINT_MAX", {"spec_id": 0xFFFFFFFF})
    yield Variation("a module without constants", lambda kit, _given: {"program": kit.program_from_il()})


@variations.declare("clSetProgramSpecializationConstant/CL_INVALID_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield NULL as the value of a constant, and sizes that differ from the constant's 4 bytes."""
    yield Variation("spec_value=NULL", {"spec_value": None})
    yield Variation("spec_size=2", {"spec_size": 2})
    yield Variation("spec_size=8", {"spec_size": WORD, "spec_value": Data(bytes(WORD))})


@variations.declare(
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1",
    "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
)
def unsupported_valid_calls() -> Iterator[Variation]:
    """Yield the valid call, which must fail on a device without the feature."""
    yield Variation("the valid call", {})


# clCreateProgramWithBuiltInKernels


@variations.declare("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def unknown_built_in_kernels() -> Iterator[Variation]:
    """Yield NULL as the names, and the name of an unknown kernel."""
    yield Variation("kernel_names=NULL", {"kernel_names": None})
    yield Variation("a name that no kernel has", {"kernel_names": Text(UNKNOWN_KERNEL)})


@variations.declare(
    "clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1"
)
def devices_outside_the_context() -> Iterator[Variation]:
    """Yield NULL in the list of devices, and a device outside the context."""
    yield Variation("NULL in device_list", {"device_list": ElementList((None,))})
    yield Variation(
        "a device not in the context", lambda kit, _given: {"device_list": ElementList((kit.other_available_device,))}
    )
