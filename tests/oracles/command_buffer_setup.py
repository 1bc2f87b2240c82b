"""A model with queues, kernels and command-buffers, for the tests of recorded commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel, KernelArgument
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.calls.values import Value

ALL_EXTENSIONS = "cl_khr_command_buffer cl_khr_command_buffer_multi_device cl_khr_command_buffer_mutable_dispatch"
BASE_EXTENSION = "cl_khr_command_buffer"
FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"
CAPABILITIES = "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"
REQUIRED_PROPERTIES = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
SYNC_DEVICES = "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR"
UPDATABLE_FIELDS = "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"
PLATFORM_CAPABILITIES = "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR"
PROFILING, OUT_OF_ORDER = 2, 1
RECORD_KERNEL, UPDATE, ENQUEUE = "clCommandNDRangeKernelKHR", "clUpdateMutableCommandsKHR", "clEnqueueCommandBufferKHR"
ALL_FIELDS = 31
SIZE = 256


class CommandBufferSetup(OracleSetup):
    """Two devices in one context, and another context.

    ``queue1`` and ``queue2`` are alike; ``queue3`` is out of order, ``queue4`` profiled, ``queue5`` on the other
    device, and ``queue6`` in the other context.
    """

    def __init__(
        self, extensions: str = ALL_EXTENSIONS, *, capabilities: int = 31, platform: int = 0, **device_facts: object
    ) -> None:
        super().__init__(DevicePlan(), DevicePlan(), extensions=extensions)
        self.platform.facts[PLATFORM_CAPABILITIES] = platform
        for device in self.roots:
            device.facts |= {
                CAPABILITIES: capabilities,
                REQUIRED_PROPERTIES: 0,
                SYNC_DEVICES: (),
                UPDATABLE_FIELDS: ALL_FIELDS,
            }
            device.facts |= {f"CL_DEVICE_{name}": value for name, value in device_facts.items()}  # type: ignore[misc]
        first, second = self.roots
        context, other = Context("context1", devices=[first, second]), Context("context2", devices=[first])
        for thing in (context, other):
            self.model.add(thing)
        for number, bits in enumerate((0, 0, OUT_OF_ORDER, PROFILING, 0, 0), 1):
            queue = HostQueue(
                f"queue{number}",
                context=other if number == 6 else context,
                queue_device=second if number == 5 else first,
                bits=bits,
                in_order=not bits & OUT_OF_ORDER,
            )
            self.model.add(queue)
        program = Program("program1", context=context, kernels={"add_index": ()})
        self.kernel = Kernel("kernel1", context=context, program=program, function="add_index")
        for number in (1, 2):
            buffer = Buffer(f"mem{number}", context=context, size=SIZE)
            buffer.memory = StorageView(Storage(SIZE), 0, SIZE)
            self.model.add(buffer)
        self.kernel.arguments[0] = KernelArgument(None, 8, self.model.objects["mem1"])
        for thing in (program, self.kernel):
            self.model.add(thing)

    def complete_call(
        self, function: str, value: str = "", outputs: dict[str, object] | None = None, **given: Value
    ) -> None:
        """Apply a successful call with this result and these outputs to the model."""
        call = self.call(function, *(given[each.name] for each in self.model.tables.functions[function].parameters))
        promise = postcondition_of(self.create_call_context(function, *call.arguments.values()))
        assert promise is not None
        promise.apply(value, {name: [each] for name, each in (outputs or {}).items()})  # type: ignore[dict-item]

    def create_command_buffer(
        self, name: str, *queues: str, properties: ElementList | None = None, ended: bool = False
    ) -> Handle:
        """Create a command-buffer, for the first queue unless other queues are given."""
        listed = tuple(map(Handle, queues or ("queue1",)))
        given: dict[str, Value] = {"num_queues": len(listed), "queues": ElementList(listed), "properties": properties}
        self.complete_call("clCreateCommandBufferKHR", name, errcode_ret=OutputBuffer(1), **given)
        if ended:
            self.complete_call("clFinalizeCommandBufferKHR", command_buffer=Handle(name))
        return Handle(name)

    def create_with_flag(self, name: str, flag: str, *, ended: bool = False) -> Handle:
        """Create a command-buffer with a flag."""
        return self.create_command_buffer(name, properties=self.create_list(FLAGS, flag, 0), ended=ended)

    def build_kernel_arguments(self, buffer: Handle, **changes: Value) -> dict[str, Value]:
        """Return the arguments for recording a kernel enqueue."""
        given: dict[str, Value] = {
            "command_buffer": buffer,
            "command_queue": None,
            "properties": None,
            "kernel": Handle("kernel1"),
            "work_dim": 1,
            "global_work_offset": None,
            "global_work_size": ElementList((16,)),
            "local_work_size": ElementList((4,)),
            "num_sync_points_in_wait_list": 0,
            "sync_point_wait_list": None,
            "sync_point": OutputBuffer(1),
            "mutable_handle": None,
        }
        return {**given, **changes}

    def record_kernel(self, buffer: Handle, point: int, handle: str = "", **changes: Value) -> Handle:
        """Record a kernel enqueue, with its sync-point and its handle."""
        asked: dict[str, Value] = {"mutable_handle": OutputBuffer(1)} if handle else {}
        outputs: dict[str, object] = {"sync_point": point, **({"mutable_handle": handle} if handle else {})}
        self.complete_call(RECORD_KERNEL, outputs=outputs, **self.build_kernel_arguments(buffer, **asked, **changes))
        return Handle(handle)
