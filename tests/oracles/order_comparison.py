"""Compares the model of a few commands with an enumeration of all their orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import Event
from clconform.oracles.model.queues import CommandQueue

from .execution_orders import BUFFER_SIZE, CREATE_USER_EVENT, CommandNode, OrderGraph
from .test_contents import ContentsChecker

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.enqueued_command import Command

BUFFER_COUNT = 3
WAIT = "clEnqueueWaitForEvents"
STATUS, STATUSES = "CL_EVENT_COMMAND_EXECUTION_STATUS", (3, 2, 1, 0)
INITIAL_CONTENTS = tuple(
    tuple(range(cell, cell + BUFFER_SIZE)) for cell in range(1, BUFFER_COUNT * BUFFER_SIZE, BUFFER_SIZE)
)


@dataclass
class OrderComparison:
    """Commands that are enqueued on the model, and the graph of the accepted commands."""

    in_order: tuple[bool, ...]
    checker: ContentsChecker = field(default_factory=ContentsChecker)
    graph: OrderGraph = field(init=False)
    refused: int = 0

    def __post_init__(self) -> None:
        self.graph = OrderGraph((), self.in_order)
        world = self.checker.world
        bit = world.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
        for at, in_order in enumerate(self.in_order):
            flags = 0 if in_order else bit
            self.checker.judge(
                "clCreateCommandQueue", self.queue_handle(at).name, Handle("context1"), world.device, flags, None
            )
        for at, content in enumerate(INITIAL_CONTENTS):
            self.checker.create_buffer(
                "CL_MEM_COPY_HOST_PTR", host=Data(bytes(content)), name=self.buffer_handle(at).name, size=BUFFER_SIZE
            )

    @staticmethod
    def queue_handle(number: int) -> Handle:
        """Return a queue's handle."""
        return Handle(f"queue{7 + number}")

    @staticmethod
    def buffer_handle(number: int) -> Handle:
        """Return a buffer's handle."""
        return Handle(f"mem{7 + number}")

    @staticmethod
    def event_handle(node: CommandNode) -> Handle:
        """Return the handle of a node's event."""
        return Handle(f"event{1 + node.number}")

    def get_command(self, node: CommandNode) -> Command:
        """Return the model's command of a node."""
        command = self.checker.world.model.get(Event, self.event_handle(node)).command
        assert command is not None
        return command

    def build_call(self, node: CommandNode) -> Call:
        """Return the call that enqueues a node."""
        events = ElementList(tuple(self.event_handle(self.graph.nodes[each]) for each in sorted(node.wait_list)))
        if node.function == WAIT:
            return self.checker.world.call(node.function, self.queue_handle(node.queue), len(node.wait_list), events)
        given: dict[str, Value] = {"command_queue": self.queue_handle(node.queue), "event": OutputBuffer(1)}
        if node.wait_list:
            given |= {"num_events_in_wait_list": len(node.wait_list), "event_wait_list": events}
        if node.cells:
            offset = node.cells[0]
            given |= {"offset": offset, "src_offset": offset, "dst_offset": offset, "size": len(node.cells)}
            given |= {"buffer": self.buffer_handle(node.target), "dst_buffer": self.buffer_handle(node.target)}
            given |= {
                "src_buffer": self.buffer_handle(node.source),
                "pattern": Data(bytes([node.byte])),
                "pattern_size": 1,
            }
            given |= {"ptr": Data(bytes([node.byte] * len(node.cells))), "blocking_write": 0}
        return self.checker.build_call(node.function, **given)

    def add_node(self, node: CommandNode) -> None:
        """Enqueue a command or create a user event. Commands whose result is undefined are left out of the graph."""
        oracle, wider = self.checker.world.oracle, OrderGraph((*self.graph.nodes, node), self.in_order)
        if node.function == CREATE_USER_EVENT:
            made = self.checker.world.call(CREATE_USER_EVENT, Handle("context1"), None)
            oracle.judge(oracle.expect(made), Returned(self.event_handle(node).name, {}))
            self.graph = wider
            return
        for queue in range(len(self.in_order)):
            self.checker.judge("clFlush", 0, self.queue_handle(queue))
        expectation = oracle.expect(self.build_call(node))
        clashes = any(node.conflicts_with(each) and not wider.is_always_before(each, node) for each in self.graph.nodes)
        assert bool(expectation.undefined) == clashes, f"{node} in {self.graph}: {expectation.undefined}"
        if clashes:
            self.refused += 1
            return
        gives = "event" in expectation.call.arguments
        oracle.judge(expectation, Returned(0, {"event": Output([self.event_handle(node).name], 8)} if gives else {}))
        if not gives:  # an event is added to find the model's command later
            model, queue = self.checker.world.model, self.queue_handle(node.queue)
            kept = {"context": model.get(Context, Handle("context1")), "queue": model.get(CommandQueue, queue)}
            model.add(Event(self.event_handle(node).name, command=model.commands.latest, **kept))
        self.graph = wider

    # comparisons

    def compare_order(self) -> None:
        """Compare the order of each pair of commands."""
        for first, then in self.graph.iterate_pairs():
            expected = self.graph.is_always_before(first, then)
            assert (self.get_command(first) in self.get_command(then).predecessors) == expected, f"{first}, {then}"

    def compare_statuses(self, over: set[CommandNode], shut: set[CommandNode]) -> None:
        """Compare the statuses that each command may have."""
        may_have_run = {node for done in self.graph.find_prefixes(over, shut) for node in done}
        for node in self.graph.nodes:
            if node.function in (CREATE_USER_EVENT, "clEnqueueBarrier", WAIT):
                continue
            possible = STATUSES[-1:] if node in over else STATUSES if node in may_have_run else STATUSES[:2]
            call = self.checker.world.call(
                "clGetEventInfo", self.event_handle(node), self.checker.world.value(STATUS), 4, OutputBuffer(4), None
            )
            promise = postcondition_of(self.checker.world.oracle.expect(call).context)
            assert promise is not None
            allowed = [each for each in STATUSES if not promise.outputs["param_value"].mismatches([each])]
            assert tuple(allowed) == tuple(possible), f"{node}: {allowed}, not {possible}"

    def compare_bytes(self, over: set[CommandNode], shut: set[CommandNode]) -> None:
        """Compare the bytes of reads: where the model defines a read, it expects the only possible content."""
        states = self.graph.find_contents(INITIAL_CONTENTS, over, shut)
        for at in range(BUFFER_COUNT):
            call = self.checker.build_call(
                "clEnqueueReadBuffer",
                buffer=self.buffer_handle(at),
                offset=0,
                size=BUFFER_SIZE,
                ptr=OutputBuffer(BUFFER_SIZE),
            )
            expectation = self.checker.world.oracle.expect(call)
            if expectation.undefined:
                unsure = [each for each in self.graph.nodes if each not in over and each.target == at]
                assert unsure, expectation.undefined
                continue
            promise = postcondition_of(expectation.context)
            assert promise is not None
            want = promise.outputs["ptr"]
            assert isinstance(want, ExpectedBytes)
            assert all(want.defined)
            assert {state[at] for state in states} == {tuple(want.content)}

    def wait_for(self, function: str, number: int) -> set[CommandNode]:
        """Wait for a queue or an event, and return the nodes that are complete afterwards in every order."""
        if function == "clFinish":
            self.checker.judge(function, 0, self.queue_handle(number))
            waited = {each for each in self.graph.nodes if each.queue == number}
        else:
            node = self.graph.nodes[number]
            self.checker.judge(function, 0, 1, ElementList((self.event_handle(node),)))
            waited = {node}
        return waited | {
            first
            for first, then in self.graph.iterate_pairs()
            if then in waited and self.graph.is_always_before(first, then)
        }

    def compare_completion(self, over: set[CommandNode]) -> None:
        """Compare the set of commands that are known to be complete."""
        assert {each for each in self.graph.nodes if self.get_command(each).is_complete} == over
