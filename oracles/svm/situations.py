"""Which calls put the flags, alignments and optional behaviours of shared virtual memory to the test (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Room
from clconform.oracles.answers import Answer, settle
from clconform.oracles.contents.maps import ForbiddenError, reach
from clconform.oracles.contents.order import is_blocking
from clconform.oracles.judgement import NULL, SUCCESS
from clconform.oracles.model import Child
from clconform.oracles.objects.alignment import largest_type
from clconform.oracles.objects.execution_info import SVM_POINTERS
from clconform.oracles.queries.features import lacks
from clconform.oracles.rules import PREDICATES, situation, untestable
from clconform.oracles.svm.allocating import ATOMICS, FINE, SUPPORT, devices_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model import Device
    from clconform.oracles.rules import Asked

ALLOC, FILL, FREE = "clSVMAlloc", "clEnqueueSVMMemFill", "clSVMFree"
FEATURE = "shared-virtual-memory"
COMMANDS = ("SVMFree", "SVMMemcpy", "SVMMemFill", "SVMMap", "SVMUnmap", "SVMMigrateMem")
OWN = "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing"
KERNEL_USES = {
    "CL_MEM_READ_WRITE": "kernels read and write the memory",
    "CL_MEM_WRITE_ONLY": "kernels write the memory",
    "CL_MEM_READ_ONLY": "kernels read the memory",
    FINE: "the memory is shared in fine grain",
    ATOMICS: "atomics order what the host and the devices do to the memory",
}


def _flags() -> None:
    def given(name: str) -> Callable[[Asked], bool]:
        return lambda asked: asked.code == SUCCESS and bool(asked.call.flags & asked.model.value(name))

    for name, words in KERNEL_USES.items():
        situation(f"cl_svm_mem_flags:{name}", ALLOC, words, f"{ALLOC}/success", holds=given(name))


def _alignments() -> None:
    for number, clause, words in (
        (1, 2, "the address is a multiple of the pattern's size"),
        (2, 3, "a pattern has the size of a data type"),
        (3, 4, "the bytes to fill are a whole number of patterns"),
    ):
        watching = f"{FILL}/CL_INVALID_VALUE/{clause}"
        situation(f"{FILL}/alignment/{number}", FILL, words, watching, holds=_breaking(watching))
    situation(
        f"{ALLOC}/size/1",
        ALLOC,
        "alignments go up to the largest data type",
        f"{ALLOC}/success",
        holds=lambda asked: asked.code == SUCCESS and asked.call.alignment == largest_type(_devices(asked)),
    )


def _breaking(record: str) -> Callable[[Asked], bool]:
    """Return the situation that a clause must hold."""

    def holds(asked: Asked) -> bool:
        return settle(PREDICATES[record], asked.call, asked.model) is Answer.MUST

    return holds


def _devices(asked: Asked) -> list[Device]:
    return devices_of(asked.call, asked.model)


def _without_the_feature() -> None:
    def no_device(asked: Asked) -> bool:
        return all(lacks(device, FEATURE) for device in _devices(asked))

    def not_the_queues(asked: Asked) -> bool:
        queue = asked.model.known(asked.call.command_queue)
        device = queue.device if isinstance(queue, Child) else None
        return device is not None and lacks(device, FEATURE)

    situation(f"{FEATURE}:{ALLOC}/1", ALLOC, "no memory where no device shares any", f"{ALLOC}/NULL/1", holds=no_device)
    situation(f"{FEATURE}:{FREE}/1", FREE, "nothing where no device shares memory", f"{FREE}/success", holds=no_device)
    for name in COMMANDS:
        function = f"clEnqueue{name}"
        clause = f"{function}/CL_INVALID_OPERATION/1"
        words = "an error where the queue's device shares no memory"
        situation(f"{FEATURE}:{function}/1", function, words, clause, holds=not_the_queues)


def _kernels() -> None:
    def copied_out(asked: Asked) -> bool:
        if asked.code != SUCCESS or not is_blocking(asked.call) or not isinstance(asked.call.dst_ptr, Room):
            return False
        try:
            found = reach(asked.call.src_ptr, asked.model)
        except ForbiddenError:
            return False
        return SVM_POINTERS in found.view.storage.ways

    words, run = "the kernel reaches allocations of a list", "clEnqueueNDRangeKernel/success"
    situation(f"{SVM_POINTERS}@clSetKernelExecInfo", "clEnqueueSVMMemcpy", words, run, holds=copied_out)


def _prose() -> None:
    def fine_grain_somewhere(asked: Asked) -> bool:
        bit = asked.model.value(SUPPORT[FINE])
        have = [bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & bit) for device in _devices(asked)]
        return bool(asked.call.flags & asked.model.value(FINE)) and asked.code == NULL and not all(have)

    situation(
        f"{OWN}/2", ALLOC, "fine grain needs all devices of the context", f"{ALLOC}/NULL/4", holds=fine_grain_somewhere
    )
    untestable(
        f"{OWN}/1",
        "without atomics, host and devices share memory as long as none writes what another uses",
        "only what happens between two synchronization points could show it, and nothing forces that",
    )
    untestable(
        f"{OWN}/3",
        "host and devices have addresses of the same size",
        "a condition on where shared memory is used; nothing is said of platforms that do not meet it",
    )
    untestable(
        f"{ALLOC}/effect/1",
        "none where devices of both byte orders keep an implementation from it",
        "whether an implementation is able to is its own to say",
    )


_flags()
_alignments()
_without_the_feature()
_kernels()
_prose()
