"""For each kind of alteration, an error in the applicability conditions that a metamorphic run must find."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine import gates, judged_call
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.scope import Scope
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session import opening
from clconform.runner.session.answers import made
from clconform.runner.session.observer import Observer
from clconform.runner.session.session import Session
from clconform.selftest.metamorphic import alterations as sorts
from clconform.selftest.metamorphic.alterations import alterations
from clconform.selftest.metamorphic.campaign import Campaign, Result
from clconform.selftest.metamorphic.claims import Claims
from clconform.selftest.metamorphic.sequences import of_items
from clconform.spec_tables import load

from ...sampling import one_in  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.call import Call, Step
    from clconform.oracles.model.devices import Platform
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Gate

    Closed = Callable[[Gate, Platform | None, Device | None, Model], str]
    Act = Callable[[Session], None]

USM = "cl_intel_unified_shared_memory"
FISSION = "cl_ext_device_fission"
TWO, TWO_PARTS, ONE_EMBEDDED = "unified-all", "two-devices", "embedded-3.0"
CLOSED = "closed by a planted error"
ODD_ALIGNMENT = 3
CLAIMS = ("VERSION", "EXTENSIONS", "PROFILE", "CAPABILITIES_INTEL", "PARTITION", "COMPUTE_UNITS", "DEVICE_TYPE")
"""Words in names of queries for applicability conditions, partitions, limits and unified memory."""
right, right_check_of = gates._closed, gates._check_of  # the functions that the errors replace


def context_of(cl: Session, devices: Sequence[Handle]) -> Handle:
    return made(cl.clCreateContext(None, len(devices), Items(tuple(devices)), None, None, OutputBuffer(1)))[0]


def memory_on(number: int, alignment: int = ODD_ALIGNMENT, *, alone: bool = True) -> Act:
    """Return an act that allocates memory on the root device with this number; it must fail with an odd alignment."""

    def act(cl: Session) -> None:
        device = Handle(f"device{number}")
        context = context_of(cl, [device] if alone else cl.devices)
        cl.clDeviceMemAllocINTEL(context, device, None, 64, alignment, OutputBuffer(1))

    return act


def memory_of_the_host(cl: Session) -> None:
    """Allocate memory from a context with an odd alignment, which must fail."""
    cl.clHostMemAllocINTEL(context_of(cl, [cl.device]), None, 64, ODD_ALIGNMENT, OutputBuffer(1))


def asks_for_pipes(number: int) -> Act:
    """Return an act with a query that devices support since 2.0; a fault makes the returned size incorrect."""

    def act(cl: Session) -> None:
        query = cl.tables.enumerants["CL_DEVICE_MAX_PIPE_ARGS"].value
        cl.clGetDeviceInfo(Handle(f"device{number}"), query, 4, OutputBuffer(4), OutputBuffer(1))

    return act


def asks_of_a_buffer(cl: Session) -> None:
    """Make a query that platforms support since 3.0; a fault makes the returned size incorrect."""
    (buffer,) = made(cl.clCreateBuffer(context_of(cl, [cl.device]), 1, 64, None, OutputBuffer(1)))
    cl.clGetMemObjectInfo(buffer, cl.tables.enumerants["CL_MEM_PROPERTIES"].value, 0, None, OutputBuffer(1))


def no_device(cl: Session) -> None:
    """Retain a NULL device with a function of an extension."""
    cl.clRetainDeviceEXT(None)


def asks_for_limits(cl: Session) -> None:
    """Query limits that depend on the profile."""
    cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_MAX_PARAMETER_SIZE")
    cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_LOCAL_MEM_SIZE")
    cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE")


# seeded errors: each takes a condition, the platform, the device of the call and the model


def from_the_platform_only(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    if gate.subject != "extension" or platform is None:
        return right(gate, platform, device)
    return "" if gate.name in platform.extensions else CLOSED


def from_the_device_only(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    if gate.subject != "extension" or device is None:
        return right(gate, platform, device)
    return "" if gate.name in device.extensions else CLOSED


def always_there(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    return "" if gate.subject == "extension" else right(gate, platform, device)


def of_the_last_device(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    devices = model.root_devices(platform)
    return right(gate, platform, devices[-1] if device and devices else device)


def of_the_first_device(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    return right(gate, platform, model.first_device(platform) if device else device)


def from_the_other_side(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    if not gate.subject.endswith("-version") or platform is None or device is None:
        return right(gate, platform, device)
    mine = platform.version if gate.subject == "device-version" else device.version
    words = (f"{mine.major}.{mine.minor}", gate.since or "0", gate.before or "9")
    return "" if words[1] <= words[0] < words[2] else CLOSED


def the_other_profile(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    closed = right(gate, platform, device)
    return closed if gate.subject != "profile" else "" if closed else CLOSED


def of_contexts_with_one_device(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    several = any(len(context.devices) > 1 for context in model.of_kind(Context))
    return CLOSED if gate.subject == "extension" and several else right(gate, platform, device)


def there_by_a_type(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    by_type = any(context.candidates for context in model.of_kind(Context))
    return "" if gate.subject == "extension" and by_type else right(gate, platform, device)


def there_for_sub_devices(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    part = device is not None and device.parent is not None
    return "" if gate.subject == "extension" and part else right(gate, platform, device)


class Remembered:
    """Keeps the first evaluation of each condition for a whole session, whatever the device."""

    def __init__(self) -> None:
        self.known_by: dict[Session, dict[Gate, str]] = {}
        self.known: dict[Gate, str] = {}

    def __call__(self, gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
        """Return the first evaluation in an example with contexts."""
        if gate.subject != "extension" or device is None or not model.of_kind(Context):
            return right(gate, platform, device)
        return self.known.setdefault(gate, right(gate, platform, device))


class Case(NamedTuple):
    """A kind of alteration, calls that are affected, and an error that the run must find.

    ``fault``: the fault of the driver. ``claimed_by``: the devices that claim the capability before and after the
    alteration; None: as the alteration defines.
    """

    family: str
    detail: str
    acts: tuple[Act, ...]
    error: Closed
    topology: str = TWO
    fault: str = ""
    claimed_by: tuple[str, ...] | None = None


A_VERSION = "1.2"
ANY_ALIGNMENT, WRONG_SIZE = "any-alignment-will-do", "size-off-by-one"
CASES = (
    Case(sorts.MOVED_TO_DEVICE, USM, (memory_on(1),), from_the_platform_only, fault=ANY_ALIGNMENT),
    Case(sorts.MOVED_TO_PLATFORM, FISSION, (no_device,), from_the_device_only, TWO_PARTS, fault="dies-on-null"),
    Case(sorts.HIDDEN, USM, (memory_on(1),), always_there, fault=ANY_ALIGNMENT),
    Case(sorts.ONE_OF_TWO, USM, (memory_on(1),), of_the_last_device, fault=ANY_ALIGNMENT),
    Case(sorts.OTHER_OF_TWO, USM, (memory_on(2),), of_the_first_device, fault=ANY_ALIGNMENT),
    Case(sorts.PLATFORM_VERSION, A_VERSION, (asks_for_pipes(1),), from_the_other_side, fault=WRONG_SIZE),
    Case(sorts.DEVICE_VERSION, A_VERSION, (asks_of_a_buffer,), from_the_other_side, fault=WRONG_SIZE),
    Case(sorts.ONE_VERSION, A_VERSION, (asks_for_pipes(2),), of_the_first_device, fault=WRONG_SIZE),
    Case(sorts.OTHER_VERSION, A_VERSION, (asks_for_pipes(1),), of_the_last_device, fault=WRONG_SIZE),
    Case(sorts.PROFILE, "FULL_PROFILE", (asks_for_limits,), the_other_profile, ONE_EMBEDDED),
    Case(
        sorts.ORDER, f"one device of version {A_VERSION}", (asks_for_pipes(2),), of_the_first_device, fault=WRONG_SIZE
    ),
    Case(sorts.SEVERAL, "", (memory_on(1),), of_contexts_with_one_device, fault=ANY_ALIGNMENT),
    Case(sorts.BY_TYPE, "", (memory_on(1),), there_by_a_type, fault=ANY_ALIGNMENT, claimed_by=()),
    Case(sorts.SUB_DEVICE, "", (memory_on(1),), there_for_sub_devices, fault=ANY_ALIGNMENT, claimed_by=()),
    Case(sorts.ITEMS, "", (memory_on(1), memory_on(2, 0)), Remembered(), fault=ANY_ALIGNMENT, claimed_by=("device1",)),
    Case(
        sorts.PROCESSES,
        "",
        (memory_on(2, 0), memory_on(1)),
        Remembered(),
        fault=ANY_ALIGNMENT,
        claimed_by=("device1",),
    ),
)


def plant(error: Closed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the evaluation of applicability conditions by an error, with the model of the judged call."""
    models: list[Model] = []
    expect = Oracle.expect

    def expected(oracle: Oracle, *arguments: object, **named: object) -> object:
        models[:] = [oracle.model]
        return expect(oracle, *arguments, **named)  # type: ignore[arg-type]

    def closed(gate: Gate, platform: Platform | None, device: Device | None) -> str:
        return error(gate, platform, device, models[0]) if models else right(gate, platform, device)

    def check_of(gate: Gate) -> gates._Check:
        def check(platform: Platform | None, device: Device | None, *, exact: bool) -> gates.Gating:
            told = right_check_of(gate)(platform, device, exact=exact)
            if told is gates.Gating.UNDECIDED:
                return told
            return gates.Gating.CLOSED if closed(gate, platform, device) else gates.Gating.OPEN

        return check

    begin = Session._begin

    def begun(session: Session) -> None:
        if isinstance(error, Remembered):
            error.known = error.known_by.setdefault(session, {})
        begin(session)

    monkeypatch.setattr(Oracle, "expect", expected)
    monkeypatch.setattr(gates, "_closed", closed)
    monkeypatch.setattr(gates, "_check_of", check_of)
    monkeypatch.setattr(Session, "_begin", begun)


