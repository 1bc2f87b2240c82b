"""Alternating queries of several objects: each returns the value of its own object, also when repeated.

In addition to the usual kinds of objects, there are a few objects that differ from them in one value only.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import LONGEST_ANSWER_BYTES
from clconform.spec_tables import load
from clconform.spec_tables.records import Query
from clconform.suites.kit.asking import Asker, told_size
from clconform.suites.kit.kit import Kit
from clconform.suites.queries.apart import APART
from clconform.suites.queries.kinds import POINTERS, every_kind
from clconform.suites.steps import needs, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import About

NAME = "queries.in_turn"
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
MOST = 8
"""The maximum number of kinds, spread over the list, in the kit's context; the first is also made in another."""
ROUNDS = 2


def cases(tables: Tables) -> Iterator[Case]:
    """Yield an item for each function; its targets are the queries whose values the model knows."""
    for function in FUNCTIONS:
        queries = [each for each in tables.records_of(function) if isinstance(each, Query)]
        asked = [each for each in queries if each.name in tables.enumerants]
        aims = tuple(each.id for each in asked)
        yield Case(f"{function}/success", "several objects in turn", functools.partial(_ask_all, asked), aims)


def _ask_all(queries: Sequence[Query], cl: Session) -> None:
    function = queries[0].function
    objects = list(_objects(function, cl))
    needs(len(objects) > 1, "two objects of this type cannot be made")
    askers = [Asker(cl, function, about) for about in objects]
    for query in queries:
        if cl.applies(query.id):
            continue
        for asker in askers * ROUNDS:
            _ask(asker, query.name, cl.tables)


def _objects(function: str, cl: Session) -> Iterator[About]:
    """Yield the arguments that name an object of each available kind, the first also in its own context."""
    kit = Kit(cl)
    other = kit.within(kit.new_context(cl.device))
    kinds = list(every_kind()[function].values())
    makers = [kind.make for kind in kinds[:: -(-len(kinds) // MOST)]]
    for number, make in enumerate((*makers, *APART.get(function, ()))):
        for where in (other, kit) if number == 0 else (kit,):
            try:
                yield make(where)
            except pytest.skip.Exception:
                continue


def _ask(asker: Asker, query: str, tables: Tables) -> None:
    name = tables.enumerants[query].value
    if query in POINTERS:
        _ask_for_pointers(asker, name, tables.enumerants[POINTERS[query]].value)
        return
    size = told_size(asker.ask("size only", name, 0, None))
    if size is not None and 0 < size <= LONGEST_ANSWER_BYTES:
        asker.ask("exact size, in turn", name, size, OutputBuffer(size))


def _ask_for_pointers(asker: Asker, name: int, sizes: int) -> None:
    """Query the memory that the pointers in a value lead to, after querying its sizes."""
    size = told_size(asker.ask("size only", sizes, 0, None))
    told = asker.ask("exact size, in turn", sizes, size, OutputBuffer(size)) if size else None
    values = told.outputs["param_value"].values if succeeded(told) else []
    asker.pointers(name, [each for each in values if isinstance(each, int)])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, list(cases(load())))


def test_in_turn(cl: Session, case: Case) -> None:
    case.act(cl)
