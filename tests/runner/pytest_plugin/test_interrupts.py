"""An interrupt is shown even if its traceback has no line number."""

from __future__ import annotations

import sys
import types

import pytest

from clconform.runner.pytest_plugin.plugin import FailureKindRecorder


def _create_frame() -> types.FrameType:
    """Return a frame whose first instruction, which creates a cell for an inner function, has no line."""
    kept = sys._getframe()

    def inner() -> types.FrameType:
        return kept

    return inner()


def _traceback_without_line() -> types.TracebackType:
    frame = _create_frame()
    first = next(index for index, place in enumerate(frame.f_code.co_positions()) if place[0] is None)
    return types.TracebackType(None, frame, 2 * first, -1)


def test_interrupt_between_lines_is_shown_with_its_caller() -> None:
    between = _traceback_without_line()
    assert between.tb_lineno is None
    known = types.TracebackType(between, sys._getframe(), sys._getframe().f_lasti, sys._getframe().f_lineno)
    excinfo = pytest.ExceptionInfo.from_exc_info((KeyboardInterrupt, KeyboardInterrupt(), known))
    with pytest.raises(TypeError):
        excinfo.getrepr(funcargs=True)
    tally = FailureKindRecorder()
    tally.pytest_keyboard_interrupt(excinfo)
    assert tally.interrupted
    shown = str(excinfo.getrepr(funcargs=True))
    assert "test_interrupt_between_lines_is_shown_with_its_caller" in shown
    assert shown.endswith("KeyboardInterrupt")


def test_interrupt_without_any_line_number_is_shown() -> None:
    excinfo = pytest.ExceptionInfo.from_exc_info((KeyboardInterrupt, KeyboardInterrupt(), _traceback_without_line()))
    FailureKindRecorder().pytest_keyboard_interrupt(excinfo)
    assert "KeyboardInterrupt" in str(excinfo.getrepr(funcargs=True))
