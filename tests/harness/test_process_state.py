"""A failure of the worker is attributed to the driver only if the driver has raised or changed what explains it."""

from __future__ import annotations

import errno
import resource

import pytest

from clconform.calls.call import CHANGED, Died
from clconform.harness.errors import DriverExceptionError, ProcessShortageError
from clconform.harness.process_state import ProcessState, find_process_end

SHORTAGES = (MemoryError(), OSError(errno.ENOMEM, "no memory"), OSError(errno.EAGAIN, "no thread"))


def lower_limit(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make one limit of this process appear as 1 byte."""
    number, before = getattr(resource, name), resource.getrlimit
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1, 1) if which == number else before(which))


@pytest.mark.parametrize("error", SHORTAGES, ids=repr)
@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_NPROC", "RLIMIT_NOFILE"])
def test_shortage_after_a_limit_was_lowered_is_an_end_of_the_process(
    error: Exception, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ProcessState()
    lower_limit(monkeypatch, name)
    ended = find_process_end(error, state, "clFinish")
    assert isinstance(ended, Died)
    assert (ended.how, ended.detail) == (CHANGED, name)
    assert name in ended.last_output


@pytest.mark.parametrize("error", SHORTAGES, ids=repr)
def test_shortage_without_a_change_is_not_attributed(error: Exception) -> None:
    with pytest.raises(ProcessShortageError, match="clFinish"):
        find_process_end(error, ProcessState(), "clFinish")


def test_data_limit_of_the_worker_itself_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ProcessState()
    state.expect_data_limit(1)
    lower_limit(monkeypatch, "RLIMIT_DATA")
    assert "RLIMIT_DATA" not in state.changes() or resource.getrlimit(resource.RLIMIT_DATA)[1] == 1
    assert "RLIMIT_AS" not in state.changes()


@pytest.mark.parametrize("error", [ValueError("ours"), KeyError("ours"), SystemError("ours")], ids=repr)
def test_error_in_the_worker_stays_an_internal_error(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a changed process does not explain an error that is not of the system."""
    state = ProcessState()
    lower_limit(monkeypatch, "RLIMIT_AS")
    assert find_process_end(error, state, "clFinish") is None


def test_exception_that_c_code_has_left_is_the_drivers() -> None:
    """The tests of hostile drivers leave such exceptions; this is what ctypes raises then."""
    error = SystemError("<CFunctionType object at 0x7f> returned a result with an exception set")
    error.__cause__ = ValueError("left")
    ended = find_process_end(error, ProcessState(), "clFinish")
    assert ended is not None
    assert ended.detail == "the interpreter (ValueError)"


@pytest.mark.parametrize("raised", [ValueError("x"), SystemExit(0), KeyboardInterrupt(), MemoryError()], ids=repr)
def test_exception_of_a_driver_is_named(raised: BaseException) -> None:
    ended = find_process_end(DriverExceptionError(raised), ProcessState(), "clFinish")
    assert ended is not None
    assert ended.how == CHANGED
    assert type(raised).__name__ in ended.detail
