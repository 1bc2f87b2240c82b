"""The table of the objects that enqueue functions take: it is complete, and items notice each object that is kept."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.kernels import Kernel
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.selftest.faults.lifetimes import handle_names, lose_callbacks
from clconform.selftest.faults.registry import Faults, SimulatedStep
from clconform.selftest.trial import run_item
from clconform.simulator.in_process_worker import InProcessWorker
from clconform.spec_tables import load, loading
from clconform.suites.kit.valid_calls import all_valid_calls
from clconform.suites.lifetime.command_objects import (
    COUNTED_TYPES,
    KERNEL_OBJECTS,
    UNDESCRIBED,
    command_objects,
    enqueue_functions,
)
from clconform.suites.lifetime.command_objects_page import page_lines
from clconform.suites.lifetime.test_after_commands import cases

from ..selftest.faults.attribution import get_deviating  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.model.cl_object import ClObject
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.simulator.server import Change
    from clconform.suites.lifetime.command_objects import CommandObject, Moment

VARIATIONS = {
    "image argument": "an image and a sampler, ",
    "sampler argument": "an image and a sampler, ",
    "SVM argument": "shared memory, ",
    "mem_list": "two buffers, ",
}
"""Maps objects to the words of the items that use them; the items of the other objects make the valid call."""
ARGUMENTS = {"buffer argument": -1, "image argument": 0, "sampler argument": 1, "SVM argument": 0}
"""The index of each argument of the kernels."""
TOPOLOGIES = {"INTEL": "unified-all", "AMD": "bus-shared", "D3D|DX9|GL": "interfaces"}
"""Maps parts of the names of extension functions to simulated platforms that support them."""
OBJECTS = [each for name in enqueue_functions() for each in command_objects(load().functions[name])]


def test_every_enqueue_function_of_every_revision_is_in_the_table() -> None:
    for revision in loading.list_revisions():
        tables = loading.read_tables(loading.REVISIONS / revision)
        for name in enqueue_functions(tables):
            function = tables.functions[name]
            listed = {each.name: each for each in command_objects(function)}
            counted = {each.name for each in function.parameters if each.base in COUNTED_TYPES}
            assert counted, name
            assert counted <= set(listed), name
            assert all(each.reason or (each.evidence and each.moments) for each in listed.values()), name
            assert name in all_valid_calls() or name in UNDESCRIBED


def test_every_other_function_with_a_queue_and_an_event_enqueues_no_command() -> None:
    for function in load().functions.values():
        names = {each.name for each in function.parameters}
        if {"event_wait_list", "event"} <= names or "sync_point" in names:
            assert function.name in enqueue_functions()


@functools.cache
def get_items() -> dict[str, TableCase]:
    return {each.id: each for each in cases()}


def item_id(each: CommandObject, moment: Moment) -> str:
    words = VARIATIONS.get(each.name, "")
    return f"{each.function}/success[nothing is kept: {words}{moment.value}]"


def test_an_item_exists_for_each_cell_of_the_table() -> None:
    assert {item_id(each, moment) for each in OBJECTS for moment in each.moments} <= set(get_items())


def test_page_of_the_objects_is_current() -> None:
    """Check the file that ``python -m clconform.suites.lifetime.command_objects_page`` prints."""
    page = Path(__file__).resolve().parents[2] / "docs" / "command-objects.md"
    assert page.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in page_lines())


# each object kept


class ChangingWorker(InProcessWorker):
    """A simulated platform that keeps the objects of one cell of the table."""

    def __init__(self, topology: str) -> None:
        self.kept: CommandObject | None = None
        super().__init__(topology, change=self._change)

    def _change(self, simulation: object, call: object, outcome: Outcome) -> Outcome:
        return keep(self.kept)(simulation, call, outcome) if self.kept is not None else outcome  # type: ignore[arg-type]

    def close(self) -> None:
        """Keep the platform for the next cell."""


def keep(each: CommandObject) -> Change:
    """Return the fault that keeps an object of each command of a function."""
    faults = Faults()

    @faults.plant()
    def keep_object(step: SimulatedStep) -> Outcome:
        """Keep an object."""
        called = step.call.function == each.function and step.has_succeeded
        return lose_callbacks(step, find_objects(step, each.name) if called else [])

    return faults.entries["keep-object"]


def find_objects(step: SimulatedStep, name: str) -> list[ClObject]:
    """Return the objects that a call passes or returns, or those of its kernel."""
    kernel = step.find("kernel", Kernel)
    if name == "program" and kernel is not None and kernel.program is not None:
        return [kernel.program]
    if name in KERNEL_OBJECTS and kernel is not None:
        argument = list(kernel.arguments.values())[ARGUMENTS[name]]
        return [argument.object] if argument.object is not None else [kernel]
    output = step.outcome.outputs.get(name)
    names = [*map(str, output.values)] if output is not None else handle_names(step.call.arguments.get(name))
    found = [thing for thing in step.model.objects.values() if thing.name in names]
    return found or find_queues(step)


def find_queues(step: SimulatedStep) -> list[ClObject]:
    """Return the queue of a call, or the queues of its command-buffer."""
    recorded = step.find("command_buffer", CommandBuffer)
    queue = step.model.find(step.call.arguments.get("command_queue"))
    return [*recorded.queues] if recorded is not None else [queue] if queue is not None else []


@functools.cache
def get_session(topology: str) -> tuple[Session, ChangingWorker]:
    worker = ChangingWorker(topology)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clconform.runner.session.session_process.Worker", lambda *_, **__: worker)
        return Session(Target.simulated(topology), load(), Recorder(None)), worker


def choose_topology(function: str) -> str:
    """Return a simulated platform that supports a function."""
    found = (topology for words, topology in TOPOLOGIES.items() if re.search(words, function))
    return next(found, "everything")


@pytest.mark.parametrize("each", OBJECTS, ids=lambda each: f"{each.function}-{each.name}")
def test_item_notices_an_object_that_a_command_keeps(each: CommandObject) -> None:
    """A memory object that is kept is noticed by its own callback, any other object by that of its context."""
    session, worker = get_session(choose_topology(each.function))
    for moment in each.moments:
        session.observer = recorder = Recorder(None)
        worker.kept = each
        run_item(get_items()[item_id(each, moment)], session)
        worker.kept = None
        assert get_deviating(recorder) == {each.evidence[0]}, moment
