"""Contexts with a slow creation are reused in later examples if they are unchanged and nothing deviates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Callback, Handle, Items, OutputBuffer, Texts
from clconform.harness import HarnessError, Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import kept_contexts
from clconform.runner.session.answers import made
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Return a session with a real driver on which the creation of each context counts as slow."""
    monkeypatch.setattr(kept_contexts, "LONG_SECONDS", 0.0)
    try:
        target = Target.embedded()
    except HarnessError as error:
        pytest.skip(str(error))
    opened = Session(target, load(), Recorder(None), keeps_contexts="unless-deviating")
    yield opened
    opened.close()


@pytest.fixture
def builder(session: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return a session with a driver on which builds count as slow, but not the creation of contexts."""
    monkeypatch.setattr(kept_contexts, "LONG_SECONDS", 1000.0)
    monkeypatch.setattr(kept_contexts, "LONG_BUILD_SECONDS", 0.0)
    return session


def context(session: Session, notify: Value = None) -> Handle:
    (handle,) = made(session.clCreateContext(None, 1, Items((session.device,)), notify, None, OutputBuffer(1)))
    return handle


def calls_made(session: Session) -> int:
    assert isinstance(session.observer, Recorder)
    return session.observer.calls


def test_a_context_left_as_it_was_made_is_used_again_and_is_no_evidence(session: Session) -> None:
    with session.example():
        context(session)
    before = calls_made(session)
    with session.example():
        again = context(session)
        assert calls_made(session) == before, "it was not made"
        assert session.query("clGetContextInfo", again, "CL_CONTEXT_REFERENCE_COUNT") == 1
        made(session.clCreateCommandQueue(again, session.device, 0, OutputBuffer(1)))
    functions = [step.call.function for step in session.steps]
    assert functions[0] == "clCreateContext", "a replay makes it"
    assert functions[-1] == "clReleaseCommandQueue"


def test_two_contexts_of_an_example_are_two(session: Session) -> None:
    for _ in range(2):
        with session.example():
            first, second = context(session), context(session)
            assert first != second
            assert session.query("clGetContextInfo", second, "CL_CONTEXT_REFERENCE_COUNT") == 1


def test_contexts_are_made_for_items_about_making_them(session: Session) -> None:
    for _ in range(2):
        with session.example():
            context(session)
    for records, made_anew in {
        ("clCreateContext/success",): True,
        ("clReleaseContext/effect/1",): True,
        ("clSetContextDestructorCallback/success",): True,
        (): False,
    }.items():
        session.aim_at(records)
        before = calls_made(session)
        with session.example():
            context(session)
            assert (calls_made(session) > before) == made_anew


@pytest.mark.parametrize("how", ["retained", "with-callback", "deviation", "released", "other-process"])
def test_other_contexts_are_made_again(session: Session, how: str) -> None:
    with session.example():
        one = context(session, Callback("notify") if how == "with-callback" else None)
        if how == "retained":
            session.clRetainContext(one)
        if how == "released":
            session.clReleaseContext(one)
        if how == "deviation":
            assert session._kept is not None
            session._kept.deviated()
    if how == "other-process":
        session.restart()
    before = calls_made(session)
    with session.example():
        context(session)
        assert (calls_made(session) > before) == (how != "retained")


def test_a_destructor_callback_belongs_to_one_example(session: Session) -> None:
    with session.example():
        one = context(session)
        names = [parameter.name for parameter in load().functions["clSetContextDestructorCallback"].parameters]
        session.ask(
            Call("clSetContextDestructorCallback", dict(zip(names, (one, Callback("gone"), None), strict=True)))
        )
    before = calls_made(session)
    with session.example():
        context(session)
        assert calls_made(session) > before


def test_an_example_that_is_ended_twice_keeps_its_context_once(session: Session) -> None:
    session.begin_example()
    context(session)
    session.finish_example()
    session.finish_example()
    before = calls_made(session)
    with session.example():
        one = context(session)
        assert calls_made(session) == before
        assert session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT") == 1


def program(session: Session, where: Handle) -> Handle:
    source = Texts(("__kernel void nothing(__global int *data)\n{\n}\n",))
    (handle,) = made(session.clCreateProgramWithSource(where, 1, source, None, OutputBuffer(1)))
    return handle


@pytest.mark.parametrize("how", ["built", "compiled", "linked"])
def test_a_context_in_which_a_build_took_long_is_used_again(builder: Session, how: str) -> None:
    with builder.example():
        one = context(builder)
        given = program(builder, one)
        if how == "built":
            builder.clBuildProgram(given, 0, None, None, None, None)
        else:
            builder.clCompileProgram(given, 0, None, None, 0, None, None, None, None)
        if how == "linked":
            builder.clLinkProgram(one, 0, None, None, 1, Items((given,)), None, None, OutputBuffer(1))
    before = calls_made(builder)
    with builder.example():
        again = context(builder)
        assert calls_made(builder) == before, "it was not made"
        assert builder.query("clGetContextInfo", again, "CL_CONTEXT_REFERENCE_COUNT") == 1
    with builder.example():
        before = calls_made(builder)
        context(builder)
        assert calls_made(builder) == before, "it is kept although nothing was built in it meanwhile"


def test_a_context_in_which_nothing_was_built_is_made_again(builder: Session) -> None:
    with builder.example():
        program(builder, context(builder))
    before = calls_made(builder)
    with builder.example():
        context(builder)
        assert calls_made(builder) > before


def test_only_the_context_in_which_something_was_built_is_kept(builder: Session) -> None:
    with builder.example():
        first, second = context(builder), context(builder)
        assert first != second
        builder.clBuildProgram(program(builder, second), 0, None, None, None, None)
    before = calls_made(builder)
    with builder.example():
        context(builder)
        assert calls_made(builder) == before
        context(builder)
        assert calls_made(builder) > before


def test_a_wrong_success_that_made_something_else_has_changed_no_context(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_contexts, "LONG_SECONDS", 0.0)
    target = start("everything", fault="any-number-is-a-mode").target
    session = Session(target, load(), Recorder(None), keeps_contexts="unless-deviating")
    try:
        with session.example():
            sampler = session.clCreateSampler(context(session), 0, 1, 0x1140, OutputBuffer(1))
        assert isinstance(session.observer, Recorder)
        assert [line.observed for line in session.observer.deviations.values()] == ["CL_SUCCESS"], sampler
        assert session.steps[-1].call.function == "clReleaseSampler", "what was made is released"
        before = calls_made(session)
        with session.example():
            one = context(session)
            assert calls_made(session) == before
            assert session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT") == 1
    finally:
        session.close()


@pytest.mark.parametrize(
    ("fault", "about", "made_anew"),
    [
        ("references-are-always-one", "context", True),
        ("references-are-always-one", "queue", False),
        ("answers-past-the-buffer", "queue", True),
        ("", "queue", False),
    ],
)
def test_a_query_with_a_wrong_answer_has_changed_no_context_unless_it_is_about_one(
    start: Starter,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    about: str,
    made_anew: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(kept_contexts, "LONG_SECONDS", 0.0)
    session = Session(start(fault=fault).target, load(), Recorder(None), keeps_contexts="unless-deviating")
    try:
        with session.example():
            one = context(session)
            (queue,) = made(session.clCreateCommandQueue(one, session.device, 0, OutputBuffer(1)))
            if about == "queue":
                session.clRetainCommandQueue(queue)
                session.query("clGetCommandQueueInfo", queue, "CL_QUEUE_REFERENCE_COUNT")
            else:
                session.clRetainContext(one)
                session.query("clGetContextInfo", one, "CL_CONTEXT_REFERENCE_COUNT")
                session.clReleaseContext(one)
        assert session.astray == bool(fault)
        before = calls_made(session)
        with session.example():
            context(session)
            assert (calls_made(session) > before) == made_anew
    finally:
        session.close()
