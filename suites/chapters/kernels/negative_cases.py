"""Creation and cloning of kernels (sections 5.9.1 and 5.9.3): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import OutputBuffer, Text
from clconform.oracles.model.argument_kernels import BUILD_DEPENDENT, EXTRA_ARGUMENT_OPTION
from clconform.suites.chapters.kernels.argument_cases import build_for_device, create_kernel, get_two_devices
from clconform.suites.chapters.kernels.valid_calls import NAMES
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.programs import kernel_sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

INVALID_SOURCE = "this is no program\n"
variations = VariationRegistry()


@variations.declare(
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1", "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1"
)
def programs_without_executable() -> Iterator[Variation]:
    """Yield a program that is not built, and a program whose build failed."""
    yield Variation("a program that was not built", lambda kit, _given: {"program": kit.program(*NAMES)})
    yield Variation("a program whose build has failed", _with_failed_build)


def _with_failed_build(kit: Kit, _given: Arguments) -> dict[str, Value]:
    program = kit.program_from_source(INVALID_SOURCE)
    skip_unless(not kit.try_build(program), "the driver builds an invalid program")
    return {"program": program}


@variations.declare("clCreateKernel/CL_INVALID_KERNEL_NAME/1")
def unknown_names() -> Iterator[Variation]:
    """Yield names that resemble names of the program's kernels, and other names that the program does not contain."""
    name = NAMES[0]
    for other in ("", name[:-1], f"{name}_", name.upper(), f" {name}", f"{name} ", "data", "uint", "chase"):
        yield Variation(f"kernel_name={other!r}", {"kernel_name": Text(other)})


@variations.declare("clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1")
def differing_definitions() -> Iterator[Variation]:
    """Yield a kernel whose definitions on two devices differ in the number of arguments.

    The second device's program has an additional argument; in one variation, only one device has a build.
    """
    yield Variation("one argument more on one of two devices", _with_differing_definition)
    yield Variation("one argument more, for one of two devices", _with_longer_definition_on_one_device)


def _with_differing_definition(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"program": _build_with_options(kit, "", EXTRA_ARGUMENT_OPTION), "kernel_name": Text(BUILD_DEPENDENT.name)}


def _with_longer_definition_on_one_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"program": _build_with_options(kit, EXTRA_ARGUMENT_OPTION), "kernel_name": Text(BUILD_DEPENDENT.name)}


def _build_with_options(kit: Kit, *options: str, others: tuple[str, ...] = ()) -> Value:
    """Create a program for two devices, and build it for each device with the options for this device.

    ``others``: additional kernels of the program. If there are options for one device only, the program is built for
    that device only.
    """
    devices = get_two_devices(kit)
    program = kit.for_context(kit.new_context(*devices)).program_from_source(
        *kernel_sources(*others), BUILD_DEPENDENT.source
    )
    for device, own in zip(devices, options, strict=False):
        build_for_device(kit, program, device, own)
    return program


@variations.declare("clCreateKernel/success")
def valid_names() -> Iterator[Variation]:
    """Yield the second kernel of a program, and kernels of programs built for one or both of two devices.

    Another kernel is from a binary.
    """
    yield Variation("the second kernel", {"kernel_name": Text(NAMES[1])})
    yield Variation("the same on two devices", _with_equal_definitions)
    yield Variation("built for one of two devices", _with_build_for_one_device)
    yield Variation("a program from a binary", _with_binary)


def _with_equal_definitions(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {
        "program": _build_with_options(kit, EXTRA_ARGUMENT_OPTION, EXTRA_ARGUMENT_OPTION),
        "kernel_name": Text(BUILD_DEPENDENT.name),
    }


def _with_build_for_one_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    devices = get_two_devices(kit)
    program = kit.for_context(kit.new_context(*devices)).program(*NAMES)
    build_for_device(kit, program, devices[0])
    return {"program": program}


def _with_binary(kit: Kit, _given: Arguments) -> dict[str, Value]:
    program = kit.program_from_binary()
    skip_unless(kit.try_build(program), "the driver does not build its own binary")
    return {"program": program}


@variations.declare("clCreateKernelsInProgram/CL_INVALID_VALUE/1")
def short_arrays() -> Iterator[Variation]:
    """Yield arrays with fewer elements than the number of kernels in the program."""
    for number in range(len(NAMES)):
        yield Variation(f"num_kernels={number} of {len(NAMES)}", {"num_kernels": number})
    for number in range(2):
        yield Variation(f"num_kernels={number} of 1 and one that differs", bind_values(_with_short_array, number))
    yield Variation(
        "num_kernels=0 of 2, built for one of two devices", bind_values(_with_short_array, 0, EXTRA_ARGUMENT_OPTION)
    )


def _with_short_array(kit: Kit, given: Arguments, number: int, *options: str) -> dict[str, Value]:
    """Return a program of two kernels, and ``number`` as the length of the array.

    By default, one of the kernels has different definitions on the two devices.
    """
    made = _with_two_kernels(kit, given, *(options or ("", EXTRA_ARGUMENT_OPTION)))
    return {**made, "num_kernels": number, "kernels": OutputBuffer(len(NAMES))}


@variations.declare("clCreateKernelsInProgram/success")
def valid_arrays() -> Iterator[Variation]:
    """Yield calls with NULL as the array or the number output, too large an array, and builds for two devices."""
    nothing: dict[str, Value] = {"num_kernels": 0, "kernels": None}
    yield Variation("kernels=NULL", nothing)
    yield Variation("kernels=NULL, num_kernels=1", {**nothing, "num_kernels": 1})
    yield Variation("kernels=NULL, num_kernels_ret=NULL", {**nothing, "num_kernels_ret": None})
    yield Variation(
        "one element more than there are kernels",
        {"num_kernels": len(NAMES) + 1, "kernels": OutputBuffer(len(NAMES) + 1)},
    )
    yield Variation("num_kernels_ret=NULL", {"num_kernels_ret": None})
    for words, options in (
        ("another definition", ("", EXTRA_ARGUMENT_OPTION)),
        ("the same definition", (EXTRA_ARGUMENT_OPTION, EXTRA_ARGUMENT_OPTION)),
    ):
        yield Variation(f"{words} on the second of two devices", bind_values(_with_two_kernels, *options))


def _with_two_kernels(kit: Kit, _given: Arguments, *options: str) -> dict[str, Value]:
    """Return a program of two kernels, one of which depends on the build options."""
    return {"program": _build_with_options(kit, *options, others=("add_index",))}


@variations.declare("clCloneKernel/CL_INVALID_KERNEL/1")
def invalid_kernels() -> Iterator[Variation]:
    """Yield NULL, and an object of another type."""
    yield Variation("source_kernel=NULL", {"source_kernel": None})
    yield Variation("source_kernel=a program", _with_program)


def _with_program(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(kit.cl.robustness, "requires --robustness (valid handles of the wrong type)")
    return {"source_kernel": kit.program(*NAMES)}


@variations.declare("clCloneKernel/success")
def valid_sources() -> Iterator[Variation]:
    """Yield a kernel without set arguments, and a clone, as the source of another clone."""
    yield Variation("no argument set", lambda kit, _given: {"source_kernel": create_kernel(kit, "add_index")})
    yield Variation("a clone", _with_clone)


def _with_clone(kit: Kit, given: Arguments) -> dict[str, Value]:
    made = kit.cl.call(Call("clCloneKernel", {"source_kernel": given["source_kernel"], "errcode_ret": OutputBuffer(1)}))
    return {"source_kernel": require_handle(made)}
