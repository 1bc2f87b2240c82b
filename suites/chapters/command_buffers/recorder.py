"""The kit for command-buffers: it records commands in sequence, runs them, and reads their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle
from clconform.suites.chapters.command_buffers.negative_cases import has_capability
from clconform.suites.chapters.svm.valid_calls import map_to_read
from clconform.suites.common.command_buffer_cases import MULTI_QUEUE_FUNCTION
from clconform.suites.helpers import is_available, is_success, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS
from clconform.suites.kit.valid_calls import DEFAULT_ARGUMENTS

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Value

ENQUEUE = "clEnqueueCommandBufferKHR"
IN_ORDER, OUT_OF_ORDER, TWO_QUEUES = "in order", "out of order", "two queues"
QUEUE_CONFIGS = (IN_ORDER, OUT_OF_ORDER, TWO_QUEUES)
"""The queues of a command-buffer: one in-order queue, one out-of-order queue, or two alternately used queues."""


class CommandBufferRecorder(Kit):
    """A kit with one command-buffer.

    By default, each command waits for the sync-point of the previous command.
    """

    queues: tuple[Handle, ...] = ()
    recorded_buffer: Handle
    point: int | None = None
    command_count: int = 0

    def begin(self, queue_config: str = IN_ORDER, *flags: str) -> None:
        """Create the command-buffer; skip where the device does not support such command-buffers.

        ``queue_config``: the queues of the command-buffer, one of ``QUEUE_CONFIGS``. ``flags``: the command-buffer's
        flags.
        """
        if queue_config == OUT_OF_ORDER:
            skip_unless(has_capability(self, "OUT_OF_ORDER"), "the device has no command-buffers out of order")
            self.queues = (self.command_buffer_queue(extra_properties=self.out_of_order_bits()),)
        elif queue_config == TWO_QUEUES:
            skip_unless(
                is_available(self.cl, MULTI_QUEUE_FUNCTION), "cl_khr_command_buffer_multi_device is not supported"
            )
            skip_unless(has_capability(self, "MULTIPLE_QUEUE"), "the device does not support several queues")
            self.queues = (self.command_buffer_queue(), self.command_buffer_queue())
        else:
            self.queues = (self.command_buffer_queue(),)
        properties = self.property_list(FLAGS, "+".join(flags)) if flags else None
        self.recorded_buffer = self.command_buffer(properties, *self.queues)
        self.point, self.command_count = None, 0

    def record(self, function: str, **given: Value) -> Outcome:
        """Record a command that waits for the previous command.

        A command-buffer with two queues uses them alternately.
        """
        return self.record_after(() if self.point is None else (self.point,), function, **given)

    def record_after(self, sync_points: tuple[int, ...], function: str, **given: Value) -> Outcome:
        """Record a command that waits for these sync-points; if there are none, the wait list is NULL."""
        queue = self.queues[self.command_count % len(self.queues)] if len(self.queues) > 1 else None
        waits: dict[str, Value] = {
            "command_buffer": self.recorded_buffer,
            "command_queue": queue,
            "num_sync_points_in_wait_list": len(sync_points),
            "sync_point_wait_list": ElementList(sync_points) if sync_points else None,
        }
        arguments = {**DEFAULT_ARGUMENTS, **waits, **given}
        names = [parameter.name for parameter in self.cl.tables.functions[function].parameters]
        skip_unless(is_available(self.cl, function), f"{function} is not available")
        outcome = self.cl.call(Call(function, {name: arguments[name] for name in names}))
        skip_unless(is_success(outcome), "the driver does not record the command")
        points = outcome.outputs["sync_point"].values if "sync_point" in outcome.outputs else []  # type: ignore[union-attr]
        self.point = next((each for each in points if isinstance(each, int)), None)
        self.command_count += 1
        return outcome

    def finalize(self) -> None:
        """Finalize the command-buffer."""
        self.cl.clFinalizeCommandBufferKHR(self.recorded_buffer)

    def run(self, *queues: Handle, times: int = 1, wait: bool = True) -> None:
        """Enqueue the command-buffer, by default on its own queues, and wait for the queues after each enqueue."""
        for _ in range(times):
            listed = ElementList(queues) if queues else None
            self.cl.clEnqueueCommandBufferKHR(len(queues), listed, self.recorded_buffer, 0, None, None)
            if wait:
                self.finish_queues(*queues)

    def finish_queues(self, *queues: Handle) -> None:
        """Wait for the queues that the command-buffer runs on."""
        for queue in queues or self.queues:
            self.cl.clFinish(queue)

    def read_whole(self, buffer: Handle, size: int = SIZE) -> None:
        """Read all of a buffer; the judge compares the content."""
        self.read(buffer, 0, size)

    def read_shared(self, pointer: Handle, size: int = SIZE) -> None:
        """Map an SVM allocation, read it on the host, and unmap it."""
        map_to_read(self, pointer, size)
        self.read_host(pointer, size)
        self.cl.clEnqueueSVMUnmap(self.queue, pointer, 0, None, None)
        self.cl.clFinish(self.queue)

    def read_image(self, image: Handle) -> None:
        """Read all of an image with the arguments of the valid read call."""
        self.call("clEnqueueReadImage", image=image)
