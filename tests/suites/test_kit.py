"""The kit of objects, on a simulated platform with all features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import ElementList, Handle
from clconform.harness import Target
from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.images import Image
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.kit.images import IMAGE_OF_BUFFER, IMAGE_TYPES
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.lookalikes import FACTORIES
from clconform.suites.kit.valid_calls import all_valid_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CREATORS: dict[str, Callable[[Kit], Handle]] = {
    "a queue": lambda kit: kit.queue,
    "a queue on the device": Kit.device_queue,
    "a buffer": Kit.buffer,
    "a region": lambda kit: kit.sub_buffer(kit.buffer(), 0, 64),
    "a pipe": Kit.pipe,
    "a sampler": Kit.sampler,
    "a program": Kit.built_program,
    "a kernel": lambda kit: kit.kernel("add_scaled"),
    "a user event": Kit.user_event,
    "a semaphore": Kit.semaphore,
    "a command-buffer": Kit.command_buffer,
    "shared virtual memory": Kit.svm,
    **{kind: lambda kit, kind=kind: kit.usm(kind) for kind in ("host memory", "device memory", "shared memory")},
    **{kind: lambda kit, kind=kind: kit.image(kind) for kind in (*IMAGE_TYPES, IMAGE_OF_BUFFER)},
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """Yield a session on the simulated platform with all features."""
    made = Session(Target.simulated("everything"), load(), SessionObserver())
    yield made
    made.close()


@pytest.fixture
def kit(session: Session) -> Kit:
    """Return a kit in a new example."""
    session.begin_example()
    return Kit(session)


@pytest.mark.parametrize("words", CREATORS)
def test_foreign_object_has_same_class_and_a_different_context(kit: Kit, words: str) -> None:
    made = CREATORS[words](kit)
    mine, like = (kit.cl.model.get(ContextObject, each) for each in (made, kit.foreign.get_similar(made)))
    assert type(mine) is type(like) or {type(mine).__name__, type(like).__name__} <= {"UserEvent", "Event"}
    assert mine.context is not None
    assert like.context is not None
    assert mine.context.name == kit.context.name
    assert like.context.name == kit.foreign.context.name != kit.context.name
    if isinstance(mine, Image) and isinstance(like, Image):
        assert (mine.shape, mine.format) == (like.shape, like.format)


def test_foreign_object_is_created_once_for_each_object(kit: Kit) -> None:
    first, second = kit.image(), kit.image("CL_MEM_OBJECT_IMAGE3D")
    assert kit.foreign.get_similar(first) == kit.foreign.get_similar(first) != kit.foreign.get_similar(second)
    assert kit.foreign.get_similar(kit.context) == kit.foreign.context


def test_every_class_of_foreign_objects_has_a_case(kit: Kit) -> None:
    made = [kit.cl.model.get(ClObject, make(kit)) for make in CREATORS.values()]
    assert [kind.__name__ for kind in FACTORIES if not any(isinstance(each, kind) for each in made)] == ["Context"]


def test_foreign_object_for_null_or_device_skips_the_test(kit: Kit) -> None:
    for nothing in (None, ElementList((None,)), kit.cl.device):
        with pytest.raises(pytest.skip.Exception):
            kit.foreign.get_similar(nothing)


def test_valid_call_of_each_function_succeeds(session: Session) -> None:
    """Valid calls succeed on the platform with all features, if their function applies."""
    wrong = []
    for function in all_valid_calls():
        session.begin_example()
        try:
            outcome = Kit(session).call(function)
        except pytest.skip.Exception:
            continue
        if not isinstance(outcome, Returned) or (isinstance(outcome.value, int) and outcome.value < 0):
            wrong.append(f"{function}: {outcome}")
    assert wrong == []


def test_changes_of_valid_arguments_ignore_missing_parameters(kit: Kit) -> None:
    arguments = kit.valid_arguments("clEnqueueMarker", blocking_read=0, event=None)
    assert arguments == {"command_queue": kit.queue, "event": None}
    with pytest.raises(KeyError):
        kit.valid_arguments("clGetExtensionFunctionAddress")


def test_wait_list_of_kit_has_a_user_event_between_two_complete_events(kit: Kit) -> None:
    gate = kit.gate()
    count, events = gate.wait_list
    assert count == len(events.values) == 3
    assert events.values[1] == gate.event
    event = kit.require_event(kit.call("clEnqueueFillBuffer", **gate.arguments))
    assert kit.cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS") != 0
    gate.open()
    kit.finish()
    assert kit.cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS") == 0


def test_kit_attributes_are_cached_and_kit_methods_create_new_objects(kit: Kit) -> None:
    assert kit.first_buffer == kit.first_buffer != kit.second_buffer
    assert kit.buffer() != kit.buffer()
    assert kit.queue == kit.queue != kit.new_queue()
