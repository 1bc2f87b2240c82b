"""Lists of platforms and root devices: every value of num_entries, single and combined types, stable results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import OutputBuffer, Text
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.steps import needs, succeeded, value

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "platforms.listing"
PLATFORMS, BY_ICD = "clGetPlatformIDs", "clIcdGetPlatformIDsKHR"
DEVICES = "clGetDeviceIDs"
SUCCESS, ONE_DEFAULT, NOT_CUSTOM = f"{DEVICES}/success", f"{DEVICES}/effect/2", f"{DEVICES}/effect/3"
NOT_FOUND = "clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1"
NO_TYPE = "clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1"
NO_CAPACITY = "clGetDeviceIDs/CL_INVALID_VALUE/1"
TYPES = ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL")
TOGETHER = (
    ("CPU", "GPU"),
    ("CPU", "ACCELERATOR"),
    ("GPU", "ACCELERATOR"),
    ("CPU", "GPU", "ACCELERATOR"),
    ("CPU", "GPU", "ACCELERATOR", "CUSTOM"),
    ("DEFAULT", "CPU"),
    ("DEFAULT", "GPU"),
    ("DEFAULT", "CPU", "GPU", "ACCELERATOR"),
)
NOBODYS = {"bit 20": 1 << 20, "bit 31": 1 << 31, "bit 32": 1 << 32, "bit 63": 1 << 63}
EVERY_BIT = (1 << 64) - 1
MOST = 64
"""Maximum number of platforms or devices to request."""


def counted(outcome: Outcome, output: str) -> int:
    """Return the returned number, or 0 if there is none."""
    number = outcome.outputs[output].values[0] if succeeded(outcome) else None
    return number if isinstance(number, int) and 0 < number < MOST else 0


class Lister:
    """Calls one of the functions that list platforms or devices.

    ``first``: the leading arguments, which select the list.
    """

    def __init__(self, cl: Session, function: str, *first: Handle | int | None) -> None:
        self._cl, self._function, self._first = cl, function, first
        self._names = [parameter.name for parameter in cl.tables.functions[function].parameters]

    def ask(self, boundary: str, entries: int, output_buffer: OutputBuffer | None, *, told: bool = True) -> Outcome:
        """Make one call; ``boundary`` names the test value in reports."""
        values = (*self._first, entries, output_buffer, OutputBuffer(1) if told else None)
        return self._cl.at(boundary).ask(Call(self._function, dict(zip(self._names, values, strict=True))))

    def number(self) -> int:
        """Query the number; 0 if it is not returned."""
        return counted(self.ask("number only", 0, None), self._names[-1])

    def everything(self) -> None:
        """Make calls with values of num_entries around the number, with and without requesting the number."""
        number = self.number()
        if not number:
            return
        for told in (True, False):
            how = "" if told else f", {self._names[-1]}=NULL"
            self.ask(f"num_entries=number{how}", number, OutputBuffer(number), told=told)
            self.ask(f"num_entries=1{how}", 1, OutputBuffer(1), told=told)
            if number > 1:
                self.ask(f"num_entries=number-1{how}", number - 1, OutputBuffer(number - 1), told=told)
            self.ask(f"num_entries=number+1{how}", number + 1, OutputBuffer(number + 1), told=told)
        self.ask("num_entries=number, repeated", number, OutputBuffer(number))
        self.ask("number only, repeated", 0, None)

    def entries_without_array(self) -> None:
        """Pass num_entries without a list."""
        number = self.number()
        self.ask("num_entries=1 without a list", 1, None)
        self.ask("num_entries=number without a list", max(1, number), None)
        self.ask("num_entries=UINT_MAX without a list", (1 << 32) - 1, None)

    def refused(self) -> None:
        """Pass a list with num_entries=0, and pass neither list nor number."""
        self.ask("num_entries=0 with a list", 0, OutputBuffer(1))
        self.ask(f"num_entries=0 with a list, {self._names[-1]}=NULL", 0, OutputBuffer(1), told=False)
        self.ask("neither list nor number", 0, None, told=False)
        self.ask("neither list nor number, num_entries=1", 1, None, told=False)


def needs_the_icds_function(cl: Session) -> None:
    """Skip if neither the driver nor the loader returns the address of the driver's function for loaders."""
    if cl.reached.access == "simulated":
        return
    name = Text(BY_ICD)
    by_platform = cl.tables.functions["clGetExtensionFunctionAddressForPlatform"]
    if cl.applies(f"{by_platform.name}/success"):
        found = cl.clGetExtensionFunctionAddress(name)
    else:
        found = cl.clGetExtensionFunctionAddressForPlatform(cl.platform, name)
    needs(isinstance(found, Returned) and found.value is not None, f"no address of {BY_ICD} is returned")


