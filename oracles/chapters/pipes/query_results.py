"""Query results of pipes (section 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.property_lists import allowed_list_values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.queries.expected_answers import expect_exactly, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()


@rules.expected_value("CL_PIPE_PACKET_SIZE", of=Pipe)
def packet_size_of(pipe: Pipe, question: QueryRequest) -> Matcher | None:
    """The value is the packet size that the pipe was created with."""
    return expect_exactly(question, pipe.packet_size)


@rules.expected_value("CL_PIPE_MAX_PACKETS", of=Pipe)
def max_packets_of(pipe: Pipe, question: QueryRequest) -> Matcher | None:
    """The value is the maximum number of packets that the pipe was created with."""
    return expect_exactly(question, pipe.max_packets)


@rules.expected_value("CL_PIPE_PROPERTIES", of=Pipe)
def list_of(pipe: Pipe, question: QueryRequest) -> Matcher | None:
    """The value is the property list that the pipe was created with, complete and in the original order.

    If the pipe was created without a property list, the value is empty.
    """
    return expect_one_of(question, allowed_list_values(pipe.properties, question))
