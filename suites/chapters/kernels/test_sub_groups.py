"""Sub-group queries: size and number for a local size, and local size for a number of sub-groups (5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.machine_words import pack_words
from clconform.calls.values import Data, OutputBuffer
from clconform.oracles.chapters.kernels.query_results.sub_groups import COMPILED, COUNT, LOCAL, SIZE
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import is_available, is_success, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.values import Handle

NAME = "kernels.sub_groups"
SIZES = ((16,), (64, 2), (16, 4, 2))
"""Local sizes in one, two and three dimensions."""
EXCESSIVE_COUNT = 1 << 20
"""A number of sub-groups that exceeds the work-items of every work-group."""
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_sub_group_queries_are_consistent = TableTest(cases)


@cases.declare(
    SIZE,
    "size and number for local sizes",
    COUNT,
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE/effect/1",
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE/effect/2",
    "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE/effect/2",
)
def query_sizes_and_counts(kit: Kit) -> None:
    """Query size and number of sub-groups for local sizes in one, two and three dimensions."""
    kernel = kit.kernel("add_index")
    for local in SIZES:
        for query in (SIZE, COUNT):
            _query_sub_groups(kit, kernel, query, local)


@cases.declare(LOCAL, "local sizes for numbers", *(f"{LOCAL}/effect/{number}" for number in (1, 2, 3, 4)))
def query_local_sizes(kit: Kit) -> None:
    """Query local sizes for one, two and too many sub-groups, and query the sub-groups of the returned local sizes."""
    kernel = kit.kernel("add_index")
    for number in (1, 2, EXCESSIVE_COUNT):
        for room in (1, 2, 3):
            told = _query_sub_groups(kit, kernel, LOCAL, (number,), room)
        if told:
            for query in (SIZE, COUNT):
                _query_sub_groups(kit, kernel, query, (told,))


@cases.declare(COMPILED, "a kernel that does not require a number", "CL_KERNEL_COMPILE_NUM_SUB_GROUPS/effect/1")
def query_required_count(kit: Kit) -> None:
    """Query the number of sub-groups that a kernel's source requires."""
    _query_sub_groups(kit, kit.kernel("add_index"), COMPILED, ())


def _query_sub_groups(kit: Kit, kernel: Handle, query: str, numbers: tuple[int, ...], room: int = 1) -> int:
    """Query the sub-groups of a kernel on the device under test; return the first number of the value, or 0."""
    skip_unless(is_available(kit.cl, "clGetKernelSubGroupInfo"), "the platform does not report sub-groups")
    skip_unless(kit.cl.fact("CL_DEVICE_MAX_NUM_SUB_GROUPS"), "the device does not support sub-groups")
    content = pack_words(numbers, kit.pointer_bytes)
    given = (len(content), Data(content) if content else None)
    size = room * kit.pointer_bytes
    asked = (kernel, kit.cl.device, kit.constant(query), *given, size, OutputBuffer(size), OutputBuffer(1))
    outcome = kit.cl.clGetKernelSubGroupInfo(*asked)
    told = outcome.outputs["param_value"].values[0] if is_success(outcome) else 0
    return told if isinstance(told, int) else 0
