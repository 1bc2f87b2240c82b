"""Programs that cannot be made of source, binaries, intermediate language or built-in kernels (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.cutting import LONGEST_BYTES
from clconform.calls.values import Data, Items, Pointers, Text, Texts
from clconform.oracles.chapters.programs.clauses.devices import devices_listed, first_against
from clconform.oracles.chapters.programs.languages import modules_for
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import Program
from clconform.oracles.recurring.contexts import association

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clCreateProgramWithSource/CL_INVALID_VALUE/1")
def no_source(call: Call, _model: Model) -> Reply:
    """count is 0, strings is NULL, or an element of strings is NULL."""
    if not call.count or call.strings is None:
        return Answer.MUST
    if isinstance(call.strings, Pointers):
        return Answer.MUST if None in call.strings.values[: call.count] else Answer.UNDEFINED
    if not isinstance(call.strings, Texts):
        return Answer.UNDEFINED
    return Answer.UNDEFINED if _past_the_ends(call.strings.contents, call.lengths, call.count) else Answer.NO


def _past_the_ends(texts: tuple[str, ...], lengths: object, count: int) -> bool:
    """Return whether lengths say more than there is: of each text with its terminator."""
    if lengths is None:
        return False
    if not isinstance(lengths, Items) or len(lengths.values) < count:
        return True
    sizes = [len(text.encode("utf-8", "surrogateescape")) + 1 for text in texts]
    return any(isinstance(told, int) and told > size for told, size in zip(lengths.values, sizes, strict=False))


@rules.clause("clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def device_not_for_the_program(call: Call, model: Model) -> Reply:
    """An element of device_list is NULL, or is not associated with context."""
    return first_against(call.device_list, model, lambda device: association(model.context(call.context), device))


@rules.clause("clCreateProgramWithBinary/CL_INVALID_VALUE/2")
def no_binaries(call: Call, _model: Model) -> Reply:
    """lengths or binaries is NULL, or an element of lengths is 0, or an element of binaries is NULL."""
    if call.lengths is None or call.binaries is None:
        return Answer.MUST
    if not call.num_devices:
        return Answer.NO
    lengths = call.lengths.values if isinstance(call.lengths, Items) else ()
    if len(lengths) < call.num_devices:
        return Answer.UNDEFINED
    if 0 in lengths[: call.num_devices]:
        return Answer.MUST
    if isinstance(call.binaries, Pointers):
        return Answer.MUST if None in call.binaries.values[: call.num_devices] else Answer.UNDEFINED
    sizes = _sizes(call.binaries)
    fit = len(sizes) >= call.num_devices and not any(
        isinstance(told, int) and told > size for told, size in zip(lengths, sizes, strict=False)
    )
    return Answer.NO if fit else Answer.UNDEFINED


def _sizes(binaries: object) -> list[int]:
    """Return the bytes of each binary."""
    if isinstance(binaries, Data):
        return [len(binaries.content)]
    texts = binaries.contents if isinstance(binaries, Texts) else ()
    return [len(text.encode("utf-8", "surrogateescape")) + 1 for text in texts]


@rules.clause("clCreateProgramWithBinary/CL_INVALID_BINARY/1")
def not_a_binary(call: Call, model: Model) -> Reply:
    """An element of binaries is not a binary for the device in device_list at the same place."""
    return Answer.NO if origins_of(call, model) else May("bytes-of-a-binary")


def origins_of(call: Call, model: Model) -> list[Program]:
    """Return the living programs that have told the binary that is given for their only device, or a part of it.

    Of a stored answer only its beginning may be known, which with the size that was told stands for all of it.
    """
    if not isinstance(call.binaries, Data) or not isinstance(call.lengths, Items) or call.num_devices != 1:
        return []
    content, size = call.binaries.content.hex(), (len(call.binaries.content),)
    found = []
    for program in model.of_kind(Program):
        sizes = program.facts.get("CL_PROGRAM_BINARY_SIZES")
        alike = len(program.binaries) == 1 and _begins(content, program.binaries[0])
        given = devices_listed(call, model)[0]
        family = given.ancestors if given.shares_binaries else []
        same = alike and program.devices[0] in (given, *family)
        if same and call.lengths.values == sizes == size:
            found.append(program)
    return found


def _begins(content: str, told: str) -> bool:
    """Return whether a binary, in hexadecimal digits, is what was told, or what is stored of that."""
    return content == told or (len(told) >= LONGEST_BYTES and content.startswith(told))


@rules.clause("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def not_of_a_language(call: Call, model: Model) -> Reply:
    """il is not a module of an intermediate language that the devices support."""
    if not isinstance(call.il, Data) or not call.length:
        return Answer.NO
    if call.il.content[: call.length] in modules_for(model.context(call.context).devices):
        return Answer.NO
    return May("bytes-of-a-module")


@rules.clause("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def no_such_built_in_kernel(call: Call, model: Model) -> Reply:
    """kernel_names is NULL, or has a name that is not a built-in kernel of any device in device_list."""
    if not isinstance(call.kernel_names, Text):
        return Answer.MUST
    known: set[str] = set()
    for device in devices_listed(call, model):
        told = device.facts.get("CL_DEVICE_BUILT_IN_KERNELS")
        if not isinstance(told, str):
            raise UnknownError("CL_DEVICE_BUILT_IN_KERNELS")
        known.update(told.split(";"))
    return not set(call.kernel_names.content.split(";")) <= known
