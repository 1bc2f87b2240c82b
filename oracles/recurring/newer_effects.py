"""What calls show of sentences that revisions from 3.1.0 on have, in several chapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.spec_tables.records import Effect

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

COPIED = ("src_buffer", "dst_buffer", "src_image", "dst_image")
ACCESS = (
    "CL_MEM_READ_ONLY",
    "CL_MEM_WRITE_ONLY",
    "CL_MEM_HOST_READ_ONLY",
    "CL_MEM_HOST_WRITE_ONLY",
    "CL_MEM_HOST_NO_ACCESS",
)
"""Flags that keep kernels or the host from reading or writing."""


def _kept_from_somebody(asked: AnsweredCall) -> bool:
    """Return whether a copied object is one that kernels or the host may not read or not write."""
    copied = [asked.model.known(asked.call.arguments.get(name)) for name in COPIED]
    flags = [each.flags for each in copied if isinstance(each, MemoryObject)]
    return any(each & asked.model.value(name) for each in flags for name in ACCESS)


@rules.completion
def _copies(rules: Rules, tables: Tables) -> None:
    words = "An object is copied that kernels or the host may not read, or not write."
    for record in tables.records.values():
        if isinstance(record, Effect) and record.topic == "copy-ignores-access-flags":
            success = f"{record.function}/success"
            rules.trigger(record.id, record.function, words, success, holds=_kept_from_somebody, by_success=True)


SUB_GROUPS = "clGetKernelSubGroupInfoKHR"

# what no call can show

ANDROID = "an AHardwareBuffer exists on Android alone, and a made-up one is undefined behaviour"
SUMMARY = "it sums up what other records require, each of which is put to the test by itself"
NO_PAYLOAD = "only semaphores of Direct3D 12 require a payload, which this suite does not create"
for _record, _words, _reason in (
    (
        "OpenCL:backwards-compatibility/12",
        "A device of 3.1 does what one of 3.0 has to, and takes OpenCL C 3.1 and SPIR-V 1.0 to 1.4.",
        SUMMARY,
    ),
    ("clGetDeviceIDs/effect/8", "A custom device has all functions, and may lack what others require.", PERMISSION),
    ("OpenCL:file-descriptor-handle-types/14", "A buffer has the size of its AHardwareBuffer.", ANDROID),
    ("OpenCL:file-descriptor-handle-types/15", "An image has the format of its AHardwareBuffer.", ANDROID),
    ("OpenCL:file-descriptor-handle-types/16", "An AHardwareBuffer is retained while it is imported.", ANDROID),
    (
        f"{SUB_GROUPS}/effect/2",
        "input_value may be NULL where it is not needed.",
        "each name that the extension defines needs an input",
    ),
    (
        "clGetExtensionFunctionAddressForPlatform/effect/1",
        "NULL says that there is no such function, or no such platform.",
        SUMMARY,
    ),
    (
        "clGetExtensionFunctionAddressForPlatform/effect/2",
        "A function's address works for all devices of the platform.",
        SUMMARY,
    ),
    ("OpenCL:nt-handle-types/12", "Payloads of semaphores that require none are ignored.", NO_PAYLOAD),
):
    rules.untestable(_record, _words, _reason)
