"""Query results of pipes (section 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.queries.told import either, exactly
from clconform.oracles.recurring.property_lists import list_echo

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.queries.questions import Question

rules = Rules()


@rules.answer("CL_PIPE_PACKET_SIZE", of=Pipe)
def packet_size_of(pipe: Pipe, question: Question) -> Want | None:
    """The value is the packet size that the pipe was created with."""
    return exactly(question, pipe.packet_size)


@rules.answer("CL_PIPE_MAX_PACKETS", of=Pipe)
def most_packets_of(pipe: Pipe, question: Question) -> Want | None:
    """The value is the maximum number of packets that the pipe was created with."""
    return exactly(question, pipe.max_packets)


@rules.answer("CL_PIPE_PROPERTIES", of=Pipe)
def list_of(pipe: Pipe, question: Question) -> Want | None:
    """The value is the property list given at creation, in full and in the same order.

    It is empty if no list was given.
    """
    return either(question, list_echo(pipe.properties))
