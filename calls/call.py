"""One call and its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, Union

import msgspec

from clconform.calls.values import Value, find_handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.values import Handle

GARBAGE = "garbage"
"""The value of ``Died.how`` after a reply that is impossible for its call; the process cannot be used any more."""
CHANGED = "changed"
"""The value of ``Died.how`` after a driver has changed its process so that the harness cannot use it any more."""
POINTED_OBJECTS, SHOWN_BYTES = "objects", 4
"""The name of the entry in a callback's arguments for the memory at its pointers, and the bytes recorded for each."""
UNTOUCHED = "untouched"
"""The value of an output element that still holds the fill pattern."""


class NumberReference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The origin of a number in an argument: ``factor`` times a number in an earlier outcome, plus ``offset``.

    ``parameter``: the argument. ``position``: the index of the number in the argument's list; -1 for a number, an
    output buffer, or a pointer with an offset. ``step``: the id of the earlier step. ``output``, ``element``: the
    parameter of the output, and the index of the number in it.
    """

    parameter: str
    step: int
    output: str
    position: int = -1
    element: int = 0
    factor: int = 1
    offset: int = 0


class Call(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """A call: the function's name, and its arguments under their parameter names, in the prototype's order.

    An argument is readable as an attribute (``call.in_device``), so that a predicate resembles its condition.
    ``references``: the origins of its numbers that came from the outcomes of earlier calls of the same sequence.
    """

    function: str
    arguments: dict[str, Value]
    references: tuple[NumberReference, ...] = ()

    def __getattr__(self, name: str) -> Any:
        """Return the argument of that name; an AttributeError for an unknown name lists the known ones.

        The first access caches the arguments as attributes: judging a call reads about ten of them.
        """
        try:
            value = self.arguments[name]
        except KeyError:
            known = ", ".join(self.arguments)
            raise AttributeError(f"{self.function} has no parameter {name!r}; it has {known}") from None
        msgspec.structs.force_setattr(self, "__dict__", self.arguments)
        return value


class Output(msgspec.Struct, frozen=True, omit_defaults=True):
    r"""The contents of one ``OutputBuffer`` after a call.

    ``values``: the elements, decoded by type (numbers, names of handles, None for NULL); ``UNTOUCHED``
    for an element whose bytes still hold the fill pattern. For ``void`` and ``char`` buffers of a query whose type the
    tables know: its elements, or one str for a string (invalid UTF-8 as backslash escapes, the terminator kept as
    ``\x00`` so that a missing one is visible); otherwise no values.

    ``written``: the number of bytes from the start to the last one that changed. ``raw``: the bytes of a ``void`` or
    ``char`` buffer, up to ``written``; else empty. ``unrecorded``: a recording does not have the contents.

    ``digest``: set for a stored output that was truncated: ``values`` and ``raw`` are then its beginning, ``count`` is
    the number of all its values, and ``written`` the number of all its bytes; empty for a complete output.
    """

    values: list[int | float | str | None] = []
    written: int = 0
    raw: bytes = b""
    unrecorded: bool = False
    count: int = 0
    digest: str = ""


class CallbackInvocation(msgspec.Struct, frozen=True):
    """One invocation of a callback.

    ``arguments``: maps parameters of the callback's prototype to numbers, texts, names of handles, lists of these, or
    None for NULL. An unnamed parameter has as value the bytes at the pointer as hexadecimal digits, without the
    pointers among them; the value of ``POINTED_OBJECTS`` is then the first bytes at each of these inner pointers.
    ``driver_thread``: the callback ran on a thread of the driver, not on a thread that makes calls.
    """

    name: str
    arguments: dict[str, Union[int, str, list[Union[int, str, None]], None]] = {}  # noqa: UP007 (msgspec reads it)
    driver_thread: bool = False


class MemoryReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """Memory that a session has read, after a call returned unexpected bytes, to decide which function wrote them.

    ``function``: the function that read the memory, or empty if the memory cannot be read. ``content``: its bytes.
    """

    function: str = ""
    content: bytes = b""


class Returned(msgspec.Struct, frozen=True, tag_field="is", tag="returned"):
    """The driver returned.

    ``value``: the function's result: a number, a handle's name, or None for NULL and void. ``outputs``: maps each
    parameter with an ``OutputBuffer`` to its output. ``overrun``: parameters whose guard bytes were changed.
    ``callbacks``: the callbacks that were invoked since the last outcome, in order. ``seconds``: the time inside the
    driver.

    ``alignment``: if the result is the address of memory, the largest power of two up to 4096 that divides it; if an
    output holds bus addresses, the largest one that divides all of them. ``readings``: the memory that was read again,
    in the order of the oracle's requests, if the outputs contain unexpected bytes.
    """

    value: int | float | str | None
    outputs: dict[str, Output] = {}
    overrun: list[str] = []
    callbacks: list[CallbackInvocation] = []
    seconds: float = 0.0
    alignment: int = 0
    readings: list[MemoryReading] = []

    def with_outputs(self, **changed: Output) -> Returned:
        """Return the same outcome with the outputs of the parameters in ``changed`` replaced."""
        return msgspec.structs.replace(self, outputs={**self.outputs, **changed})


class Died(msgspec.Struct, frozen=True, tag_field="is", tag="died"):
    """The driver ended its process.

    ``how``: ``signal``, ``abort``, ``exit``, ``killed`` (by the system, most likely for lack of memory), or
    ``garbage``: the harness ended the process because its reply was impossible for its call; ``last_output`` is then
    the reason. ``detail``: the signal's name or the exit code. ``last_output``: the last lines that the process
    printed. ``changed``: the driver has changed its process so that the harness could not continue; ``detail`` names
    what it has changed, and ``last_output`` is the reason. ``restart``: the machine of the driver has restarted.
    """

    how: str
    detail: str
    last_output: str = ""
    backtrace: str = ""


class Hung(msgspec.Struct, frozen=True, tag_field="is", tag="hung"):
    """The driver did not return within its deadline, and the harness killed the process.

    ``deadline``: in seconds. ``extra_seconds``: how much longer the harness waited, because the driver worked or was
    blocked.
    """

    deadline: float
    backtrace: str = ""
    extra_seconds: float = 0.0

    @property
    def seconds(self) -> float:
        """Return the seconds that the harness waited."""
        return self.deadline + self.extra_seconds


class Begun(msgspec.Struct, frozen=True, tag_field="is", tag="begun"):
    """The call has begun on a host thread; a later step ends it.

    ``entered``: the position of its begin in the order of all threads.
    """

    entered: int = 0


class FunctionLookup(msgspec.Struct, frozen=True, omit_defaults=True):
    """The lookup of an absent function, and its result.

    ``where``: ``loader`` or ``library``, whose file is ``path``, or ``table``, the driver's dispatch table, with the
    number of the function's ``entry``. ``entry_content``: the content of that entry, ``nothing`` or ``no-code`` (an
    address that is not code). ``library``: whether the driver's library ``has`` or ``lacks`` the function; empty if not
    checked.
    """

    where: str
    path: str = ""
    entry: int = -1
    entry_content: str = "nothing"
    library: str = ""


class Absent(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="absent"):
    """The function is not available; the driver was not called.

    ``how``: ``no-entry`` (neither loader nor driver knows the function), ``empty-entry`` (the loader returns an
    address, but the driver left its entry of the dispatch table empty, so that a call through it would crash).
    ``detail``: the reason as text. ``lookup``: the reason as data; None if an applicability condition excludes the
    function, and in older stored outcomes.
    """

    how: str
    detail: str
    lookup: FunctionLookup | None = None


Outcome = Union[Returned, Died, Hung, Absent]  # noqa: UP007 (msgspec reads it at run time)


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call of a sequence with its outcome; a replay needs only ``call`` and ``host_thread``.

    ``new_names``: the names of objects that occur first in this outcome, in order of appearance. ``together``: steps
    with the same nonzero number were made concurrently from several host threads.

    ``host_thread``: the host thread on which the call was begun, from 1; the outcome of the call is that of a later
    step (``host_join``). 0: the call returned before the next step. ``entered``, ``returned``: the positions of a
    call's begin and end in one order of all threads, from 1; 0 if no other call was pending.

    ``id``: identifies the step in the references of later calls to numbers in its outcome; 0 if there are none.
    """

    call: Call
    outcome: Union[Outcome, Begun]  # noqa: UP007 (msgspec reads it at run time)
    new_names: list[str] = []
    together: int = 0
    host_thread: int = 0
    entered: int = 0
    returned: int = 0
    id: int = 0


def call_handles(call: Call) -> Iterator[Handle]:
    """Yield the handles in a call's arguments."""
    for value in call.arguments.values():
        if value is not None and not isinstance(value, int):  # most arguments are numbers
            yield from find_handles(value)


_S = TypeVar("_S", bound=Step)


def group_steps(sequence: Iterable[_S]) -> list[list[_S]]:
    """Return the steps of a sequence in groups: a single call, or concurrent calls.

    Adjacent steps with the same nonzero ``together`` are concurrent.
    """
    found: list[list[_S]] = []
    for step in sequence:
        if found and step.together and found[-1][-1].together == step.together:
            found[-1].append(step)
        else:
            found.append([step])
    return found