@pytest.fixture(autouse=True)
def _asks_for_claims_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the initial queries of a session to those that matter here, because they take most of the time."""
    whole = opening._applying

    def applying(tables: Tables, function: str, platform: Platform, device: Device | None) -> Iterator[str]:
        names = whole(tables, function, platform, device)
        return (name for name in names if any(word in name for word in CLAIMS))

    monkeypatch.setattr(opening, "_applying", applying)


@functools.cache
def claims_of(target: Target) -> Claims:
    """Return the claims of a simulated platform."""
    session = Session(target, load(), Observer())
    session.close()
    return Claims.of(session.base.platform, session.base.roots, session.base.facts)


@functools.cache
def sequences_of(target: Target, acts: tuple[Act, ...]) -> list[list[Step]]:
    """Return the sequences of these acts."""
    return of_items([Item(f"item {number}", (), act) for number, act in enumerate(acts)], target, load())


def carried_out(case: Case) -> Result:
    """Return the result of a case's alteration."""
    target = Target.simulated(case.topology, *(("--fault", case.fault) if case.fault else ()))
    claims = claims_of(Target.simulated(case.topology))
    found, _ = alterations(claims, "device1", load())
    alteration = next(each for each in found if (each.family, each.detail) == (case.family, case.detail))
    if case.claimed_by is not None:
        alike = claims.claimed_by(USM, case.claimed_by)
        alteration = dataclasses.replace(alteration, claims=alike, before=alike)
    campaign = Campaign(target, load(), claims, "device1", sequences_of(target, case.acts))
    campaign.start()
    return campaign.carry_out(alteration, len(case.acts), 1)


def test_each_sort_of_alteration_has_an_error_that_it_must_find() -> None:
    assert [case.family for case in CASES] == list(sorts.FAMILIES)


@pytest.mark.parametrize("case", one_in(2, CASES), ids=lambda case: case.family)
def test_an_error_is_found_and_nothing_without_it(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    without = carried_out(case)
    assert without.calls
    assert without.unexplained == []
    plant(case.error, monkeypatch)
    assert carried_out(case).unexplained


def of_named_devices(call: Call, model: Model) -> Scope:
    """Return the scope of a call without the devices of its contexts, queues and kernels."""
    things = model.named(call.arguments.values())
    return Scope(model.platform_behind(things), tuple(thing for thing in things if isinstance(thing, Device)))


def test_a_gate_that_forgets_the_devices_of_a_context_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(sorts.MOVED_TO_DEVICE, USM, (memory_of_the_host,), right_for_all, fault=ANY_ALIGNMENT)
    assert carried_out(case).unexplained == []
    monkeypatch.setattr(judged_call, "scope_of", of_named_devices)
    assert carried_out(case).unexplained


def right_for_all(gate: Gate, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    return right(gate, platform, device)
