"""For each kind of alteration, an error in evaluating applicability conditions, which a metamorphic run must find."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine import applicability, call_context
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.call_scope import CallScope
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session import device_discovery
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.outcome_values import returned_handles
from clconform.runner.session.session import Session
from clconform.selftest.metamorphic import alterations as sorts
from clconform.selftest.metamorphic.alterations import make_alterations
from clconform.selftest.metamorphic.claims import Claims
from clconform.selftest.metamorphic.metamorphic_campaign import AlterationResult, MetamorphicCampaign
from clconform.selftest.metamorphic.sequences import collect_from_items
from clconform.spec_tables import load

from ...case_sampling import one_in  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.call import Call, Step
    from clconform.oracles.model.devices import Platform
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ApplicabilityCondition

    Closed = Callable[[ApplicabilityCondition, Platform | None, Device | None, Model], str]
    Act = Callable[[Session], None]

USM = "cl_intel_unified_shared_memory"
FISSION = "cl_ext_device_fission"
UNIFIED, TWO_DEVICES, EMBEDDED_TOPOLOGY = "unified-all", "two-devices", "embedded-3.0"
UNMET = "unmet by the faulty evaluation"
ODD_ALIGNMENT = 3
CLAIM_WORDS = ("VERSION", "EXTENSIONS", "PROFILE", "CAPABILITIES_INTEL", "PARTITION", "COMPUTE_UNITS", "DEVICE_TYPE")
"""Parts of the names of queries about applicability conditions, partitions, limits and unified memory."""
right, right_check_of = (
    applicability._describe_unmet,
    applicability._condition_check,
)  # the functions that the errors replace


def create_context(cl: Session, devices: Sequence[Handle]) -> Handle:
    return returned_handles(
        cl.clCreateContext(None, len(devices), ElementList(tuple(devices)), None, None, OutputBuffer(1))
    )[0]


def allocate_on_device(number: int, alignment: int = ODD_ALIGNMENT, *, alone: bool = True) -> Act:
    """Return an action that allocates memory on root device ``number``, which must fail with an odd alignment."""

    def act(cl: Session) -> None:
        device = Handle(f"device{number}")
        context = create_context(cl, [device] if alone else cl.devices)
        cl.clDeviceMemAllocINTEL(context, device, None, 64, alignment, OutputBuffer(1))

    return act


def allocate_on_host(cl: Session) -> None:
    """Allocate memory from a context with an odd alignment, which must fail."""
    cl.clHostMemAllocINTEL(create_context(cl, [cl.device]), None, 64, ODD_ALIGNMENT, OutputBuffer(1))


def query_pipe_limit(number: int) -> Act:
    """Return an action that makes a query for devices of 2.0 or later; a fault makes the returned size incorrect."""

    def act(cl: Session) -> None:
        query = cl.tables.enumerants["CL_DEVICE_MAX_PIPE_ARGS"].value
        cl.clGetDeviceInfo(Handle(f"device{number}"), query, 4, OutputBuffer(4), OutputBuffer(1))

    return act


def query_buffer(cl: Session) -> None:
    """Make a query for platforms of 3.0 or later; a fault makes the returned size incorrect."""
    (buffer,) = returned_handles(cl.clCreateBuffer(create_context(cl, [cl.device]), 1, 64, None, OutputBuffer(1)))
    cl.clGetMemObjectInfo(buffer, cl.tables.enumerants["CL_MEM_PROPERTIES"].value, 0, None, OutputBuffer(1))


def retain_null_device(cl: Session) -> None:
    """Retain a NULL device with a function of an extension."""
    cl.clRetainDeviceEXT(None)


def query_limits(cl: Session) -> None:
    """Query limits that depend on the profile."""
    cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_MAX_PARAMETER_SIZE")
    cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_LOCAL_MEM_SIZE")
    cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE")


# faulty evaluations: each takes a condition, the platform, the device of the call and the model


def check_platform_only(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    del model
    if gate.subject != "extension" or platform is None:
        return right(gate, platform, device)
    return "" if gate.name in platform.extensions else UNMET


def check_device_only(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    del model
    if gate.subject != "extension" or device is None:
        return right(gate, platform, device)
    return "" if gate.name in device.extensions else UNMET


def assume_extensions(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    del model
    return "" if gate.subject == "extension" else right(gate, platform, device)


def check_last_device(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    devices = model.root_devices(platform)
    return right(gate, platform, devices[-1] if device and devices else device)


def check_first_device(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    return right(gate, platform, model.first_device(platform) if device else device)


def swap_versions(gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    if not gate.subject.endswith("-version") or platform is None or device is None:
        return right(gate, platform, device)
    mine = platform.version if gate.subject == "device-version" else device.version
    words = (f"{mine.major}.{mine.minor}", gate.since or "0", gate.before or "9")
    return "" if words[1] <= words[0] < words[2] else UNMET


def invert_profile(gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model) -> str:
    del model
    closed = right(gate, platform, device)
    return closed if gate.subject != "profile" else "" if closed else UNMET


def reject_several_devices(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    several = any(len(context.devices) > 1 for context in model.objects_of_class(Context))
    return UNMET if gate.subject == "extension" and several else right(gate, platform, device)


def assume_by_type(gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model) -> str:
    by_type = any(context.candidates for context in model.objects_of_class(Context))
    return "" if gate.subject == "extension" and by_type else right(gate, platform, device)


def assume_for_sub_devices(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    del model
    part = device is not None and device.parent is not None
    return "" if gate.subject == "extension" and part else right(gate, platform, device)


class CachedEvaluation:
    """Keeps the first evaluation of each condition for a whole session, although it may differ between devices."""

    def __init__(self) -> None:
        self.known_by: dict[Session, dict[ApplicabilityCondition, str]] = {}
        self.known: dict[ApplicabilityCondition, str] = {}

    def __call__(
        self, gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
    ) -> str:
        """Evaluate the condition correctly.

        For an extension in an example with contexts, return the result of the first evaluation instead.
        """
        if gate.subject != "extension" or device is None or not model.objects_of_class(Context):
            return right(gate, platform, device)
        return self.known.setdefault(gate, right(gate, platform, device))


class AlterationCase(NamedTuple):
    """A kind of alteration, calls that it affects, and an error that the run must find.

    ``fault``: the fault of the simulated driver. ``claimed_by``: the devices that claim the extension before and after
    the alteration; None: as the alteration defines.
    """

    family: str
    detail: str
    acts: tuple[Act, ...]
    error: Closed
    topology: str = UNIFIED
    fault: str = ""
    claimed_by: tuple[str, ...] | None = None


LOWER_VERSION = "1.2"
ANY_ALIGNMENT, WRONG_SIZE = "usm-alignment-unchecked", "query-size-off-by-one"
CASES = (
    AlterationCase(sorts.MOVED_TO_DEVICE, USM, (allocate_on_device(1),), check_platform_only, fault=ANY_ALIGNMENT),
    AlterationCase(
        sorts.MOVED_TO_PLATFORM,
        FISSION,
        (retain_null_device,),
        check_device_only,
        TWO_DEVICES,
        fault="null-device-crashes",
    ),
    AlterationCase(sorts.HIDDEN, USM, (allocate_on_device(1),), assume_extensions, fault=ANY_ALIGNMENT),
    AlterationCase(sorts.ONE_OF_TWO, USM, (allocate_on_device(1),), check_last_device, fault=ANY_ALIGNMENT),
    AlterationCase(sorts.OTHER_OF_TWO, USM, (allocate_on_device(2),), check_first_device, fault=ANY_ALIGNMENT),
    AlterationCase(sorts.PLATFORM_VERSION, LOWER_VERSION, (query_pipe_limit(1),), swap_versions, fault=WRONG_SIZE),
    AlterationCase(sorts.DEVICE_VERSION, LOWER_VERSION, (query_buffer,), swap_versions, fault=WRONG_SIZE),
    AlterationCase(sorts.ONE_VERSION, LOWER_VERSION, (query_pipe_limit(2),), check_first_device, fault=WRONG_SIZE),
    AlterationCase(sorts.OTHER_VERSION, LOWER_VERSION, (query_pipe_limit(1),), check_last_device, fault=WRONG_SIZE),
    AlterationCase(sorts.PROFILE, "FULL_PROFILE", (query_limits,), invert_profile, EMBEDDED_TOPOLOGY),
    AlterationCase(
        sorts.ORDER,
        f"one device of version {LOWER_VERSION}",
        (query_pipe_limit(2),),
        check_first_device,
        fault=WRONG_SIZE,
    ),
    AlterationCase(sorts.SEVERAL, "", (allocate_on_device(1),), reject_several_devices, fault=ANY_ALIGNMENT),
    AlterationCase(sorts.BY_TYPE, "", (allocate_on_device(1),), assume_by_type, fault=ANY_ALIGNMENT, claimed_by=()),
    AlterationCase(
        sorts.SUB_DEVICE, "", (allocate_on_device(1),), assume_for_sub_devices, fault=ANY_ALIGNMENT, claimed_by=()
    ),
    AlterationCase(
        sorts.ITEMS,
        "",
        (allocate_on_device(1), allocate_on_device(2, 0)),
        CachedEvaluation(),
        fault=ANY_ALIGNMENT,
        claimed_by=("device1",),
    ),
    AlterationCase(
        sorts.PROCESSES,
        "",
        (allocate_on_device(2, 0), allocate_on_device(1)),
        CachedEvaluation(),
        fault=ANY_ALIGNMENT,
        claimed_by=("device1",),
    ),
)


def replace_evaluation(error: Closed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the evaluation of applicability conditions by ``error``, which gets the model of the judged call."""
    models: list[Model] = []
    expect = Oracle.expect

    def expected(oracle: Oracle, *arguments: object, **named: object) -> object:
        models[:] = [oracle.model]
        return expect(oracle, *arguments, **named)  # type: ignore[arg-type]

    def closed(gate: ApplicabilityCondition, platform: Platform | None, device: Device | None) -> str:
        return error(gate, platform, device, models[0]) if models else right(gate, platform, device)

    def check_of(gate: ApplicabilityCondition) -> applicability._ConditionCheck:
        def check(platform: Platform | None, device: Device | None, *, exact: bool) -> applicability.Applicability:
            told = right_check_of(gate)(platform, device, exact=exact)
            if told is applicability.Applicability.UNDECIDED:
                return told
            return (
                applicability.Applicability.NOT_APPLICABLE
                if closed(gate, platform, device)
                else applicability.Applicability.APPLIES
            )

        return check

    begin = Session._begin_example

    def begun(session: Session) -> None:
        if isinstance(error, CachedEvaluation):
            error.known = error.known_by.setdefault(session, {})
        begin(session)

    monkeypatch.setattr(Oracle, "expect", expected)
    monkeypatch.setattr(applicability, "_describe_unmet", closed)
    monkeypatch.setattr(applicability, "_condition_check", check_of)
    monkeypatch.setattr(Session, "_begin_example", begun)


