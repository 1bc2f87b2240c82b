"""Property lists of semaphores: names with one value, and names with a terminated list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.common.property_lists import PropertyEntry, parse_nested_list
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model

TYPE, DEVICES, EXPORTS = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "DEVICE_HANDLE_LIST", "EXPORT_HANDLE_TYPES"))
SYNC_FD, OPAQUE_FD = "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR", "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR"
DESCRIPTOR_TYPES = (SYNC_FD, OPAQUE_FD)
"""Handle types that are file descriptors."""
HANDLE_TYPES = "cl_external_semaphore_handle_type_khr"
ALREADY_SIGNALED = -1
"""Value that may be passed in place of a sync file, for an object that is already signaled."""


def parse_properties(properties: Value, model: Model) -> list[PropertyEntry] | None:
    """Return the properties of a list in order, empty for NULL; None if the list or a nested list is unterminated."""
    if properties is not None and not isinstance(properties, ElementList):
        raise UnknownFactError("no list of properties")
    return parse_nested_list(properties, (model.constant_value(DEVICES), model.constant_value(EXPORTS)))


def property_values(listed: Iterable[PropertyEntry], name: str, model: Model) -> tuple[int | Handle | None, ...] | None:
    """Return the values of the first property with that name; None if the list does not contain it."""
    return next((each.values for each in listed if each.name == model.constant_value(name)), None)


def handle_types(model: Model) -> dict[int, str]:
    """Return the external handle types as a mapping from value to name."""
    return {value: name for name, value in model.tables.values_of_group(HANDLE_TYPES).items()}


def imported_handles(listed: Iterable[PropertyEntry], model: Model) -> list[PropertyEntry]:
    """Return the properties that pass an external handle to import."""
    types = handle_types(model)
    return [each for each in listed if each.name in types]
