"""Creation and cloning of kernels (sections 5.9.1 and 5.9.3): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer, Text
from clconform.oracles.model.argument_kernels import DIFFERING, MORE
from clconform.suites.chapters.kernels.making import built_for, new_kernel, two_devices
from clconform.suites.chapters.kernels.valid_calls import NAMES
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.programs import sources_of
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NO_PROGRAM = "this is no program\n"
variations = Variations()


@variations.of(
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1", "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1"
)
def programs_without_executable() -> Iterator[Variation]:
    """Yield a program that is not built, and a program whose build failed."""
    yield Variation("a program that was not built", lambda kit, _given: {"program": kit.program(*NAMES)})
    yield Variation("a program whose build has failed", _misbuilt)


def _misbuilt(kit: Kit, _given: Arguments) -> dict[str, Value]:
    program = kit.program_of(NO_PROGRAM)
    needs(not kit.builds(program), "the driver builds an invalid program")
    return {"program": program}


@variations.of("clCreateKernel/CL_INVALID_KERNEL_NAME/1")
def unknown_names() -> Iterator[Variation]:
    """Yield names that resemble those of kernels, and other names from the source."""
    name = NAMES[0]
    for other in ("", name[:-1], f"{name}_", name.upper(), f" {name}", f"{name} ", "data", "uint", "chase"):
        yield Variation(f"kernel_name={other!r}", {"kernel_name": Text(other)})


@variations.of("clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1")
def differing_definitions() -> Iterator[Variation]:
    """Yield a kernel with an additional argument on the second of two devices, or on the only device of the build."""
    yield Variation("one argument more on one of two devices", _differing)
    yield Variation("one argument more, for one of two devices", _for_one_with_more)


def _differing(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"program": _built_twice(kit, "", MORE), "kernel_name": Text(DIFFERING.name)}


def _for_one_with_more(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"program": _built_twice(kit, MORE), "kernel_name": Text(DIFFERING.name)}


def _built_twice(kit: Kit, *options: str, others: tuple[str, ...] = ()) -> Value:
    """Create a program for two devices, and build it with options for each.

    ``others``: further kernels of the program. With options for one device only, the program is built for that device
    only.
    """
    devices = two_devices(kit)
    program = kit.within(kit.new_context(*devices)).program_of(*sources_of(*others), DIFFERING.source)
    for device, own in zip(devices, options, strict=False):
        built_for(kit, program, device, own)
    return program


@variations.of("clCreateKernel/success")
def valid_names() -> Iterator[Variation]:
    """Yield the second kernel, a kernel with one definition on two devices, and a program from a binary."""
    yield Variation("the second kernel", {"kernel_name": Text(NAMES[1])})
    yield Variation("the same on two devices", _the_same)
    yield Variation("built for one of two devices", _built_for_one)
    yield Variation("a program from a binary", _from_binary)


def _the_same(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"program": _built_twice(kit, MORE, MORE), "kernel_name": Text(DIFFERING.name)}


def _built_for_one(kit: Kit, _given: Arguments) -> dict[str, Value]:
    devices = two_devices(kit)
    program = kit.within(kit.new_context(*devices)).program(*NAMES)
    built_for(kit, program, devices[0])
    return {"program": program}


def _from_binary(kit: Kit, _given: Arguments) -> dict[str, Value]:
    program = kit.program_from_binary()
    needs(kit.builds(program), "the driver does not build its own binary")
    return {"program": program}


@variations.of("clCreateKernelsInProgram/CL_INVALID_VALUE/1")
def too_little_room() -> Iterator[Variation]:
    """Yield arrays with fewer elements than the program has kernels."""
    for number in range(len(NAMES)):
        yield Variation(f"num_kernels={number} of {len(NAMES)}", {"num_kernels": number})
    for number in range(2):
        yield Variation(f"num_kernels={number} of 1 and one that differs", bound(_without_the_differing, number))
    yield Variation("num_kernels=0 of 2, built for one of two devices", bound(_without_the_differing, 0, MORE))


def _without_the_differing(kit: Kit, given: Arguments, number: int, *options: str) -> dict[str, Value]:
    """Return a program of two kernels, one of them with different definitions on two devices, and a small array."""
    made = _one_more(kit, given, *(options or ("", MORE)))
    return {**made, "num_kernels": number, "kernels": OutputBuffer(len(NAMES))}


@variations.of("clCreateKernelsInProgram/success")
def valid_room() -> Iterator[Variation]:
    """Yield NULL as the array, with several lengths, a larger array, and NULL as the number output."""
    nothing: dict[str, Value] = {"num_kernels": 0, "kernels": None}
    yield Variation("kernels=NULL", nothing)
    yield Variation("kernels=NULL, num_kernels=1", {**nothing, "num_kernels": 1})
    yield Variation("kernels=NULL, num_kernels_ret=NULL", {**nothing, "num_kernels_ret": None})
    yield Variation(
        "one element more than there are kernels",
        {"num_kernels": len(NAMES) + 1, "kernels": OutputBuffer(len(NAMES) + 1)},
    )
    yield Variation("num_kernels_ret=NULL", {"num_kernels_ret": None})
    for words, options in (("another definition", ("", MORE)), ("the same definition", (MORE, MORE))):
        yield Variation(f"{words} on the second of two devices", bound(_one_more, *options))


def _one_more(kit: Kit, _given: Arguments, *options: str) -> dict[str, Value]:
    """Return a program of two kernels, one of which depends on the build options."""
    return {"program": _built_twice(kit, *options, others=("add_index",))}


@variations.of("clCloneKernel/CL_INVALID_KERNEL/1")
def no_kernels() -> Iterator[Variation]:
    """Yield NULL, and an object of another type."""
    yield Variation("source_kernel=NULL", {"source_kernel": None})
    yield Variation("source_kernel=a program", _a_program)


def _a_program(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(kit.cl.robustness, "requires --robustness (valid handles of the wrong type)")
    return {"source_kernel": kit.program(*NAMES)}


@variations.of("clCloneKernel/success")
def valid_sources() -> Iterator[Variation]:
    """Yield a kernel without set arguments, and a clone."""
    yield Variation("no argument set", lambda kit, _given: {"source_kernel": new_kernel(kit, "add_index")})
    yield Variation("a clone", _clone)


def _clone(kit: Kit, given: Arguments) -> dict[str, Value]:
    made = kit.cl.clCloneKernel(given["source_kernel"], OutputBuffer(1))
    return {"source_kernel": one(made)}
