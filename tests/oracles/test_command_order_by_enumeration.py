"""The model of command order, compared with an enumeration of all orders in which a few commands may run.

The tests compare the predecessors of each command, the rejected calls, the allowed statuses, the commands that are
complete after a wait of the host, and the expected bytes.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from clconform.oracles.model import command_state
from clconform.oracles.model.enqueued_command import Command

from .execution_orders import CREATE_USER_EVENT, CommandNode
from .order_comparison import BUFFER_COUNT, WAIT, OrderComparison

MAX_COMMANDS = 6
WRITE, COPY, FILL = (f"clEnqueue{name}Buffer" for name in ("Write", "Copy", "Fill"))
WITH_LIST = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")
KINDS = (WAIT, WRITE, COPY, COPY, FILL, *WITH_LIST, "clEnqueueMarker", "clEnqueueBarrier", WAIT, CREATE_USER_EVENT)
A_FAILURE = -5
FEW_EXAMPLES = settings(
    max_examples=50,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[bool, ...], list[CommandNode]]:
    """Draw some intended commands on one or two queues. Some of them will be rejected."""
    in_order = tuple(draw(st.lists(st.sampled_from((False, False, True)), min_size=1, max_size=2)))
    nodes = []
    for byte in range(draw(st.integers(2, MAX_COMMANDS))):
        function = draw(st.sampled_from(KINDS))
        listed = draw(st.frozensets(st.integers(0, byte), max_size=2))
        target = draw(st.integers(0, BUFFER_COUNT - 1))
        queue = draw(st.integers(0, len(in_order) - 1))
        works = function in (WRITE, COPY, FILL)
        cells = draw(st.sampled_from(((0, 1), (0,), (1,)))) if works else ()
        source = (target + draw(st.integers(1, BUFFER_COUNT - 1))) % BUFFER_COUNT if function == COPY else -1
        nodes.append(CommandNode(-1, function, queue, listed, source, target if works else -1, cells, 100 + byte))
    return in_order, nodes


def number_node(node: CommandNode, number: int) -> CommandNode | None:
    """Return a node as the next one of a graph, or None if it needs a wait list and the graph is empty."""
    listed = frozenset(each for each in node.wait_list if each < number)
    if node.function in ("clEnqueueMarker", "clEnqueueBarrier", CREATE_USER_EVENT):
        listed = frozenset()
    if node.function == WAIT and not listed:
        if number == 0:
            return None
        listed = frozenset({number - 1})
    queue = -1 if node.function == CREATE_USER_EVENT else node.queue
    return CommandNode(number, node.function, queue, listed, node.source, node.target, node.cells, node.byte)


def compare(drawn: tuple[tuple[bool, ...], list[CommandNode]], waits: list[tuple[str, int]]) -> OrderComparison:
    """Build a graph on the model. Compare both before user events are set, after each is set, and after each wait."""
    both = OrderComparison(drawn[0])
    for meant in drawn[1]:
        node = number_node(meant, len(both.graph.nodes))
        if node is not None:
            both.add_node(node)
    both.compare_order()
    over: set[CommandNode] = set()
    shut = {each for each in both.graph.nodes if each.function == CREATE_USER_EVENT}
    both.compare_statuses(over, shut)
    both.compare_bytes(over, shut)
    for gate in sorted(shut, key=lambda each: each.number):
        shut.remove(gate)
        over.add(gate)
        both.checker.judge("clSetUserEventStatus", 0, both.event_handle(gate), 0)
        both.compare_statuses(over, shut)
    for function, number in waits:
        choices = len(both.in_order) if function == "clFinish" else len(both.graph.nodes)
        if choices:  # an empty graph has nothing to wait for
            over |= both.wait_for(function, number % choices)
        both.compare_completion(over)
        both.compare_statuses(over, shut)
        both.compare_bytes(over, shut)
    return both


WAITS = st.lists(st.tuples(st.sampled_from(("clFinish", "clWaitForEvents")), st.integers(0, 11)), max_size=3)


@FEW_EXAMPLES
@given(drawn=graphs(), waits=WAITS)
def test_model_allows_exactly_the_results_of_all_orders(
    drawn: tuple[tuple[bool, ...], list[CommandNode]], waits: Any
) -> None:
    compare(drawn, waits)


@settings(FEW_EXAMPLES, max_examples=30)
@given(drawn=graphs())
def test_commands_after_a_failed_event_are_terminated(drawn: tuple[tuple[bool, ...], list[CommandNode]]) -> None:
    in_order, nodes = drawn
    both = OrderComparison(in_order)
    gate = CommandNode(0, CREATE_USER_EVENT)
    both.add_node(gate)
    for meant in nodes[: MAX_COMMANDS - 1]:
        node = number_node(meant, len(both.graph.nodes))
        if node is not None and node.function != CREATE_USER_EVENT:
            both.add_node(node)
    both.checker.judge("clSetUserEventStatus", 0, both.event_handle(gate), A_FAILURE)
    for node in both.graph.nodes:
        assert both.get_command(node).terminated == both.graph.depends_on_failed(node, gate)


def test_drawn_graphs_contain_every_compared_case() -> None:
    """Each case, such as a rejected call or a graph with several orders, must occur in a drawn graph."""
    seen: set[str] = set()

    @seed(1)
    @settings(FEW_EXAMPLES, max_examples=100, derandomize=False)
    @given(drawn=graphs(), waits=WAITS)
    def compare_graph(drawn: tuple[tuple[bool, ...], list[CommandNode]], waits: Any) -> None:
        both = compare(drawn, waits)
        orders = both.graph.orders
        seen.update(node.function for node in both.graph.nodes)
        seen.update({"refused"} if both.refused else set(), {"one order"} if len(orders) == 1 else {"several orders"})
        several = [
            first for first, then in both.graph.iterate_pairs() if first.conflicts_with(then) and len(orders) > 1
        ]
        seen.update({"ordered by need"} if several else set())

    compare_graph()
    assert seen >= {*KINDS, "refused", "one order", "several orders", "ordered by need"}


def ignore_last_event(order: Any, function: str, queue: Any, awaited: Any, **more: Any) -> Any:
    """Order commands as the model does, but not after the last event of a list."""
    return FIND_PREDECESSORS(order, function, queue, awaited[:-1], **more)


def order_after_all(order: Any, function: str, queue: Any, awaited: Any, **more: Any) -> Any:
    """Order commands as the model does, but commands with a list after all earlier commands."""
    every = FIND_PREDECESSORS(order, "clEnqueueMarker" if awaited else function, queue, (), **more)
    return tuple(dict.fromkeys((*every, *FIND_PREDECESSORS(order, function, queue, awaited, **more))))


def keep_first_barrier(order: Any, function: str, queue: Any, awaited: Any, **more: Any) -> Any:
    """Order commands as the model does, but ignore all barriers of a queue except the first."""
    own = order._queues.get(queue)
    if own is not None:
        own.barriers = dict(list(own.barriers.items())[:1])
    return FIND_PREDECESSORS(order, function, queue, awaited, **more)


def yield_only_itself(command: Command) -> Any:
    """Return a command without its predecessors."""
    return iter((command,))


FIND_PREDECESSORS = command_state.CommandOrder.find_predecessors
MODEL_FAULTS: dict[str, tuple[Any, str, Any]] = {
    "waits in a queue are no barriers": (command_state, "BARRIERS", command_state.BARRIERS[:-1]),
    "markers wait for nothing": (command_state, "FENCES", command_state.BARRIERS),
    "the last event of a list is ignored": (command_state.CommandOrder, "find_predecessors", ignore_last_event),
    "commands with lists come after everything": (command_state.CommandOrder, "find_predecessors", order_after_all),
    "only the first barrier of a queue counts": (
        command_state.CommandOrder,
        "find_predecessors",
        keep_first_barrier,
    ),
    "what is before a command is not over with it": (Command, "pending_chain", yield_only_itself),
}


@pytest.mark.parametrize("mistake", MODEL_FAULTS)
def test_comparison_with_enumeration_finds_a_fault_of_the_model(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MODEL_FAULTS[mistake])

    @settings(FEW_EXAMPLES, derandomize=True, max_examples=300)  # the search ends at the first failure
    @given(drawn=graphs(), waits=WAITS)
    def compare_graph(drawn: tuple[tuple[bool, ...], list[CommandNode]], waits: Any) -> None:
        compare(drawn, waits)

    with pytest.raises(AssertionError):
        compare_graph()
