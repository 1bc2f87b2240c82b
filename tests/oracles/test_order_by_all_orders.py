"""The model of command order, compared with an enumeration of all orders in which a few commands may run.

The tests compare the predecessors of each command, the rejected calls, the allowed statuses, the commands that are
complete after a wait of the host, and the expected bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clconform.oracles.model import command_state

from .all_orders import GATE, Node
from .comparing_orders import BUFFERS, WAIT, Comparison

if TYPE_CHECKING:
    from clconform.oracles.model.command_state import Command

MOST = 6
WRITE, COPY, FILL = (f"clEnqueue{name}Buffer" for name in ("Write", "Copy", "Fill"))
WITH_LIST = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")
KINDS = (WAIT, WRITE, COPY, COPY, FILL, *WITH_LIST, "clEnqueueMarker", "clEnqueueBarrier", WAIT, GATE)
A_FAILURE = -5
FEW = settings(
    max_examples=50,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[bool, ...], list[Node]]:
    """Draw some intended commands on one or two queues; some of them will be rejected."""
    in_order = tuple(draw(st.lists(st.sampled_from((False, False, True)), min_size=1, max_size=2)))
    nodes = []
    for byte in range(draw(st.integers(2, MOST))):
        function = draw(st.sampled_from(KINDS))
        listed = draw(st.frozensets(st.integers(0, byte), max_size=2))
        target = draw(st.integers(0, BUFFERS - 1))
        queue = draw(st.integers(0, len(in_order) - 1))
        works = function in (WRITE, COPY, FILL)
        cells = draw(st.sampled_from(((0, 1), (0,), (1,)))) if works else ()
        source = (target + draw(st.integers(1, BUFFERS - 1))) % BUFFERS if function == COPY else -1
        nodes.append(Node(-1, function, queue, listed, source, target if works else -1, cells, 100 + byte))
    return in_order, nodes


def numbered(node: Node, number: int) -> Node | None:
    """Return a node as the next one of a graph, or None if it needs a wait list and the graph is empty."""
    listed = frozenset(each for each in node.listed if each < number)
    if node.function in ("clEnqueueMarker", "clEnqueueBarrier", GATE):
        listed = frozenset()
    if node.function == WAIT and not listed:
        if number == 0:
            return None
        listed = frozenset({number - 1})
    queue = -1 if node.function == GATE else node.queue
    return Node(number, node.function, queue, listed, node.source, node.target, node.cells, node.byte)


def compare(drawn: tuple[tuple[bool, ...], list[Node]], waits: list[tuple[str, int]]) -> Comparison:
    """Build a graph on the model; compare before user events are set, after each of them, and after waits."""
    both = Comparison(drawn[0])
    for meant in drawn[1]:
        node = numbered(meant, len(both.graph.nodes))
        if node is not None:
            both.add(node)
    both.same_order()
    over: set[Node] = set()
    shut = {each for each in both.graph.nodes if each.function == GATE}
    both.same_statuses(over, shut)
    both.same_bytes(over, shut)
    for gate in sorted(shut, key=lambda each: each.number):
        shut.remove(gate)
        over.add(gate)
        both.desk.judge("clSetUserEventStatus", 0, both.event(gate), 0)
        both.same_statuses(over, shut)
    for function, number in waits:
        choices = len(both.in_order) if function == "clFinish" else len(both.graph.nodes)
        if choices:  # an empty graph has nothing to wait for
            over |= both.wait(function, number % choices)
        both.same_end(over)
        both.same_statuses(over, shut)
        both.same_bytes(over, shut)
    return both


WAITS = st.lists(st.tuples(st.sampled_from(("clFinish", "clWaitForEvents")), st.integers(0, 11)), max_size=3)


@FEW
@given(drawn=graphs(), waits=WAITS)
def test_the_model_allows_what_some_order_does(drawn: tuple[tuple[bool, ...], list[Node]], waits: Any) -> None:
    compare(drawn, waits)


@settings(FEW, max_examples=30)
@given(drawn=graphs())
def test_the_model_lets_nothing_run_that_waits_for_a_failed_event(drawn: tuple[tuple[bool, ...], list[Node]]) -> None:
    in_order, nodes = drawn
    both = Comparison(in_order)
    gate = Node(0, GATE)
    both.add(gate)
    for meant in nodes[: MOST - 1]:
        node = numbered(meant, len(both.graph.nodes))
        if node is not None and node.function != GATE:
            both.add(node)
    both.desk.judge("clSetUserEventStatus", 0, both.event(gate), A_FAILURE)
    for node in both.graph.nodes:
        assert both.command(node).terminated == both.graph.never_runs(node, gate)


def test_graphs_hold_everything_that_is_compared() -> None:
    """Check that the comparison is not empty."""
    seen: set[str] = set()

    @settings(FEW, derandomize=True)
    @given(drawn=graphs(), waits=WAITS)
    def look(drawn: tuple[tuple[bool, ...], list[Node]], waits: Any) -> None:
        both = compare(drawn, waits)
        orders = both.graph.orders
        seen.update(node.function for node in both.graph.nodes)
        seen.update({"refused"} if both.refused else set(), {"one order"} if len(orders) == 1 else {"several orders"})
        several = [first for first, then in both.graph.pairs() if first.meets(then) and len(orders) > 1]
        seen.update({"ordered by need"} if several else set())

    look()
    assert seen >= {*KINDS, "refused", "one order", "several orders", "ordered by need"}


def without_the_last(order: Any, function: str, queue: Any, awaited: Any, **more: Any) -> Any:
    """Order commands as the model does, but not after the last event of a list."""
    return BEFORE(order, function, queue, awaited[:-1], **more)


def after_all(order: Any, function: str, queue: Any, awaited: Any, **more: Any) -> Any:
    """Order commands as the model does, but commands with a list after all earlier commands."""
    return BEFORE(order, "clEnqueueMarker" if awaited else function, queue, (), **more) | BEFORE(
        order, function, queue, awaited, **more
    )


def after_the_first_barrier(order: Any, function: str, queue: Any, awaited: Any, **more: Any) -> Any:
    """Order commands as the model does, but ignore all barriers of a queue except the first."""
    kept, barriers = order.pending, [each for each in order.of_queue(queue) if each.function in command_state.BARRIERS]
    order.pending = [each for each in kept if each not in barriers[1:]]
    try:
        return BEFORE(order, function, queue, awaited, **more)
    finally:
        order.pending = kept


def only_itself(command: Command) -> Any:
    """Return a command without its predecessors."""
    return iter((command,))


BEFORE = command_state.CommandOrder.find_predecessors
MISTAKES: dict[str, tuple[Any, str, Any]] = {
    "waits in a queue are no barriers": (command_state, "BARRIERS", command_state.BARRIERS[:-1]),
    "markers wait for nothing": (command_state, "FENCES", command_state.BARRIERS),
    "the last event of a list is ignored": (command_state.CommandOrder, "find_predecessors", without_the_last),
    "commands with lists come after everything": (command_state.CommandOrder, "find_predecessors", after_all),
    "only the first barrier of a queue counts": (
        command_state.CommandOrder,
        "find_predecessors",
        after_the_first_barrier,
    ),
    "what is before a command is not over with it": (command_state.Command, "pending_chain", only_itself),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_model_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MISTAKES[mistake])

    @settings(FEW, derandomize=True, max_examples=300)  # it ends at the first failure
    @given(drawn=graphs(), waits=WAITS)
    def look(drawn: tuple[tuple[bool, ...], list[Node]], waits: Any) -> None:
        compare(drawn, waits)

    with pytest.raises(AssertionError):
        look()
