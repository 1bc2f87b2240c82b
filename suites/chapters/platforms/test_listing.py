"""The lists of platforms and of root devices: rooms of every size, types alone and together, the same each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import OutputBuffer, Text
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.steps import needs, value

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
"""Platforms or devices that are asked for at the most."""


def counted(outcome: Outcome, output: str) -> int:
    """Return how many there are, or 0 where the call does not say."""
    number = outcome.outputs[output].values[0] if isinstance(outcome, Returned) and outcome.value == 0 else None
    return number if isinstance(number, int) and 0 < number < MOST else 0


class Lister:
    """Asks one of the functions that list something. ``first``: the arguments that say what is to be listed."""

    def __init__(self, cl: Session, function: str, *first: Handle | int | None) -> None:
        self._cl, self._function, self._first = cl, function, first
        self._names = [parameter.name for parameter in cl.tables.functions[function].parameters]

    def ask(self, boundary: str, entries: int, output_buffer: OutputBuffer | None, *, told: bool = True) -> Outcome:
        """Ask once, and say which boundary that is."""
        values = (*self._first, entries, output_buffer, OutputBuffer(1) if told else None)
        return self._cl.at(boundary).ask(Call(self._function, dict(zip(self._names, values, strict=True))))

    def number(self) -> int:
        """Ask how many there are; 0 where that is not told."""
        return counted(self.ask("number only", 0, None), self._names[-1])

    def everything(self) -> None:
        """Ask with rooms of every size around the number, with and without the number."""
        number = self.number()
        if not number:
            return
        for told in (True, False):
            how = "" if told else ", number not asked for"
            self.ask(f"exact room{how}", number, OutputBuffer(number), told=told)
            self.ask(f"room for one{how}", 1, OutputBuffer(1), told=told)
            if number > 1:
                self.ask(f"one too few{how}", number - 1, OutputBuffer(number - 1), told=told)
            self.ask(f"one too many{how}", number + 1, OutputBuffer(number + 1), told=told)
        self.ask("the same again", number, OutputBuffer(number))
        self.ask("the number again", 0, None)

    def entries_without_array(self) -> None:
        """Say how many would fit into a room that is not there."""
        number = self.number()
        self.ask("one entry without room", 1, None)
        self.ask("entries without room", max(1, number), None)
        self.ask("many entries without room", (1 << 32) - 1, None)

    def refused(self) -> None:
        """Ask with no entries for a room, and for nothing at all."""
        self.ask("no entries for a room", 0, OutputBuffer(1))
        self.ask("no entries for a room, number not asked for", 0, OutputBuffer(1), told=False)
        self.ask("neither list nor number", 0, None, told=False)
        self.ask("neither list nor number, some entries", 1, None, told=False)


def needs_the_icds_function(cl: Session) -> None:
    """Skip the item where the driver does not hand out its function for loaders."""
    if cl.reached.access == "simulated":
        return
    name = Text(BY_ICD)
    by_platform = cl.tables.functions["clGetExtensionFunctionAddressForPlatform"]
    if cl.applies(f"{by_platform.name}/success"):
        found = cl.clGetExtensionFunctionAddress(name)
    else:
        found = cl.clGetExtensionFunctionAddressForPlatform(cl.platform, name)
    needs(isinstance(found, Returned) and found.value is not None, f"{BY_ICD} is not handed out")


def listing(act: Callable[[Lister], None], function: str) -> Callable[[Session], None]:
    """Return what lists platforms by a function."""

    def run(cl: Session) -> None:
        if function == BY_ICD:
            needs_the_icds_function(cl)
        act(Lister(cl, function))

    return run


def bits(cl: Session, names: tuple[str, ...]) -> int:
    """Return a device type of several bits."""
    mask = 0
    for name in names:
        mask |= value(cl, f"CL_DEVICE_TYPE_{name}")
    return mask


def of_all(cl: Session) -> Lister:
    """Return what lists all devices."""
    return Lister(cl, DEVICES, cl.platform, bits(cl, ("ALL",)))


def of_types(*names: str) -> Callable[[Session], None]:
    """Return what lists the devices of some types together."""

    def run(cl: Session) -> None:
        lister = Lister(cl, DEVICES, cl.platform, bits(cl, names))
        lister.ask("room for one", 1, OutputBuffer(1))
        lister.everything()

    return run


def of_bits(mask: int, *names: str) -> Callable[[Session], None]:
    """Return what asks for devices of types that nobody knows, perhaps beside known ones."""

    def run(cl: Session) -> None:
        lister = Lister(cl, DEVICES, cl.platform, bits(cl, names) | mask)
        lister.ask("number only", 0, None)
        lister.ask("a list", 1, OutputBuffer(1))

    return run


def no_platform(name: str) -> Callable[[Session], None]:
    """Return what lists the devices of the NULL platform."""

    def run(cl: Session) -> None:
        lister = Lister(cl, DEVICES, None, bits(cl, (name,)))
        lister.ask("number only", 0, None)
        lister.ask("a list", 1, OutputBuffer(1))

    return run


def with_parts(cl: Session) -> None:
    """List root devices before, while and after sub-devices live."""
    needs(not cl.applies("clCreateSubDevices/success"), "there are no sub-devices before 1.2")
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
    """Return the items."""
    made = []
    for function in (PLATFORMS, BY_ICD):
        made.append(Case(f"{function}/success", "rooms", listing(Lister.everything, function)))
        unused = "entries without room"
        made.append(Case(f"{function}/success", unused, listing(Lister.entries_without_array, function)))
        made.append(Case(f"{function}/CL_INVALID_VALUE/1", "rooms", listing(Lister.refused, function)))
    for name in TYPES:
        more = (ONE_DEFAULT, NOT_CUSTOM) if name == "DEFAULT" else ()
        flag = f"cl_device_type:CL_DEVICE_TYPE_{name}"
        made.append(Case(flag, f"type {name}", of_types(name), (SUCCESS, NOT_FOUND, *more)))
    made += [Case(SUCCESS, f"types {'|'.join(names)}", of_types(*names), (NOT_FOUND,)) for names in TOGETHER]
    made += [Case(NO_TYPE, words, of_bits(mask)) for words, mask in {"no bit": 0, **NOBODYS}.items()]
    made += [Case(NO_TYPE, f"CPU and {words}", of_bits(mask, "CPU")) for words, mask in NOBODYS.items()]
    made += [
        Case(NO_TYPE, "every bit", of_bits(EVERY_BIT)),
        Case(SUCCESS, "entries without room", lambda cl: of_all(cl).entries_without_array()),
        Case(NO_CAPACITY, "rooms", lambda cl: of_all(cl).refused()),
        Case(NO_CAPACITY, "rooms, no bit", lambda cl: Lister(cl, DEVICES, cl.platform, 0).refused()),
        Case("clGetDeviceIDs/CL_INVALID_PLATFORM/1", "platform NULL", no_platform("ALL")),
        Case("clGetDeviceIDs/CL_INVALID_PLATFORM/1", "platform NULL, the default device", no_platform("DEFAULT")),
        Case(SUCCESS, "before, while and after sub-devices live", with_parts),
    ]
    return made


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases())


def test_listing(cl: Session, case: Case) -> None:
    case.act(cl)
