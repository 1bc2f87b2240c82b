"""The codes of symptoms: what equal deviations have in common, beside their function and their records.

A deviation's id is the digest of its function, its records and the code of its symptom, and users keep ids in their
files of known deviations. So a code, once published, is never reworded, not even where it reads badly or is wrong: the
texts for people are ``allowed`` and ``observed``, which may be corrected at any time. A new kind of symptom gets a new
constant or function here; nobody else makes a ``Symptom``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NewType

from clconform.calls.call import UNTOUCHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Absent

Demand = NewType("Demand", str)
"""The code of what is asked of a value, where a symptom's code has it inside. The same rule holds for it."""


@dataclass(frozen=True)
class Symptom:
    """One symptom, by its ``code``: a text of any letters, never empty. ValueError for an empty one."""

    code: str

    def __post_init__(self) -> None:
        if not self.code:
            raise ValueError("a symptom without a code")


# What a call answers


UNTOLD = Symptom("an error")
"""A creating call has failed, and the application has not asked for the error code."""

ERRCODE_NOT_WRITTEN = Symptom("errcode_ret left as it was")
"""A creating call has returned, and the room given for its error code is as it was before."""

NULL_WITH_SUCCESS = Symptom("NULL with CL_SUCCESS")
"""A creating call tells success and returns no object."""


def returned(name: str) -> Symptom:
    """A call has returned what it may not: a code by its name (``CL_SUCCESS`` too), a number without one, ``NULL``."""
    return Symptom(name)


def object_with(name: str) -> Symptom:
    """A creating call returns an object, and tells the error code of that name."""
    return Symptom(f"an object with {name}")


# What becomes of the driver's process, or was never there


NO_ANSWER = Symptom("no answer")
"""A call has not come back, however long was waited."""


def died(how: str, detail: str) -> Symptom:
    """A call has ended the driver's process; ``how`` and ``detail``: as in ``calls.call.Died``."""
    return Symptom(f"{how} {detail}".strip())


def absent(function: str, found: Absent) -> Symptom:
    """There is nothing to call where the platform promises a function.

    Its codes are sentences since they were published so; they are made here, of what was found, and not of the text
    that people read. Only outcomes that were stored before ``found`` had ``lookup`` have their code in that text.
    """
    lookup = found.lookup
    if lookup is None:
        return Symptom(f"{found.how}: {found.detail}")
    if found.how == "empty-entry":
        at = f"entry {lookup.entry} of the driver's dispatch table"
        holds = {"nothing": "holds nothing", "no-code": "holds no address of a function"}[lookup.holds]
        library = {
            "": "",
            "has": "; the driver's library knows the function",
            "lacks": "; the driver's library does not know the function either",
        }[lookup.library]
        return Symptom(f"empty-entry: the loader hands out its own address for {function}, but {at} {holds}{library}")
    code = {
        "loader": f"no-entry: the loader {lookup.path} does not know {function}",
        "library": f"no-entry: {lookup.path} does not know {function}",
        "table": f"no-entry: entry {lookup.entry} ({function}) of the driver's dispatch table is empty",
    }[lookup.where]
    return Symptom(code)


# Values and handles


NO_TERMINATOR = Symptom("no terminator")
"""A string's last character is no zero."""

TERMINATOR_INSIDE = Symptom("a terminator inside")
"""A string has a zero before its end."""

OTHER_SIZE = Symptom("other size")
"""A query's size returned is not that of the answer that it has written."""

HANDLE_OF_LIVING = Symptom("the handle of a living object again")
"""A new object has the handle of one that is still there."""


def other_values(records: Iterable[str]) -> Symptom:
    """A result, or the values of an output, are others than these records allow, whatever they are."""
    return Symptom(f"other values than {' + '.join(records)} allows")


def no_new_handles(seen: Sequence[object]) -> Symptom:
    """In place of new handles, each another one, stand these: names of objects, None, or ``UNTOUCHED``."""
    words = ["NULL" if each is None else "untouched" if each == UNTOUCHED else str(each) for each in seen]
    return Symptom(words[0] if len(words) == 1 else "{" + ", ".join(words) + "}")


def handles_made(number: int) -> Symptom:
    """A partition has written so many handles, and has told another number."""
    return Symptom(f"{number} handles")


def sub_devices(number: int) -> Symptom:
    """A partition has made so many sub-devices, which is more than its device allows."""
    return Symptom(f"{number} sub-devices")


# Memory


WRONG_BYTES = Symptom("wrong bytes")
"""Memory holds other bytes than its commands have put there."""

BYTES_OF_ANOTHER_PROCESS = Symptom("bytes that a process before has written")
"""Memory shows a mark that only an earlier process of the driver was given."""


def overrun(places: Sequence[str]) -> Symptom:
    """A call has written outside the room given; ``places``: the parameters, in the order in which they were told."""
    return Symptom(f"{', '.join(places)} overrun")


# Callbacks


NEVER_CALLED = Symptom("a callback never comes")
"""A callback that has to be called is not, in the time that is waited for it."""

CALLED_AGAIN = Symptom("called again")
"""A callback that is called once is called a second time."""

CALLED_TOO_EARLY = Symptom("called too early")
"""A callback tells of what cannot have come about yet."""

CALLED_TOO_LATE = Symptom("called too late")
"""A callback is called after the time in which it may be."""

WRONG_ORDER = Symptom("wrong order")
"""Callbacks of one object are called in another order than the documents say."""

OTHER_USER_DATA = Symptom("other user data")
"""A callback is handed another pointer than the one that was registered with it."""

AN_ERROR_CODE = Demand("an error code")
"""The argument must be a negative number."""

AN_ERROR_TOO = Demand("an error too")
"""The argument must be the value registered, or a negative number."""


def never_called_for(status: int, *, late: bool) -> Symptom:
    """A callback for an event's status is not called; ``late``: the status was past when it was registered."""
    return Symptom(f"a callback for {'a past ' if late else ''}status {status} never comes")


def other_argument(parameter: str, demand: Demand | None = None) -> Symptom:
    """A callback is handed another argument than it must be; ``demand``: what is asked of it, where no value is."""
    return Symptom(f"another {parameter}{f' than {demand}' if demand else ''}")
