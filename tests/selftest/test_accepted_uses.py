"""On platforms that accept every invalid call, no suite uses an object or a state of such a call.

Revision 9a89dfee enqueued a kernel after clSetKernelArg had accepted local memory of 0 bytes, and used the objects of
most other accepted calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Data, Handle, HandleBytes, OutputBuffer
from clconform.harness import HarnessError
from clconform.oracles.engine.accepted_calls import UNDEFINED_USE_IF_ACCEPTED
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session import session as session_module
from clconform.runner.session.examples import load_profile
from clconform.selftest.attribution.accepted_uses import find_uses_of_accepted_calls
from clconform.spec_tables import load
from clconform.spec_tables.loading import REVISIONS, read_tables
from clconform.suites.chapters.kernels.argument_cases import SHARED, create_kernel
from clconform.suites.chapters.programs import test_program_machine as programs
from clconform.suites.chapters.usm import test_usm_machine as usm
from clconform.suites.data import test_image_programs as images
from clconform.suites.data import test_programs as buffers
from clconform.suites.kit.kit import Kit

from ..case_sampling import one_in  # noqa: TID252 (tests are not part of the installed package)
from .suite_items import collect_suite_items

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

SHARE = 60
"""Each platform runs one of this many items."""
PLATFORMS = {"everything": "3.0.17", "everything-3.1": "3.1.1", "unified-all": "3.0.17", "demanding-3.1": "3.1.1"}
"""The topologies, with the revision of the tables."""
EXAMPLES = 6
"""The number of examples of each state machine."""
EMPTY_LOCAL_MEMORY = (
    "kernels.arguments::test_kernels_receive_their_arguments[clSetKernelArg/effect/8[local memory of 0 b"
)


@pytest.fixture(scope="module")
def suite_items() -> list[SuiteItem]:
    return collect_suite_items()


@pytest.mark.parametrize("topology", PLATFORMS)
def test_suites_do_not_use_accepted_invalid_calls(topology: str, suite_items: list[SuiteItem]) -> None:
    first = list(PLATFORMS).index(topology) * 7
    tried = find_uses_of_accepted_calls(
        topology, one_in(SHARE, suite_items[first:]), read_tables(REVISIONS / PLATFORMS[topology])
    )
    assert tried.items > tried.failed_items
    assert tried.accepted_calls > 10
    assert tried.uses == []


@pytest.mark.parametrize("seed", one_in(3, [1, 2, 3]))
def test_state_machines_do_not_use_accepted_invalid_calls(seed: int) -> None:
    load_profile("default", EXAMPLES)
    machines: dict[str, Callable[[Session], None]] = {
        "data.programs": lambda cl: buffers.test_random_buffer_commands_keep_contents(cl, seed, "one queue"),
        "data.images": lambda cl: images.test_random_image_commands_keep_contents(cl, seed, "one queue"),
        "programs.states": lambda cl: programs.test_program_machine_reports_consistent_states(cl, seed, "one device"),
        "usm.programs": lambda cl: usm.test_random_usm_operations_keep_contents(cl, seed, "one queue"),
    }
    items = [SuiteItem(name, (), action) for name, action in machines.items()]
    tried = find_uses_of_accepted_calls("everything", items, load())
    assert (tried.items, tried.uses) == (len(machines), [])
    assert tried.accepted_calls > 0


def test_kernel_with_empty_local_memory_is_not_enqueued(suite_items: list[SuiteItem]) -> None:
    items = [item for item in suite_items if item.name.startswith(EMPTY_LOCAL_MEMORY)]
    tried = find_uses_of_accepted_calls("everything-3.1", items, read_tables(REVISIONS / "3.1.1"))
    assert (len(items), tried.items, tried.uses, tried.failed_items) == (1, 1, [], 0)


def use_samplers(session: Session) -> None:
    """Create a sampler with an invalid mode, and use it."""
    kit = Kit(session)
    made = session.clCreateSampler(kit.context, 0, 0, 0, OutputBuffer(1))
    if isinstance(made, Returned) and isinstance(made.value, str):
        session.clRetainSampler(Handle(made.value))


def use_events(session: Session) -> None:
    """Set a user event twice, and use it."""
    kit = Kit(session)
    made = session.clCreateUserEvent(kit.context, OutputBuffer(1))
    if isinstance(made, Returned) and isinstance(made.value, str):
        for _ in range(2):
            session.clSetUserEventStatus(Handle(made.value), 0)
        session.clReleaseEvent(Handle(made.value))


def enqueue_after_invalid_argument(session: Session) -> None:
    """Set a kernel argument with an invalid size, and query the kernel."""
    kit = Kit(session)
    kernel = create_kernel(kit, SHARED.kernel)
    session.clSetKernelArg(kernel, 0, 1, HandleBytes(kit.create_filled_buffer(64, seed=1)))
    session.clSetKernelArg(kernel, 4, 4, Data(bytes(4)))


@pytest.mark.parametrize("action", [use_samplers, use_events, enqueue_after_invalid_argument])
def test_session_without_the_check_uses_accepted_calls(action: object, monkeypatch: pytest.MonkeyPatch) -> None:
    item = SuiteItem(action.__name__, (), action)  # type: ignore[attr-defined,arg-type]
    assert find_uses_of_accepted_calls("everything", [item], load()).uses == []
    monkeypatch.setattr(session_module, "exclude_unusable", lambda expectation, _model: expectation)
    assert find_uses_of_accepted_calls("everything", [item], load()).uses


def test_interpretations_with_undefined_use_exist() -> None:
    assert INTERPRETATIONS.keys() >= UNDEFINED_USE_IF_ACCEPTED


def test_unknown_topology_is_rejected() -> None:
    with pytest.raises(HarnessError, match="unknown topology 'nowhere'"):
        find_uses_of_accepted_calls("nowhere", [], load())
