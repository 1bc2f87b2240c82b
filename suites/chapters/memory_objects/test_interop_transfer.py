"""Commands that transfer imported memory between OpenCL and another interface: empty lists, and waits (5.5.1.1)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.common.waiting import STATUS, waiting_cases
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "memory_objects.interop_transfer"
ACQUIRE, RELEASE = "clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"
TYPES = {
    ACQUIRE: "CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR@clEnqueueAcquireExternalMemObjectsKHR",
    RELEASE: "CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR@clEnqueueReleaseExternalMemObjectsKHR",
}


def cases() -> Iterator[TableCase]:
    """Yield items for each function: a call with and without a wait list, and a query of the command type."""
    for case in waiting_cases(TYPES):
        function = case.requirement.partition("/")[0]
        yield dataclasses.replace(
            case, further_requirements=(*case.further_requirements, f"{function}/effect/9", STATUS)
        )
    for function, requirement in TYPES.items():
        yield TableCase(requirement, "of no objects", bind_action(query_command_type, function))


def query_command_type(cl: Session, function: str) -> None:
    """Query the command type of the event of an empty transfer."""
    kit = Kit(cl)
    cl.query("clGetEventInfo", kit.require_event(kit.call(function)), "CL_EVENT_COMMAND_TYPE")
    kit.finish()


test_interop_transfers_wait_and_report_their_type = TableTest(cases)
