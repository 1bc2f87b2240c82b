"""Coverage points for flags and effects of memory objects, and untestable requirements (section 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.ordering_evidence import cover_status_query
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

MIGRATE = "clEnqueueMigrateMemObjects"
EXTERNAL_MEMORY_REASON = "it needs memory of another API, which this suite does not create"


def _migrates_with(name: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.code == SUCCESS and bool(asked.call.flags & asked.model.constant_value(name))


for _record, _words in (
    (
        "cl_mem_migration_flags:CL_MIGRATE_MEM_OBJECT_HOST",
        "The memory objects are migrated to the host, whatever the device of command_queue is.",
    ),
    (
        "cl_mem_migration_flags:CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED",
        "The memory objects are migrated without their contents, which are undefined afterwards.",
    ),
):
    _holds = _migrates_with(_record.partition(":")[2])
    rules.coverage_point(_record, MIGRATE, _words, "clEnqueueMigrateMemObjects/success", holds=_holds)


for _function in ("clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"):
    rules.coverage_point(
        f"{_function}/effect/9",
        EVENT_QUERY,
        "Checked on status queries of a complete command that waited for events and has an empty list of objects.",
        STATUS_QUERY,
        holds=cover_status_query(
            lambda command, function=_function: (
                command.function == function  # type: ignore[misc]
                and command.is_complete
                and bool(command.awaits)
            )
        ),
    )


@rules.completion
def _declare_untestable(rules: Rules, _tables: Tables) -> None:
    rules.untestable(
        "clEnqueueMigrateMemObjects/effect/1",
        "A migrated memory object stays on the device until another command migrates the object.",
        "no query reports on which device a memory object is",
    )
    rules.untestable(
        "clEnqueueMigrateMemObjects/effect/2",
        "With CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, the migrated memory objects may lose their contents.",
        PERMISSION,
    )
    for what in ("Acquire", "Release"):
        for number in (5, 6, 7, 8):
            rules.untestable(f"clEnqueue{what}ExternalMemObjectsKHR/effect/{number}", "", EXTERNAL_MEMORY_REASON)
        requirement = f"clEnqueue{what}ExternalMemObjectsKHR/effect/1"
        rules.untestable(
            requirement,
            f"A second {what.lower()} of the same memory object has an implementation-defined effect.",
            PERMISSION,
        )
        for number, words in (
            (3, "An element of mem_objects was created for devices that do not include the device of command_queue."),
            (4, "An element of mem_objects has a context that does not contain the device of command_queue."),
        ):
            rules.untestable(
                f"clEnqueue{what}ExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/{number}", words, EXTERNAL_MEMORY_REASON
            )
    for requirement, words in (
        (
            "OpenCL:descriptions-of-external-memory-handle-types/1",
            "Importing an external memory handle again creates a distinct memory object.",
        ),
        (
            "OpenCL:file-descriptor-handle-types/1",
            "A descriptor of external memory can be used with dup, dup2, dup3 and close.",
        ),
        (
            "OpenCL:file-descriptor-handle-types/2",
            "A descriptor of external memory can be sent through a socket with SCM_RIGHTS.",
        ),
        (
            "OpenCL:nt-handle-types/1",
            "A handle of external memory can be used with DuplicateHandle, CloseHandle and similar functions.",
        ),
        (
            "OpenCL:nt-handle-types/2",
            "A named handle of external memory can be used with DuplicateHandle, CloseHandle and similar functions.",
        ),
        ("OpenCL:descriptions-of-external-memory-handle-types/2", ""),
        ("OpenCL:file-descriptor-handle-types/6", ""),
        ("OpenCL:file-descriptor-handle-types/7", ""),
        ("OpenCL:nt-handle-types/5", ""),
        ("OpenCL:nt-handle-types/6", ""),
        ("OpenCL:nt-handle-types/7", ""),
        (
            "OpenCL:synchronizing-opencl-operations-with-other-apis/1",
            "An OpenGL context that is bound to another thread may not see changes by OpenCL immediately.",
        ),
    ):
        rules.untestable(requirement, words, EXTERNAL_MEMORY_REASON)
