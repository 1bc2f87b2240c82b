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

from .all_orders import CELLS, GATE, Graph, Node
from .test_contents import Desk

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.command_state import Command

BUFFERS = 3
WAIT = "clEnqueueWaitForEvents"
STATUS, STATUSES = "CL_EVENT_COMMAND_EXECUTION_STATUS", (3, 2, 1, 0)
START = tuple(tuple(range(cell, cell + CELLS)) for cell in range(1, BUFFERS * CELLS, CELLS))


@dataclass
class Comparison:
    """Commands that are enqueued on the model, and the graph of those that it accepts."""

    in_order: tuple[bool, ...]
    desk: Desk = field(default_factory=Desk)
    graph: Graph = field(init=False)
    refused: int = 0

    def __post_init__(self) -> None:
        self.graph = Graph((), self.in_order)
        world = self.desk.world
        bit = world.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
        for at, in_order in enumerate(self.in_order):
            flags = 0 if in_order else bit
            self.desk.judge("clCreateCommandQueue", self.queue(at).name, Handle("context1"), world.device, flags, None)
        for at, content in enumerate(START):
            self.desk.buffer("CL_MEM_COPY_HOST_PTR", host=Data(bytes(content)), name=self.buffer(at).name, size=CELLS)

    @staticmethod
    def queue(number: int) -> Handle:
        """Return a queue's handle."""
        return Handle(f"queue{7 + number}")

    @staticmethod
    def buffer(number: int) -> Handle:
        """Return a buffer's handle."""
        return Handle(f"mem{7 + number}")

    @staticmethod
    def event(node: Node) -> Handle:
        """Return the handle of a node's event."""
        return Handle(f"event{1 + node.number}")

    def command(self, node: Node) -> Command:
        """Return the model's command of a node."""
        command = self.desk.world.model.get(Event, self.event(node)).command
        assert command is not None
        return command

    def call(self, node: Node) -> Call:
        """Return the call that enqueues a node."""
        events = ElementList(tuple(self.event(self.graph.nodes[each]) for each in sorted(node.listed)))
        if node.function == WAIT:
            return self.desk.world.call(node.function, self.queue(node.queue), len(node.listed), events)
        given: dict[str, Value] = {"command_queue": self.queue(node.queue), "event": OutputBuffer(1)}
        if node.listed:
            given |= {"num_events_in_wait_list": len(node.listed), "event_wait_list": events}
        if node.cells:
            offset = node.cells[0]
            given |= {"offset": offset, "src_offset": offset, "dst_offset": offset, "size": len(node.cells)}
            given |= {"buffer": self.buffer(node.target), "dst_buffer": self.buffer(node.target)}
            given |= {"src_buffer": self.buffer(node.source), "pattern": Data(bytes([node.byte])), "pattern_size": 1}
            given |= {"ptr": Data(bytes([node.byte] * len(node.cells))), "blocking_write": 0}
        return self.desk.call(node.function, **given)

    def add(self, node: Node) -> None:
        """Enqueue a command or create a user event; commands whose result is undefined are left out of the graph."""
        oracle, wider = self.desk.world.oracle, Graph((*self.graph.nodes, node), self.in_order)
        if node.function == GATE:
            made = self.desk.world.call(GATE, Handle("context1"), None)
            oracle.judge(oracle.expect(made), Returned(self.event(node).name, {}))
            self.graph = wider
            return
        for queue in range(len(self.in_order)):
            self.desk.judge("clFlush", 0, self.queue(queue))
        expectation = oracle.expect(self.call(node))
        clashes = any(node.meets(each) and not wider.always_before(each, node) for each in self.graph.nodes)
        assert bool(expectation.undefined) == clashes, f"{node} in {self.graph}: {expectation.undefined}"
        if clashes:
            self.refused += 1
            return
        gives = "event" in expectation.call.arguments
        oracle.judge(expectation, Returned(0, {"event": Output([self.event(node).name], 8)} if gives else {}))
        if not gives:  # an event is added to find the model's command later
            model, queue = self.desk.world.model, self.queue(node.queue)
            kept = {"context": model.get(Context, Handle("context1")), "queue": model.get(CommandQueue, queue)}
            model.add(Event(self.event(node).name, command=model.commands.pending[-1], **kept))
        self.graph = wider

    # comparisons

    def same_order(self) -> None:
        """Compare the order of each pair of commands."""
        for first, then in self.graph.pairs():
            expected = self.graph.always_before(first, then)
            assert (self.command(first) in self.command(then).predecessors) == expected, f"{first}, {then}"

    def same_statuses(self, over: set[Node], shut: set[Node]) -> None:
        """Compare the statuses that each command may have."""
        may_have_run = {node for done in self.graph.moments(over, shut) for node in done}
        for node in self.graph.nodes:
            if node.function in (GATE, "clEnqueueBarrier", WAIT):
                continue
            possible = STATUSES[-1:] if node in over else STATUSES if node in may_have_run else STATUSES[:2]
            call = self.desk.world.call(
                "clGetEventInfo", self.event(node), self.desk.world.value(STATUS), 4, OutputBuffer(4), None
            )
            promise = postcondition_of(self.desk.world.oracle.expect(call).context)
            assert promise is not None
            allowed = [each for each in STATUSES if not promise.outputs["param_value"].mismatches([each])]
            assert tuple(allowed) == tuple(possible), f"{node}: {allowed}, not {possible}"

    def same_bytes(self, over: set[Node], shut: set[Node]) -> None:
        """Compare the bytes of reads: where the model defines a read, it expects the only possible content."""
        states = self.graph.states(START, over, shut)
        for at in range(BUFFERS):
            call = self.desk.call(
                "clEnqueueReadBuffer", buffer=self.buffer(at), offset=0, size=CELLS, ptr=OutputBuffer(CELLS)
            )
            expectation = self.desk.world.oracle.expect(call)
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

    def wait(self, function: str, number: int) -> set[Node]:
        """Wait for a queue or an event; return the nodes that are complete afterwards in every order."""
        if function == "clFinish":
            self.desk.judge(function, 0, self.queue(number))
            waited = {each for each in self.graph.nodes if each.queue == number}
        else:
            node = self.graph.nodes[number]
            self.desk.judge(function, 0, 1, ElementList((self.event(node),)))
            waited = {node}
        return waited | {
            first for first, then in self.graph.pairs() if then in waited and self.graph.always_before(first, then)
        }

    def same_end(self, over: set[Node]) -> None:
        """Compare the set of commands that are known to be complete."""
        assert {each for each in self.graph.nodes if self.command(each).is_complete} == over
