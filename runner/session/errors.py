"""Errors that end an example or a run; their cause is the driver, a test, or clconform itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness import BadCall, HarnessError

if TYPE_CHECKING:
    from types import TracebackType

    from clconform.calls.call import Call


class ExampleOverError(Exception):
    """The driver's process has ended with all objects of the example.

    The journal contains the deviation.
    """


class DeviceLostError(HarnessError):
    """The driver no longer works although it worked at the start of the run; the message is the reason."""


class UndefinedCallError(Exception):
    """The call was not made because its behaviour is undefined, which is a bug of the test."""

    def __init__(self, message: str, call: Call | None = None) -> None:
        super().__init__(message)
        self.call = call


class OtherRevisionError(UndefinedCallError):
    """The call was not made because the function may differ in the driver's revision of its extension."""


class JudgingError(Exception):
    """An internal error while a call was judged or recorded; never attributed to the driver."""


class SelfLimitError(Exception):
    """The controlling process has computed too long between two calls, or an example has made too many calls."""


class DeviationError(AssertionError):
    """The driver deviated in an item.

    The message lists the requirements and the allowed and observed results.
    """


class ExpectedDeviationError(DeviationError):
    """The driver deviated in an item, but only with known deviations."""


class CallNotAllowedError(ValueError):
    """The call cannot be made while other calls are in flight, or cannot be made on a host thread at all."""


PASSED_EXCEPTIONS = (
    *(ExampleOverError, UndefinedCallError, SelfLimitError, CallNotAllowedError, BadCall, HarnessError),
    *(MemoryError, OSError),
)
"""Exceptions that pass through ``convert_internal_errors`` unchanged."""


class convert_internal_errors:  # noqa: N801 (used like a function; contextlib's take four times as long, twice a call)
    """A context manager that converts an internal error into a JudgingError which names the call.

    Errors of the system and ``PASSED_EXCEPTIONS`` stay unchanged.
    """

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def __enter__(self) -> None:
        """Enter the block, without an action."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the block; raise JudgingError in place of an exception that is not in ``PASSED_EXCEPTIONS``."""
        if kind is not None and issubclass(kind, Exception) and not issubclass(kind, PASSED_EXCEPTIONS):
            about = f"{self._call.function}: {kind.__name__}: {error}"
            raise JudgingError(f"internal error while judging {about}") from error