@pytest.fixture(autouse=True)
def _query_only_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the first queries of a session to those that these tests need, because queries take most of the time."""
    whole = device_discovery._applicable_queries

    def applying(tables: Tables, function: str, platform: Platform, device: Device | None) -> Iterator[str]:
        names = whole(tables, function, platform, device)
        return (name for name in names if any(word in name for word in CLAIM_WORDS))

    monkeypatch.setattr(device_discovery, "_applicable_queries", applying)


@functools.cache
def get_claims(target: Target) -> Claims:
    """Return the claims of a simulated platform."""
    session = Session(target, load(), SessionObserver())
    session.close()
    return Claims.from_facts(session.base.platform, session.base.roots, session.base.facts)


@functools.cache
def record_sequences(target: Target, acts: tuple[Act, ...]) -> list[list[Step]]:
    """Return the sequences of calls that these actions make."""
    return collect_from_items([SuiteItem(f"item {number}", (), act) for number, act in enumerate(acts)], target, load())


def run_case(case: AlterationCase) -> AlterationResult:
    """Return the result of a case's alteration."""
    target = Target.simulated(case.topology, *(("--fault", case.fault) if case.fault else ()))
    claims = get_claims(Target.simulated(case.topology))
    found, _ = make_alterations(claims, "device1", load())
    alteration = next(each for each in found if (each.family, each.detail) == (case.family, case.detail))
    if case.claimed_by is not None:
        alike = claims.with_claimants(USM, case.claimed_by)
        alteration = dataclasses.replace(alteration, claims=alike, before=alike)
    campaign = MetamorphicCampaign(target, load(), claims, "device1", record_sequences(target, case.acts))
    campaign.start()
    return campaign.run_alteration(alteration, len(case.acts), 1)


