"""Rules that relate numeric versions and arrays with versions to strings, and extensions to features."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.engine.gates import profile_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Such, Values, Want
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.versions import Version, read_version
from clconform.oracles.queries.reading import (
    il_versions,
    list_of,
    listing,
    number,
    text_of,
    told,
    unpacked,
    with_versions,
    words_in,
)
from clconform.spec_tables.records import Effect

if TYPE_CHECKING:
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import OptionalBehaviour

rules = Rules()

SPIRV = "SPIR-V"
BYTES = "cl_khr_byte_addressable_store"
OF_ALL = (
    BYTES,
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
)
OF_3_1 = (
    "cl_khr_device_uuid",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_spirv_queries",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_suggested_local_work_size",
)
"""Extensions that became a part of OpenCL 3.1 and that its devices still report."""
REQUIRED = "OpenCL:required-opencl-extensions"
"""The section in which revisions from 3.1.0 on list the extensions that devices of some versions report."""
LANGUAGES = {"6": ((2, 1), 0), "7": ((2, 2), 2), "8": ((3, 1), 4)}
"""Number of a sentence on languages to the minimum device version, and the newest minor version of SPIR-V."""
WRITES_3D, DEPTH, FROM_BUFFER = "cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_image2d_from_buffer"

rules.untestable(
    "CL_PLATFORM_EXTENSIONS/effect/1",
    "The list contains each extension that all devices of the platform support.",
    "the documents leave open whether all devices that are present are meant, or all that the platform could have "
    "(OpenCL-Docs issue 1287)",
)


def same_version(question: Question, record: str, text: str) -> Want:
    """Expect a packed version with the major and minor number of a string."""
    del question
    try:
        wanted = read_version(text)
    except ValueError as none:
        raise UnknownError(text) from none
    return Such(lambda seen: unpacked(number(seen)) == wanted, f"major and minor as in {text!r}", (record,))


@rules.between_answers("matches-version")
def as_in_the_string(record: Effect | OptionalBehaviour, question: Question) -> Want:
    """The numeric version has the same major and minor version as the version string."""
    return same_version(question, record.id, text_of(question.thing, *record.symbols[:1]))


@rules.between_answers("matches-c-version")
def as_in_the_string_of_c(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """The numeric version has the same major and minor version as CL_DEVICE_OPENCL_C_VERSION, unless that is empty."""
    text = text_of(question.thing, *record.symbols[:1])
    return same_version(question, record.id, text) if text else None


@rules.between_answers("matches-extensions")
def the_listed_extensions(record: Effect | OptionalBehaviour, question: Question) -> Want:
    """The array lists the same extensions as the corresponding query without versions."""
    wanted = set(text_of(question.thing, *record.symbols[:1]).split())

    def same(seen: Values) -> bool:
        return {name for name, _ in with_versions(seen)} == wanted

    return Such(same, f"the extensions of {record.symbols[0]}: {listing(wanted)}", (record.id,))


@rules.between_answers("no-extension-twice")
def each_once(record: Effect | OptionalBehaviour, question: Question) -> Want:
    """The array lists no extension more than once."""
    del question

    def once(seen: Values) -> bool:
        names = [name for name, _ in with_versions(seen)]
        return len(set(names)) == len(names)

    return Such(once, "no name twice", (record.id,))


@rules.between_answers("matches-built-in-kernels")
def the_listed_kernels(record: Effect | OptionalBehaviour, question: Question) -> Want:
    """The array lists the same built-in kernels as CL_DEVICE_BUILT_IN_KERNELS."""
    text = text_of(question.thing, *record.symbols[:1])
    wanted = {name.strip() for name in text.split(";") if name.strip()}

    def same(seen: Values) -> bool:
        return {name.strip() for name, _ in with_versions(seen)} == wanted

    return Such(same, f"the kernels of {record.symbols[0]}: {listing(wanted)}", (record.id,))


@rules.between_answers("matches-il-version")
def the_listed_languages(record: Effect | OptionalBehaviour, question: Question) -> Want:
    """The array lists the same intermediate languages, with the same versions, as CL_DEVICE_IL_VERSION."""
    text = text_of(question.thing, "CL_DEVICE_IL_VERSION", "CL_DEVICE_IL_VERSION_KHR")
    wanted = il_versions(text)
    if len(wanted) != len(set(text.split())):
        raise UnknownError(text)

    def same(seen: Values) -> bool:
        return {(name, unpacked(version)) for name, version in with_versions(seen)} == wanted

    return Such(same, f"the languages in {text!r}", (record.id,))


@rules.between_answers("spirv-reported")
def spirv_among_them(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """A device of version 2.1 or 2.2 lists a version of SPIR-V, unless it is a custom device."""
    device = question.device
    if device is None or not (2, 1) <= device.version < (3, 0) or custom(question):
        return None
    return Such(lambda seen: any(name == SPIRV for name, _ in with_versions(seen)), f"including {SPIRV}", (record.id,))


rules.untestable(
    "CL_DEVICE_ILS_WITH_VERSION/effect/2",
    "A device of version 2.1 or 2.2 lists a version of SPIR-V.",
    "devices of these versions do not have this query, but only CL_DEVICE_ILS_WITH_VERSION_KHR with the same value",
)


@rules.between_answers("spirv-prefix")
def spirv_with_the_extension(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """The string lists a version of SPIR-V if the device reports cl_khr_il_program."""
    device = question.device
    if device is None or "cl_khr_il_program" not in device.extensions:
        return None
    return Such(
        lambda seen: any(word.startswith(f"{SPIRV}_") for word in words_in(seen)), f"including {SPIRV}", (record.id,)
    )


@rules.between_answers("minimum-spirv-versions")
def oldest_spirv(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """The string lists each version of SPIR-V that devices of this version must support, unless it is a custom device.

    SPIR-V 1.0 for devices of 2.1 and those with cl_khr_il_program, 1.0 to 1.2 for those of 2.2, and 1.0 to 1.4 for 3.1.
    """
    device = question.device
    since, newest = LANGUAGES[record.id.rpartition("/")[2]]
    if device is None or custom(question):
        return None
    if device.version != since and (since != (2, 1) or "cl_khr_il_program" not in device.extensions):
        return None
    needed = {f"{SPIRV}_1.{minor}" for minor in range(newest + 1)}
    return Such(lambda seen: words_in(seen) >= needed, f"a list with {listing(needed)}", (record.id,))


@rules.between_answers("empty-without-il")
def no_language_listed(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """The string is empty if CL_DEVICE_ILS_WITH_VERSION is empty."""
    if list_of(question.thing, "CL_DEVICE_ILS_WITH_VERSION", "CL_DEVICE_ILS_WITH_VERSION_KHR"):
        return None
    return Such(lambda seen: not words_in(seen), "an empty string, since no language is listed", (record.id,))


rules.inferred("CL_DEVICE_IL_VERSION/effect/1", "CL_DEVICE_IL_VERSION_KHR/effect/1")


@rules.between_answers("c-1.2-at-least")
def new_enough_c(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """The OpenCL C version of a device of version 3.0 or later is 1.2 or later, unless the string is empty."""
    device = question.device
    if device is None or device.version < (3, 0):
        return None

    def enough(seen: Values) -> bool:
        text = "".join(map(str, seen))
        try:
            return not text or read_version(text) >= Version(1, 2)
        except ValueError:
            return True

    return Such(enough, "OpenCL C 1.2 or newer", (record.id,))


@rules.between_answers("extensions-of-1.1")
def of_every_device(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """A 1.1 or later device lists cl_khr_byte_addressable_store and the cl_khr_global/local_int32_* atomics.

    Custom devices are exempt; in the embedded profile the atomics are optional up to version 2.0.
    """
    device = question.device
    if device is None or device.version < (1, 1) or custom(question):
        return None
    atomics = device.version > (2, 0) or profile_of(device.platform, device) == "FULL_PROFILE"
    return _with(OF_ALL if atomics else (BYTES,), record)


@rules.between_answers("extensions-of-1.2")
def double_told_twice(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """A device of version 1.2 or later lists cl_khr_fp64 exactly if CL_DEVICE_DOUBLE_FP_CONFIG is not 0."""
    device = question.device
    if device is None or device.version < (1, 2):
        return None
    if device.number("CL_DEVICE_DOUBLE_FP_CONFIG"):
        return _with(("cl_khr_fp64",), record)
    return _without(("cl_khr_fp64",), record, "CL_DEVICE_DOUBLE_FP_CONFIG is 0")


@rules.between_answers("extensions-of-2.x")
def of_image_devices_of_2(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """A 2.x device with images lists cl_khr_3d_image_writes, cl_khr_depth_images and cl_khr_image2d_from_buffer.

    Custom devices are exempt.
    """
    device = question.device
    if device is None or not (2, 0) <= device.version < (3, 0) or custom(question):
        return None
    return _with((WRITES_3D, DEPTH, FROM_BUFFER), record) if device.number("CL_DEVICE_IMAGE_SUPPORT") else None


@rules.between_answers("extensions-of-3.0")
def of_what_a_device_of_3_has(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """A 3.0 device lists cl_khr_image2d_from_buffer exactly if it supports creating 2D images from buffers."""
    device = question.device
    if device is None or device.version < (3, 0):
        return None
    pitch = told(device, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT")
    if pitch and told(device, "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"):
        return _with((FROM_BUFFER,), record)
    return None if pitch else _without((FROM_BUFFER,), record, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT is 0")


def of_what_became_core_in_3_1(record: Effect | OptionalBehaviour, question: Question) -> Want | None:
    """A 3.1 device lists the extensions that became a part of OpenCL 3.1, unless it is a custom device."""
    device = question.device
    if device is None or device.version < (3, 1) or custom(question):
        return None
    return _with(OF_3_1, record)


BY_NUMBER = (
    of_every_device,
    double_told_twice,
    of_image_devices_of_2,
    of_what_a_device_of_3_has,
    of_what_became_core_in_3_1,
)
"""The rules of the section on required extensions, in its order."""


def required(question: Question) -> list[Want]:
    """Return the demands of the section on required extensions, which some revisions have, on a device."""
    found = []
    for index, rule in enumerate(BY_NUMBER, 1):
        record = question.model.tables.records.get(f"{REQUIRED}/{index}")
        if isinstance(record, Effect):
            with suppress(UnknownError):
                found.append(rule(record, question))
    return [want for want in found if want is not None]


@rules.completion
def _words_of_required(rules: Rules, tables: Tables) -> None:
    for index, rule in enumerate(BY_NUMBER, 1):
        if f"{REQUIRED}/{index}" in tables.records:
            rules.words[f"{REQUIRED}/{index}"] = " ".join((rule.__doc__ or "").split())


def custom(question: Question) -> bool:
    """Return whether the query concerns a custom device, which need not support all of a version."""
    device = question.device
    return isinstance(device, Device) and bool(
        device.number("CL_DEVICE_TYPE") & question.model.value("CL_DEVICE_TYPE_CUSTOM")
    )


def _with(names: tuple[str, ...], record: Effect | OptionalBehaviour) -> Want:
    return Such(lambda seen: words_in(seen) >= set(names), f"a list with {listing(names)}", (record.id,))


def _without(names: tuple[str, ...], record: Effect | OptionalBehaviour, why: str) -> Want:
    return Such(lambda seen: not words_in(seen) & set(names), f"a list without {listing(names)}: {why}", (record.id,))
