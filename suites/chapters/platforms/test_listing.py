"""Lists of platforms and root devices: values of num_entries, single and combined types, repeated queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import OutputBuffer, Text
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import constant_value, is_success, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "platforms.listing"
PLATFORMS, BY_ICD = "clGetPlatformIDs", "clIcdGetPlatformIDsKHR"
DEVICES = "clGetDeviceIDs"
SUCCESS, ONE_DEFAULT, NOT_CUSTOM = "clGetDeviceIDs/success", "clGetDeviceIDs/effect/2", "clGetDeviceIDs/effect/3"
NOT_FOUND = "clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1"
NO_TYPE = "clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1"
NO_CAPACITY = "clGetDeviceIDs/CL_INVALID_VALUE/1"
TYPES = ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL")
COMBINED_TYPES = (
    ("CPU", "GPU"),
    ("CPU", "ACCELERATOR"),
    ("GPU", "ACCELERATOR"),
    ("CPU", "GPU", "ACCELERATOR"),
    ("CPU", "GPU", "ACCELERATOR", "CUSTOM"),
    ("DEFAULT", "CPU"),
    ("DEFAULT", "GPU"),
    ("DEFAULT", "CPU", "GPU", "ACCELERATOR"),
)
UNKNOWN_BITS = {"bit 20": 1 << 20, "bit 31": 1 << 31, "bit 32": 1 << 32, "bit 63": 1 << 63}
EVERY_BIT = (1 << 64) - 1
MAX_ENTRIES = 64
"""Maximum number of platforms or devices to request."""


def get_number(outcome: Outcome, output: str) -> int:
    """Return the number in an output of a call, or 0 if the call did not write this output."""
    number = outcome.outputs[output].values[0] if is_success(outcome) else None
    return number if isinstance(number, int) and 0 < number < MAX_ENTRIES else 0


class ListQuery:
    """Calls of one function that lists platforms or devices.

    ``first``: the leading arguments, which select the list.
    """

    def __init__(self, cl: Session, function: str, *first: Handle | int | None) -> None:
        self._cl, self._function, self._first = cl, function, first
        self._names = [parameter.name for parameter in cl.tables.functions[function].parameters]

    def call(
        self, test_value: str, entries: int, output_buffer: OutputBuffer | None, *, with_number: bool = True
    ) -> Outcome:
        """Make one call; ``test_value`` names the test value in reports."""
        values = (*self._first, entries, output_buffer, OutputBuffer(1) if with_number else None)
        return self._cl.call_at(test_value, Call(self._function, dict(zip(self._names, values, strict=True))))

    def query_number(self) -> int:
        """Query the number of platforms or devices; return 0 if the driver does not return it."""
        return get_number(self.call("number only", 0, None), self._names[-1])

    def query_all_sizes(self) -> None:
        """Make calls with values of num_entries around the number of entries, and without requesting the number."""
        number = self.query_number()
        if not number:
            return
        for told in (True, False):
            how = "" if told else f", {self._names[-1]}=NULL"
            self.call(f"num_entries=number{how}", number, OutputBuffer(number), with_number=told)
            self.call(f"num_entries=1{how}", 1, OutputBuffer(1), with_number=told)
            if number > 1:
                self.call(f"num_entries=number-1{how}", number - 1, OutputBuffer(number - 1), with_number=told)
            self.call(f"num_entries=number+1{how}", number + 1, OutputBuffer(number + 1), with_number=told)
        self.call("num_entries=number, repeated", number, OutputBuffer(number))
        self.call("number only, repeated", 0, None)

    def query_without_list(self) -> None:
        """Pass a nonzero num_entries with NULL as the list."""
        number = self.query_number()
        self.call("num_entries=1 without a list", 1, None)
        self.call("num_entries=number without a list", max(1, number), None)
        self.call("num_entries=UINT_MAX without a list", (1 << 32) - 1, None)

    def query_invalid_sizes(self) -> None:
        """Pass a list with num_entries=0, and pass NULL for both the list and the number."""
        self.call("num_entries=0 with a list", 0, OutputBuffer(1))
        self.call(f"num_entries=0 with a list, {self._names[-1]}=NULL", 0, OutputBuffer(1), with_number=False)
        self.call("neither list nor number", 0, None, with_number=False)
        self.call("neither list nor number, num_entries=1", 1, None, with_number=False)


def needs_icd_function(cl: Session) -> None:
    """Skip if the address of the function that lists platforms for ICD loaders is not available."""
    if cl.reached.access == "simulated":
        return
    name = Text(BY_ICD)
    by_platform = cl.tables.functions["clGetExtensionFunctionAddressForPlatform"]
    if cl.find_inapplicability(f"{by_platform.name}/success"):
        found = cl.clGetExtensionFunctionAddress(name)
    else:
        found = cl.clGetExtensionFunctionAddressForPlatform(cl.platform, name)
    skip_unless(isinstance(found, Returned) and found.value is not None, f"no address of {BY_ICD} is returned")


def list_platforms(act: Callable[[ListQuery], None], function: str) -> Callable[[Session], None]:
    """Return a function that lists platforms with ``function``."""

    def run(cl: Session) -> None:
        if function == BY_ICD:
            needs_icd_function(cl)
        act(ListQuery(cl, function))

    return run


def combine_types(cl: Session, names: tuple[str, ...]) -> int:
    """Return a device type that combines these types."""
    mask = 0
    for name in names:
        mask |= constant_value(cl, f"CL_DEVICE_TYPE_{name}")
    return mask


def list_all_devices(cl: Session) -> ListQuery:
    """Return a ``ListQuery`` for the devices of all types."""
    return ListQuery(cl, DEVICES, cl.platform, combine_types(cl, ("ALL",)))


def list_types(*names: str) -> Callable[[Session], None]:
    """Return a function that lists the devices of these types together."""

    def run(cl: Session) -> None:
        lister = ListQuery(cl, DEVICES, cl.platform, combine_types(cl, names))
        lister.call("num_entries=1", 1, OutputBuffer(1))
        lister.query_all_sizes()

    return run


def list_unknown_types(mask: int, *names: str) -> Callable[[Session], None]:
    """Return a function that lists devices of unknown types.

    ``mask``: the unknown type bits; ``names``: known types that are combined with them.
    """

    def run(cl: Session) -> None:
        lister = ListQuery(cl, DEVICES, cl.platform, combine_types(cl, names) | mask)
        lister.call("number only", 0, None)
        lister.call("num_entries=1", 1, OutputBuffer(1))

    return run


def list_null_platform(name: str) -> Callable[[Session], None]:
    """Return a function that lists devices with NULL as the platform."""

    def run(cl: Session) -> None:
        lister = ListQuery(cl, DEVICES, None, combine_types(cl, (name,)))
        lister.call("number only", 0, None)
        lister.call("num_entries=1", 1, OutputBuffer(1))

    return run


def list_with_sub_devices(cl: Session) -> None:
    """List root devices before and after sub-devices are created, and after they are released."""
    skip_unless(not cl.find_inapplicability("clCreateSubDevices/success"), "requires OpenCL 1.2 (sub-devices)")
    listers = [ListQuery(cl, DEVICES, cl.platform, combine_types(cl, (name,))) for name in ("ALL", "DEFAULT")]
    for lister in listers:
        lister.query_all_sizes()
    device = create_sub_device(cl, CORE_ENTRY)
    for lister in listers:
        lister.query_all_sizes()
    cl.clReleaseDevice(device)
    for lister in listers:
        lister.query_all_sizes()


def cases() -> list[TableCase]:
    """Return the test items."""
    made = []
    for function in (PLATFORMS, BY_ICD):
        made.append(
            TableCase(f"{function}/success", "num_entries", list_platforms(ListQuery.query_all_sizes, function))
        )
        unused = "num_entries without a list"
        made.append(TableCase(f"{function}/success", unused, list_platforms(ListQuery.query_without_list, function)))
        made.append(
            TableCase(
                f"{function}/CL_INVALID_VALUE/1", "num_entries", list_platforms(ListQuery.query_invalid_sizes, function)
            )
        )
    for name in TYPES:
        more = (ONE_DEFAULT, NOT_CUSTOM) if name == "DEFAULT" else ()
        flag = f"cl_device_type:CL_DEVICE_TYPE_{name}"
        made.append(TableCase(flag, f"type {name}", list_types(name), (SUCCESS, NOT_FOUND, *more)))
    made += [
        TableCase(SUCCESS, f"types {'|'.join(names)}", list_types(*names), (NOT_FOUND,)) for names in COMBINED_TYPES
    ]
    made += [
        TableCase(NO_TYPE, words, list_unknown_types(mask))
        for words, mask in {"device_type=0": 0, **UNKNOWN_BITS}.items()
    ]
    made += [
        TableCase(NO_TYPE, f"CPU and {words}", list_unknown_types(mask, "CPU")) for words, mask in UNKNOWN_BITS.items()
    ]
    made += [
        TableCase(NO_TYPE, "every bit", list_unknown_types(EVERY_BIT)),
        TableCase(SUCCESS, "num_entries without a list", lambda cl: list_all_devices(cl).query_without_list()),
        TableCase(NO_CAPACITY, "num_entries", lambda cl: list_all_devices(cl).query_invalid_sizes()),
        TableCase(
            NO_CAPACITY,
            "num_entries, device_type=0",
            lambda cl: ListQuery(cl, DEVICES, cl.platform, 0).query_invalid_sizes(),
        ),
        TableCase("clGetDeviceIDs/CL_INVALID_PLATFORM/1", "platform=NULL", list_null_platform("ALL")),
        TableCase(
            "clGetDeviceIDs/CL_INVALID_PLATFORM/1",
            "platform=NULL, CL_DEVICE_TYPE_DEFAULT",
            list_null_platform("DEFAULT"),
        ),
        TableCase(SUCCESS, "before, during and after the lifetime of sub-devices", list_with_sub_devices),
    ]
    return made


test_platform_and_device_lists_are_complete = TableTest(cases)
