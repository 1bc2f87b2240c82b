"""Requirements by version of a device or platform, and rules for lists of versions and features."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Such, When
from clconform.oracles.model.devices import Device
from clconform.oracles.model.versions import MINOR_BITS, PATCH_BITS, Version, read_version
from clconform.oracles.queries.reading import list_of, listing, number, told, unpacked, with_versions
from clconform.oracles.queries.versions_and_extensions import custom

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Values, Want
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables.records import Effect, OptionalBehaviour

    About = Effect | OptionalBehaviour

rules = Rules()

KNOWN = ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (3, 0))
"""The versions of OpenCL up to the newest in the oldest tables."""
IN_2_0 = (
    "atomic_order_acq_rel",
    "atomic_order_seq_cst",
    "atomic_scope_device",
    "atomic_scope_all_devices",
    "device_enqueue",
    "generic_address_space",
    "pipes",
    "program_scope_global_variables",
    "work_group_collective_functions",
)
"""Features of OpenCL C 2.0 that version 3.0 made optional."""
IN_3_0 = (*IN_2_0, "3d_image_writes", "images", "read_write_images", "subgroups")
"""Optional features of OpenCL C 3.0 in the sections, except those that the profile or the device determines."""
OF_3_0 = Version(3, 0)
FIRST = 3 << (MINOR_BITS + PATCH_BITS)
"""Version 3.0.0 in packed form."""
SPIR = re.compile(r"[0-9]+\.[0-9]+")


def _not_nothing(record: About, what: str) -> Want:
    return Such(lambda seen: number(seen) not in (0, -1), f"not 0: {what} is required", (record.id,))


def _of_2(question: Question, since: tuple[int, int] = (2, 0)) -> bool:
    """Return whether the query concerns a device of 2.x that is not a custom device."""
    device = question.device
    return device is not None and since <= device.version < (3, 0) and not custom(question)


@rules.between_answers("readwrite-images-required-version")
def read_write_images(record: About, question: Question) -> Want | None:
    """The value is not 0 for a device of 2.x with images, unless it is a custom device."""
    return _not_nothing(record, "an image to read and write") if _of_2(question) and _images(question) else None


@rules.between_answers("buffer-image-required-version")
def images_of_buffers(record: About, question: Question) -> Want | None:
    """The value is not 0 for a device of 2.x with images, unless it is a custom device."""
    return _not_nothing(record, "an image of a buffer") if _of_2(question) and _images(question) else None


def _images(question: Question) -> bool:
    return question.device is not None and question.device.number("CL_DEVICE_IMAGE_SUPPORT") == 1


@rules.between_answers("pipes-required-version", "global-variables-required-version", "device-queue-required-version")
def required_since_2_0(record: About, question: Question) -> Want | None:
    """The value is not 0 for a device of 2.x, unless it is a custom device."""
    return _not_nothing(record, record.topic.partition("-required")[0]) if _of_2(question) else None  # type: ignore[union-attr]


@rules.between_answers("subgroups-required-version")
def sub_groups(record: About, question: Question) -> Want | None:
    """The value is not 0 for a device of 2.1 or 2.2, unless it is a custom device."""
    return _not_nothing(record, "a sub-group") if _of_2(question, (2, 1)) else None


@rules.between_answers("timer-sync-required-version")
def timers(record: About, question: Question) -> Want | None:
    """The value is not 0 for a platform of 2.1 or 2.2."""
    platform = question.platform
    wanted = platform is not None and (2, 1) <= platform.version < (3, 0)
    return _not_nothing(record, "a timer") if wanted else None


@rules.between_answers("version-string-values")
def a_version_that_there_is(record: About, question: Question) -> Want:
    """The version is one that the documents define, or a newer one."""
    del question

    def there(seen: Values) -> bool:
        try:
            version = read_version("".join(map(str, seen)))
        except ValueError:
            return True
        return version in KNOWN or version > KNOWN[-1]

    return Such(there, f"{listing('.'.join(map(str, each)) for each in KNOWN)}, or newer", (record.id,))


@rules.between_answers("il-version-reported-once")
def no_language_twice(record: About, question: Question) -> Want:
    """No language is listed twice with the same major and minor version."""
    del question

    def once(seen: Values) -> bool:
        pairs = [(name, unpacked(version)) for name, version in with_versions(seen)]
        return len(set(pairs)) == len(pairs)

    return When(once, "no language twice in one version", (record.id,), applies=bool)


@rules.between_answers("builtin-kernel-reported-once")
def no_kernel_twice(record: About, question: Question) -> Want:
    """No built-in kernel is listed twice."""
    del question

    def once(seen: Values) -> bool:
        names = [name for name, _ in with_versions(seen)]
        return len(set(names)) == len(names)

    return When(once, "no kernel twice", (record.id,), applies=bool)


@rules.between_answers("feature-name-and-version")
def features_of_3_0(record: About, question: Question) -> Want:
    """A feature of OpenCL C 3.0 that the documents name is listed by its macro, with version 3.0.0."""
    del question
    names = {f"__opencl_c_{feature}" for feature in IN_3_0} | {"__opencl_c_fp64", "__opencl_c_int64"}

    def right(seen: Values) -> bool:
        return all(version == FIRST for name, version in with_versions(seen) if name in names)

    def any_known(seen: Values) -> bool:
        return any(name in names for name, _ in with_versions(seen))

    return When(right, "3.0.0 as the version of each feature of OpenCL C 3.0", (record.id,), applies=any_known)


@rules.between_answers("newer-c-all-features")
def all_features_of_a_newer_c(record: About, question: Question) -> Want | None:
    """A device of 3.0 reports a version after OpenCL C 1.2 only if it has the optional features of that version."""
    device = question.device
    if device is None or not (3, 0) <= device.version < (3, 1):
        return None
    features = {name for name, _ in list_of(device, "CL_DEVICE_OPENCL_C_FEATURES")}

    def newer(seen: Values) -> bool:
        return Version(1, 2) < _version(seen) <= OF_3_0

    def all_there(seen: Values) -> bool:
        wanted = IN_3_0 if _version(seen) == OF_3_0 else IN_2_0
        return features >= {f"__opencl_c_{feature}" for feature in wanted}

    return When(all_there, "OpenCL C 1.2, since optional features are missing", (record.id,), applies=newer)


def _version(seen: Values) -> Version:
    """Return the version in a string, or 0.0 if it does not contain one."""
    try:
        return read_version("".join(map(str, seen)))
    except ValueError:
        return Version(0, 0)


@rules.between_answers("sync-devices-count-matches")
def as_many_as_listed(record: About, question: Question) -> Want:
    """The value is the number of devices in the list."""
    listed = told(question.thing, "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR")
    many = len(listed) if isinstance(listed, tuple) else 0
    return Such(lambda seen: number(seen) == many, f"{many}, as listed", (record.id,))


@rules.between_answers("sync-devices-root-only")
def no_sub_devices(record: About, question: Question) -> Want:
    """The list does not contain sub-devices."""
    parts = {each.name for each in question.model.of_kind(Device) if not each.root}
    return When(lambda seen: not parts.intersection(seen), "no sub-device", (record.id,), applies=lambda _: bool(parts))


@rules.between_answers("linear-types-subset")
def importable_types(record: About, question: Question) -> Want:
    """The list contains only types that can be imported."""
    listed = told(question.thing, "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR")
    types = set(listed) if isinstance(listed, tuple) else set()
    return When(lambda seen: set(seen) <= types, f"some of {listing(map(str, types))}", (record.id,), applies=bool)


@rules.between_answers("spir-versions-space-separated")
def versions_of_spir(record: About, question: Question) -> Want:
    """The value is a list of versions separated by spaces."""
    del question

    def versions(seen: Values) -> bool:
        return all(SPIR.fullmatch(word) for word in "".join(map(str, seen)).rstrip("\0").split(" ") if word)

    return When(versions, "versions separated by spaces", (record.id,), applies=bool)