def listing(act: Callable[[Lister], None], function: str) -> Callable[[Session], None]:
    """Return a function that lists platforms with ``function``."""

    def run(cl: Session) -> None:
        if function == BY_ICD:
            needs_the_icds_function(cl)
        act(Lister(cl, function))

    return run


def bits(cl: Session, names: tuple[str, ...]) -> int:
    """Return a device type that combines these types."""
    mask = 0
    for name in names:
        mask |= value(cl, f"CL_DEVICE_TYPE_{name}")
    return mask


def of_all(cl: Session) -> Lister:
    """Return a lister of all devices."""
    return Lister(cl, DEVICES, cl.platform, bits(cl, ("ALL",)))


def of_types(*names: str) -> Callable[[Session], None]:
    """Return a function that lists the devices of these types together."""

    def run(cl: Session) -> None:
        lister = Lister(cl, DEVICES, cl.platform, bits(cl, names))
        lister.ask("num_entries=1", 1, OutputBuffer(1))
        lister.everything()

    return run


def of_bits(mask: int, *names: str) -> Callable[[Session], None]:
    """Return a function that lists devices of unknown types, optionally combined with known types."""

    def run(cl: Session) -> None:
        lister = Lister(cl, DEVICES, cl.platform, bits(cl, names) | mask)
        lister.ask("number only", 0, None)
        lister.ask("num_entries=1", 1, OutputBuffer(1))

    return run


def no_platform(name: str) -> Callable[[Session], None]:
    """Return a function that lists the devices of the NULL platform."""

    def run(cl: Session) -> None:
        lister = Lister(cl, DEVICES, None, bits(cl, (name,)))
        lister.ask("number only", 0, None)
        lister.ask("num_entries=1", 1, OutputBuffer(1))

    return run


def with_parts(cl: Session) -> None:
    """List root devices before, during and after the lifetime of sub-devices."""
    needs(not cl.applies("clCreateSubDevices/success"), "requires OpenCL 1.2 (sub-devices)")
    listers = [Lister(cl, DEVICES, cl.platform, bits(cl, (name,))) for name in ("ALL", "DEFAULT")]
    for lister in listers:
        lister.everything()
    device = part(cl, CORE_ENTRY)
    for lister in listers:
        lister.everything()
    cl.clReleaseDevice(device)
    for lister in listers:
        lister.everything()


def cases() -> list[Case]:
    """Return the test items."""
    made = []
    for function in (PLATFORMS, BY_ICD):
        made.append(Case(f"{function}/success", "num_entries", listing(Lister.everything, function)))
        unused = "num_entries without a list"
        made.append(Case(f"{function}/success", unused, listing(Lister.entries_without_array, function)))
        made.append(Case(f"{function}/CL_INVALID_VALUE/1", "num_entries", listing(Lister.refused, function)))
    for name in TYPES:
        more = (ONE_DEFAULT, NOT_CUSTOM) if name == "DEFAULT" else ()
        flag = f"cl_device_type:CL_DEVICE_TYPE_{name}"
        made.append(Case(flag, f"type {name}", of_types(name), (SUCCESS, NOT_FOUND, *more)))
    made += [Case(SUCCESS, f"types {'|'.join(names)}", of_types(*names), (NOT_FOUND,)) for names in TOGETHER]
    made += [Case(NO_TYPE, words, of_bits(mask)) for words, mask in {"device_type=0": 0, **NOBODYS}.items()]
    made += [Case(NO_TYPE, f"CPU and {words}", of_bits(mask, "CPU")) for words, mask in NOBODYS.items()]
    made += [
        Case(NO_TYPE, "every bit", of_bits(EVERY_BIT)),
        Case(SUCCESS, "num_entries without a list", lambda cl: of_all(cl).entries_without_array()),
        Case(NO_CAPACITY, "num_entries", lambda cl: of_all(cl).refused()),
        Case(NO_CAPACITY, "num_entries, device_type=0", lambda cl: Lister(cl, DEVICES, cl.platform, 0).refused()),
        Case("clGetDeviceIDs/CL_INVALID_PLATFORM/1", "platform=NULL", no_platform("ALL")),
        Case("clGetDeviceIDs/CL_INVALID_PLATFORM/1", "platform=NULL, CL_DEVICE_TYPE_DEFAULT", no_platform("DEFAULT")),
        Case(SUCCESS, "before, during and after the lifetime of sub-devices", with_parts),
    ]
    return made


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_listing(cl: Session, case: Case) -> None:
    case.act(cl)