def test_each_kind_of_alteration_has_a_case() -> None:
    assert [case.family for case in CASES] == list(sorts.FAMILIES)


@pytest.mark.parametrize("case", one_in(2, CASES), ids=lambda case: case.family)
def test_metamorphic_run_finds_faulty_applicability_evaluation(
    case: AlterationCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = run_case(case)
    assert without.calls
    assert without.unexplained == []
    replace_evaluation(case.error, monkeypatch)
    assert run_case(case).unexplained


def get_named_devices_only(call: Call, model: Model) -> CallScope:
    """Return the scope of a call without the devices of its contexts, queues and kernels."""
    things = model.find_all(call.arguments.values())
    return CallScope(model.platform_of_objects(things), tuple(thing for thing in things if isinstance(thing, Device)))


def test_metamorphic_run_finds_evaluation_that_omits_context_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    case = AlterationCase(sorts.MOVED_TO_DEVICE, USM, (allocate_on_host,), evaluate_correctly, fault=ANY_ALIGNMENT)
    assert run_case(case).unexplained == []
    monkeypatch.setattr(call_context, "scope_of", get_named_devices_only)
    assert run_case(case).unexplained


def evaluate_correctly(
    gate: ApplicabilityCondition, platform: Platform | None, device: Device | None, model: Model
) -> str:
    del model
    return right(gate, platform, device)
