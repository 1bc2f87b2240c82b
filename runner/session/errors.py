"""The errors that end an example or a run: caused by the driver, by the generator, or by us, and how ours are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness import BadCall, HarnessError

if TYPE_CHECKING:
    from types import TracebackType

    from clconform.calls.call import Call


class ExampleOverError(Exception):
    """The driver's process has ended, and with it every object of the example; the journal has what was seen."""


class UndefinedCallError(Exception):
    """The call's behaviour is undefined, so it was not made: a bug of the generator."""

    def __init__(self, message: str, call: Call | None = None) -> None:
        super().__init__(message)
        self.call = call


class JudgingError(Exception):
    """An exception in our own code while a call was judged or recorded: never the driver's fault."""


class OwnWorkError(Exception):
    """The controlling process has worked for too long by itself between two calls, or makes calls without end."""


class DeviationError(AssertionError):
    """The driver deviated while an item ran; the message names every clause, what it allows and what was observed."""


class ExpectedDeviationError(DeviationError):
    """The driver deviated, but only with known deviations."""


class NotNowError(ValueError):
    """A call may not be made or begun while others are under way on lanes, or not on a lane."""


NOT_OURS = (
    *(ExampleOverError, UndefinedCallError, OwnWorkError, NotNowError, BadCall, HarnessError),
    *(MemoryError, OSError),
)
"""Exceptions that may leave a judgement as they are."""


class judging:  # noqa: N801 (reads like a function; one made by contextlib takes four times as long, twice a call)
    """Turn an exception of ours about a call into a JudgingError that names it; not those of the system."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def __enter__(self) -> None:
        """Begin the work that is ours."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it; an exception that is neither expected nor the system's becomes a JudgingError."""
        if kind is not None and issubclass(kind, Exception) and not issubclass(kind, NOT_OURS):
            about = f"{self._call.function}: {kind.__name__}: {error}"
            raise JudgingError(f"our own error while judging {about}") from error
