"""Which calls put the flags and effects of memory objects to the test, and which of them nothing can (section 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judge import SUCCESS
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

MIGRATE = "clEnqueueMigrateMemObjects"
INFO, TYPE = "clGetMemObjectInfo", "CL_MEM_TYPE"
SORTS = {
    "CL_MEM_OBJECT_BUFFER": "the object is a buffer",
    "CL_MEM_OBJECT_IMAGE2D": "the object is an image of two dimensions",
    "CL_MEM_OBJECT_IMAGE3D": "the object is an image of three dimensions",
    "CL_MEM_OBJECT_PIPE": "the object is a pipe",
}
FOREIGN = "it takes memory of another interface, which this suite does not make"


@rules.completion
def _triggers_met(rules: Rules, _tables: Tables) -> None:
    def migrated(name: str) -> Callable[[AnsweredCall], bool]:
        return lambda asked: asked.code == SUCCESS and bool(asked.call.flags & asked.model.value(name))

    def is_told(name: str) -> Callable[[AnsweredCall], bool]:
        return lambda asked: (
            asked.call.param_name == asked.model.value(TYPE)
            and asked.seen.get("param_value") == [asked.model.value(name)]
        )

    for name, words in (
        ("CL_MIGRATE_MEM_OBJECT_HOST", "the objects go to the host, whatever the queue"),
        ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED", "the objects go without their contents"),
    ):
        rules.trigger(f"cl_mem_migration_flags:{name}", MIGRATE, words, f"{MIGRATE}/success", holds=migrated(name))
    for name, words in SORTS.items():
        rules.trigger(f"cl_mem_object_type:{name}", INFO, words, TYPE, holds=is_told(name))


@rules.completion
def _untestable(rules: Rules, _tables: Tables) -> None:
    permission = "a permission: nothing could violate it"
    rules.untestable(
        f"{MIGRATE}/effect/1", "objects stay where they went", "no query tells on which device an object is"
    )
    rules.untestable(f"{MIGRATE}/effect/2", "contents may be lost where that is asked for", permission)
    for what in ("Acquire", "Release"):
        record = f"clEnqueue{what}ExternalMemObjectsKHR/effect/1"
        rules.untestable(record, f"what a second {what.lower()} does is open", permission)
    for record, words in (
        ("OpenCL:descriptions-of-external-memory-handle-types/1", "each import makes an object of its own"),
        ("OpenCL:file-descriptor-handle-types/1", "descriptors can be used as the system's others"),
        ("OpenCL:file-descriptor-handle-types/2", "descriptors can be sent through sockets"),
        ("OpenCL:nt-handle-types/1", "handles can be used as the system's others"),
        ("OpenCL:nt-handle-types/2", "handles by name can be used as the system's others"),
        ("OpenCL:synchronizing-opencl-operations-with-other-apis/1", "when other interfaces see changes is open"),
    ):
        rules.untestable(record, words, FOREIGN)
