"""Contexts with a slow creation are reused in later examples if they are unchanged and nothing deviates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, HostCallback, OutputBuffer, Texts
from clconform.harness import HarnessError, Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import context_reuse
from clconform.runner.session.outcome_values import returned_handles
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.chapters.partition.entries import CORE_ENTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Return a session with a real driver on which the creation of each context counts as slow."""
    monkeypatch.setattr(context_reuse, "SLOW_CREATION_SECONDS", 0.0)
    try:
        target = Target.embedded()
    except HarnessError as error:
        pytest.skip(str(error))
    opened = Session(target, load(), Recorder(None), keeps_contexts="unless-deviating")
    yield opened
    opened.close()


@pytest.fixture
def build_session(session: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return a session with a driver on which builds count as slow, but not the creation of contexts."""
    monkeypatch.setattr(context_reuse, "SLOW_CREATION_SECONDS", 1000.0)
    monkeypatch.setattr(context_reuse, "SLOW_BUILD_SECONDS", 0.0)
    return session


def create_context(session: Session, notify: Value = None) -> Handle:
    (handle,) = returned_handles(
        session.clCreateContext(None, 1, ElementList((session.device,)), notify, None, OutputBuffer(1))
    )
    return handle


def count_creations(session: Session) -> int:
    assert isinstance(session.observer, Recorder)
    return session.observer.calls


def test_unchanged_context_is_reused_in_the_next_example(session: Session) -> None:
    with session.example():
        create_context(session)
    before = count_creations(session)
    with session.example():
        again = create_context(session)
        assert count_creations(session) == before, "it was not made"
        assert session.query("clGetContextInfo", again, "CL_CONTEXT_REFERENCE_COUNT") == 1
        returned_handles(session.clCreateCommandQueue(again, session.device, 0, OutputBuffer(1)))
    functions = [step.call.function for step in session.sequence.steps]
    assert functions[0] == "clCreateContext", "a replay makes it"
    assert functions[-1] == "clReleaseCommandQueue"


def test_two_contexts_of_one_example_are_distinct(session: Session) -> None:
    for _ in range(2):
        with session.example():
            first, second = create_context(session), create_context(session)
            assert first != second
            assert session.query("clGetContextInfo", second, "CL_CONTEXT_REFERENCE_COUNT") == 1


def test_items_that_target_context_functions_get_new_contexts(session: Session) -> None:
    for _ in range(2):
        with session.example():
            create_context(session)
    for requirements, made_anew in {
        ("clCreateContext/success",): True,
        ("clReleaseContext/effect/1",): True,
        ("clSetContextDestructorCallback/success",): True,
        (): False,
    }.items():
        session.set_targets(requirements)
        before = count_creations(session)
        with session.example():
            create_context(session)
            assert (count_creations(session) > before) == made_anew


@pytest.mark.parametrize("how", ["retained", "with-callback", "deviation", "released", "other-process"])
def test_context_is_reused_after_retain_but_not_after_deviation_or_restart(session: Session, how: str) -> None:
    with session.example():
        one = create_context(session, HostCallback("notify") if how == "with-callback" else None)
        if how == "retained":
            session.clRetainContext(one)
        if how == "released":
            session.clReleaseContext(one)
        if how == "deviation":
            assert session.process.kept_contexts is not None
            session.process.kept_contexts.note_deviation()
    if how == "other-process":
        session.process.end()
    before = count_creations(session)
    with session.example():
        create_context(session)
        assert (count_creations(session) > before) == (how != "retained")


def test_context_with_destructor_callback_is_not_reused(session: Session) -> None:
    with session.example():
        one = create_context(session)
        names = [parameter.name for parameter in load().functions["clSetContextDestructorCallback"].parameters]
        session.call(
            Call("clSetContextDestructorCallback", dict(zip(names, (one, HostCallback("gone"), None), strict=True)))
        )
    before = count_creations(session)
    with session.example():
        create_context(session)
        assert count_creations(session) > before


def test_context_is_kept_once_if_its_example_is_finished_twice(session: Session) -> None:
    session.begin_example()
    create_context(session)
    session.finish_example()
    session.finish_example()
    before = count_creations(session)
    with session.example():
        one = create_context(session)
        assert count_creations(session) == before
        assert session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT") == 1


def create_program(session: Session, where: Handle) -> Handle:
    source = Texts(("__kernel void nothing(__global int *data)\n{\n}\n",))
    (handle,) = returned_handles(session.clCreateProgramWithSource(where, 1, source, None, OutputBuffer(1)))
    return handle


@pytest.mark.parametrize("how", ["built", "compiled", "linked"])
def test_context_with_slow_build_is_reused(build_session: Session, how: str) -> None:
    with build_session.example():
        one = create_context(build_session)
        given = create_program(build_session, one)
        if how == "built":
            build_session.clBuildProgram(given, 0, None, None, None, None)
        else:
            build_session.clCompileProgram(given, 0, None, None, 0, None, None, None, None)
        if how == "linked":
            build_session.clLinkProgram(one, 0, None, None, 1, ElementList((given,)), None, None, OutputBuffer(1))
    before = count_creations(build_session)
    with build_session.example():
        again = create_context(build_session)
        assert count_creations(build_session) == before, "it was not made"
        assert build_session.query("clGetContextInfo", again, "CL_CONTEXT_REFERENCE_COUNT") == 1
    with build_session.example():
        before = count_creations(build_session)
        create_context(build_session)
        assert count_creations(build_session) == before, "it is kept although nothing was built in it meanwhile"


def test_context_without_build_is_created_again(build_session: Session) -> None:
    with build_session.example():
        create_program(build_session, create_context(build_session))
    before = count_creations(build_session)
    with build_session.example():
        create_context(build_session)
        assert count_creations(build_session) > before


def test_only_context_with_slow_build_is_reused(build_session: Session) -> None:
    with build_session.example():
        first, second = create_context(build_session), create_context(build_session)
        assert first != second
        build_session.clBuildProgram(create_program(build_session, second), 0, None, None, None, None)
    before = count_creations(build_session)
    with build_session.example():
        create_context(build_session)
        assert count_creations(build_session) == before
        create_context(build_session)
        assert count_creations(build_session) > before


def test_context_is_reused_after_deviating_creation_of_devices(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_reuse, "SLOW_CREATION_SECONDS", 0.0)
    target = start(fault="partition-count-off-by-one").target
    session = Session(target, load(), Recorder(None), keeps_contexts="unless-deviating")
    try:
        with session.example():
            create_context(session)
            CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 5), 3)
        assert session.sequence.has_diverged
        assert session.sequence.steps[-1].call.function == "clReleaseDevice", "what was made is released"
        before = count_creations(session)
        with session.example():
            one = create_context(session)
            assert count_creations(session) == before
            assert session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT") == 1
    finally:
        session.close()


def test_context_is_created_again_after_accepted_invalid_creation(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sampler is not released, because no use of it is defined. The next example has a new process."""
    monkeypatch.setattr(context_reuse, "SLOW_CREATION_SECONDS", 0.0)
    target = start("everything", fault="invalid-sampler-modes-accepted").target
    session = Session(target, load(), Recorder(None), keeps_contexts="unless-deviating")
    try:
        with session.example():
            sampler = session.clCreateSampler(create_context(session), 0, 1, 0x1140, OutputBuffer(1))
        assert isinstance(session.observer, Recorder)
        assert [line.observed for line in session.observer.deviations.values()] == ["CL_SUCCESS"], sampler
        assert session.sequence.steps[-1].call.function == "clCreateSampler"
        assert not session.process.is_running
        before = count_creations(session)
        with session.example():
            one = create_context(session)
            assert count_creations(session) > before
            assert session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT") == 1
    finally:
        session.close()


@pytest.mark.parametrize(
    ("fault", "about", "made_anew"),
    [
        ("reference-count-always-one", "context", True),
        ("reference-count-always-one", "queue", False),
        ("query-overruns-buffer", "queue", True),
        ("", "queue", False),
    ],
)
def test_deviating_reference_count_of_queue_does_not_prevent_context_reuse(
    start: Starter,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    about: str,
    made_anew: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(context_reuse, "SLOW_CREATION_SECONDS", 0.0)
    session = Session(start(fault=fault).target, load(), Recorder(None), keeps_contexts="unless-deviating")
    try:
        with session.example():
            one = create_context(session)
            (queue,) = returned_handles(session.clCreateCommandQueue(one, session.device, 0, OutputBuffer(1)))
            if about == "queue":
                session.clRetainCommandQueue(queue)
                session.query("clGetCommandQueueInfo", queue, "CL_QUEUE_REFERENCE_COUNT")
            else:
                session.clRetainContext(one)
                session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT")
                session.clReleaseContext(one)
        assert session.sequence.has_diverged == bool(fault)
        before = count_creations(session)
        with session.example():
            create_context(session)
            assert (count_creations(session) > before) == made_anew
    finally:
        session.close()
