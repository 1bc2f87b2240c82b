"""Long chains of commands: their copies, failures, and predecessors that are added to an enqueued command."""

from __future__ import annotations

import copy

from clconform.oracles.model.command_state import CommandOrder
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.queues import CommandQueue

LENGTH = 2000
FILL = "clEnqueueFillBuffer"


def enqueue_chain(order: CommandOrder, queue: CommandQueue, length: int) -> list[Command]:
    """Enqueue commands of which each waits for the one before it; return them."""
    made: list[Command] = []
    for _ in range(length):
        direct = order.find_predecessors(FILL, queue, made[-1:])
        made.append(Command(FILL, queue, direct, awaits=tuple(made[-1:])))
        order.add(made[-1])
    return made


def test_copy_of_a_long_chain_has_the_same_order() -> None:
    order = CommandOrder()
    chain = enqueue_chain(order, CommandQueue("queue1"), LENGTH)
    last = copy.deepcopy({"first reached": chain[-1], "order": order})["first reached"]
    assert len(last.predecessors) == LENGTH - 1
    assert last.predecessors.isdisjoint(chain)


def test_failure_reaches_the_end_of_a_long_chain() -> None:
    order = CommandOrder()
    chain = enqueue_chain(order, CommandQueue("queue1"), LENGTH)
    order.fail(chain[:1])
    assert all(each.may_have_failed for each in chain)


def test_added_predecessor_of_the_same_queue_comes_before_the_command() -> None:
    order, queue = CommandOrder(), CommandQueue("queue1")
    first = Command(FILL, queue, queue_position=1)
    order.add(first)
    (later,) = enqueue_chain(order, queue, 1)
    first.order_after(later)
    assert later in first.predecessors
    assert first.follows(later)
