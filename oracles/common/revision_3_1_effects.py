"""Coverage points for requirements that only revisions from 3.1.0 on have, and that belong to several chapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

COPY_PARAMETERS = ("src_buffer", "dst_buffer", "src_image", "dst_image")
ACCESS_FLAGS = (
    "CL_MEM_READ_ONLY",
    "CL_MEM_WRITE_ONLY",
    "CL_MEM_HOST_READ_ONLY",
    "CL_MEM_HOST_WRITE_ONLY",
    "CL_MEM_HOST_NO_ACCESS",
)
"""Flags with which kernels or the host must not read or must not write the memory object."""


def _has_restricted_access(asked: CompletedCall) -> bool:
    """Return whether the call copies a memory object whose flags restrict the access of kernels or of the host."""
    copied = [asked.model.find(asked.call.arguments.get(name)) for name in COPY_PARAMETERS]
    flags = [each.flags for each in copied if isinstance(each, MemoryObject)]
    return any(each & asked.model.constant_value(name) for each in flags for name in ACCESS_FLAGS)


@rules.completion
def _declare_copy_coverage(rules: Rules, tables: Tables) -> None:
    words = "Checked on copies of objects that kernels or the host must not read, or not write."
    for requirement in tables.requirements.values():
        if isinstance(requirement, Effect) and requirement.topic == "copy-ignores-access-flags":
            success = f"{requirement.function}/success"
            rules.coverage_point(
                requirement.id,
                requirement.function,
                words,
                success,
                holds=_has_restricted_access,
                requires_success=True,
            )


# requirements that no call can cover

ANDROID_REASON = "an AHardwareBuffer exists only on Android, and the behaviour for an invalid pointer is undefined"
SUMMARY_REASON = "it summarizes other requirements, each of which is tested by itself"
NO_PAYLOAD_REASON = "only semaphores of Direct3D 12 require a payload, which this suite does not create"
for _record, _words, _reason in (
    (
        "OpenCL:backwards-compatibility/12",
        "",
        SUMMARY_REASON,
    ),
    ("clGetDeviceIDs/effect/8", "", PERMISSION),
    ("OpenCL:file-descriptor-handle-types/14", "", ANDROID_REASON),
    ("OpenCL:file-descriptor-handle-types/15", "", ANDROID_REASON),
    ("OpenCL:file-descriptor-handle-types/16", "", ANDROID_REASON),
    (
        "clGetKernelSubGroupInfoKHR/effect/2",
        "",
        "each param_name that the extension defines needs an input value",
    ),
    (
        "clGetExtensionFunctionAddressForPlatform/effect/1",
        "",
        SUMMARY_REASON,
    ),
    (
        "clGetExtensionFunctionAddressForPlatform/effect/2",
        "",
        SUMMARY_REASON,
    ),
    ("OpenCL:nt-handle-types/12", "", NO_PAYLOAD_REASON),
):
    rules.untestable(_record, _words, _reason)
