"""Alternating queries of several objects: each query returns the value of the queried object, also when it is repeated.

The objects are of the usual kinds; a few additional objects differ in only one value from a usual object.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import MAX_VALUE_BYTES
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Query
from clconform.suites.helpers import is_success, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.query_modes import QueryCaller, returned_size
from clconform.suites.queries.distinct_objects import DISTINCT_OBJECTS
from clconform.suites.queries.kinds import POINTER_QUERIES, all_object_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import QuerySubject

NAME = "queries.interleaved"
FUNCTIONS = (
    "clGetDeviceInfo",
    "clGetContextInfo",
    "clGetCommandQueueInfo",
    "clGetMemObjectInfo",
    "clGetImageInfo",
    "clGetPipeInfo",
    "clGetSamplerInfo",
    "clGetProgramInfo",
    "clGetProgramBuildInfo",
    "clGetKernelInfo",
    "clGetKernelWorkGroupInfo",
    "clGetKernelSubGroupInfo",
    "clGetKernelArgInfo",
    "clGetEventInfo",
    "clGetEventProfilingInfo",
    "clGetSemaphoreInfoKHR",
    "clGetCommandBufferInfoKHR",
    "clGetMemAllocInfoINTEL",
)
MAX_KINDS = 8
"""The maximum number of kinds in one item.

The first kind is created in the kit's context and in another context.
"""
ROUNDS = 2


def cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each query function; its targets are the queries whose values the model knows."""
    for function in FUNCTIONS:
        queries = [each for each in tables.requirements_of(function) if isinstance(each, Query)]
        asked = [each for each in queries if each.name in tables.enumerants]
        aims = tuple(each.id for each in asked)
        yield TableCase(
            f"{function}/success", "several objects alternately", functools.partial(_query_all, asked), aims
        )


def _query_all(queries: Sequence[Query], cl: Session) -> None:
    function = queries[0].function
    objects = list(_create_objects(function, cl))
    skip_unless(len(objects) > 1, "two objects of this type cannot be created")
    askers = [QueryCaller(cl, function, about) for about in objects]
    for query in queries:
        if cl.find_inapplicability(query.id):
            continue
        for asker in askers * ROUNDS:
            _query_once(asker, query.name, cl.tables)


def _create_objects(function: str, cl: Session) -> Iterator[QuerySubject]:
    """Yield the arguments that identify an object, for some kinds of objects.

    An object of the first kind is also created in another context.
    """
    kit = Kit(cl)
    other = kit.for_context(kit.new_context(cl.device))
    kinds = list(all_object_kinds()[function].values())
    makers = [kind.create for kind in kinds[:: -(-len(kinds) // MAX_KINDS)]]
    for number, make in enumerate((*makers, *DISTINCT_OBJECTS.get(function, ()))):
        for where in (other, kit) if number == 0 else (kit,):
            try:
                yield make(where)
            except pytest.skip.Exception:
                continue


def _query_once(asker: QueryCaller, query: str, tables: Tables) -> None:
    name = tables.enumerants[query].value
    if query in POINTER_QUERIES:
        _query_pointers(asker, name, tables.enumerants[POINTER_QUERIES[query]].value)
        return
    size = returned_size(asker.query("size only", name, 0, None))
    if size is not None and 0 < size <= MAX_VALUE_BYTES:
        asker.query("exact size, alternately", name, size, OutputBuffer(size))


def _query_pointers(asker: QueryCaller, name: int, sizes: int) -> None:
    """Make a query whose value is a list of pointers to output buffers.

    The query ``sizes`` returns the sizes of the buffers.
    """
    size = returned_size(asker.query("size only", sizes, 0, None))
    told = asker.query("exact size, alternately", sizes, size, OutputBuffer(size)) if size else None
    values = told.outputs["param_value"].values if is_success(told) else []
    asker.query_pointers(name, [each for each in values if isinstance(each, int)])


test_alternating_queries_return_own_values = TableTest(lambda: cases(load()))
