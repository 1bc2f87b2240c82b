"""Symptoms and their codes: equal deviations have the same function, requirements and symptom code.

A deviation's id is the digest of its function, its requirements and its symptom code, and users store ids in their
files of known deviations. So a published code is never reworded, even if it reads badly or is incorrect: ``allowed``
and ``observed`` are the texts for people, and can be corrected at any time. A new symptom gets a new constant or
function here; no other module creates a ``Symptom``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NewType

from clconform.calls import deviation_keys
from clconform.calls.call import UNTOUCHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Absent

Demand = NewType("Demand", str)
"""The part of a symptom code that names the expected value of a callback's argument. It is never reworded either."""


@dataclass(frozen=True)
class Symptom:
    """One symptom, by its ``code``: a nonempty text. ValueError for an empty one."""

    code: str

    def __post_init__(self) -> None:
        if not self.code:
            raise ValueError("a symptom without a code")


# Results of calls


CODE_NOT_REQUESTED = Symptom("an error")
"""A creating call failed, and the application did not request the error code."""

ERRCODE_NOT_WRITTEN = Symptom("errcode_ret left as it was")
"""A creating call returned without writing errcode_ret."""

NULL_WITH_SUCCESS = Symptom("NULL with CL_SUCCESS")
"""A creating call reports success but does not return an object."""


NULL_WITH_ERROR = Symptom("NULL with an error that comes with an object")
"""A creating call reports an error with which it must return an object, but returns NULL."""


def unexpected_result(name: str) -> Symptom:
    """Return the symptom of an unexpected result: the name of an error code or of CL_SUCCESS, a number, or ``NULL``."""
    return Symptom(name)


def object_with_error(name: str) -> Symptom:
    """Return the symptom of a creating call that returns an object together with this error code."""
    return Symptom(f"an object with {name}")


# The driver's process, and missing functions


NO_RETURN = Symptom("no answer")
"""A call did not return within its time limit."""

RETURNED_TOO_EARLY = Symptom("returned too early")
"""A call returned before the end of the commands for which it must wait."""


def process_ended(how: str, detail: str) -> Symptom:
    """Return the symptom of a call during which the driver's process ended; parameters as in ``calls.call.Died``."""
    return Symptom(f"{how} {detail}".strip())


HEAP_CORRUPTED = Symptom("heap spoilt")
"""A call wrote to memory of the allocator; the process ends in a later call."""


def function_absent(function: str, found: Absent) -> Symptom:
    """Return the symptom of a missing function that the platform promises.

    The codes are sentences because they were published so. They are built from ``found.lookup``, not from the text for
    people. Stored outcomes of earlier versions have no ``lookup``; their code is the text.
    """
    lookup = found.lookup
    if lookup is None:
        return Symptom(f"{found.how}: {found.detail}")
    if found.how == "empty-entry":
        at = f"entry {lookup.entry} of the driver's dispatch table"
        holds = {"nothing": "holds nothing", "no-code": "holds no address of a function"}[lookup.entry_content]
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
"""A string's last character is not a zero."""

EARLY_TERMINATOR = Symptom("a terminator inside")
"""A string has a zero before its end."""

OTHER_SIZE = Symptom("other size")
"""A query's param_value_size_ret differs from the size of the value that it wrote."""

HANDLE_IN_USE = Symptom("the handle of a living object again")
"""A new object has the handle of a live object."""


MAX_NAMED_ELEMENTS = 1024
"""Maximum number of elements of an output that a code names."""


def unexpected_values(requirements: Iterable[str]) -> Symptom:
    """Return the symptom of a result or output whose values these requirements do not allow."""
    return Symptom(f"other values than {' + '.join(requirements)} allows")


def no_new_handles(seen: Sequence[object]) -> Symptom:
    """Return the symptom of an output without distinct new handles; ``seen``: its names, Nones and ``UNTOUCHED``."""
    words = [
        "NULL" if each is None else "untouched" if each == UNTOUCHED else str(each)
        for each in seen[:MAX_NAMED_ELEMENTS]
    ]
    if len(seen) > MAX_NAMED_ELEMENTS:
        words.append(f"{len(seen)} elements")
    return Symptom(words[0] if len(words) == 1 else "{" + ", ".join(words) + "}")


def unexpected_handle_count(number: int) -> Symptom:
    """Return the symptom of a partition that wrote this number of handles, but reported a different number."""
    return Symptom(f"{number} handles")


def excess_sub_devices(number: int) -> Symptom:
    """Return the symptom of a partition that created this number of sub-devices, more than its device allows."""
    return Symptom(f"{number} sub-devices")


# Memory


UNEXPECTED_BYTES = Symptom(deviation_keys.UNEXPECTED_BYTES)
"""Memory does not contain the bytes that the commands wrote."""

BYTES_OF_ANOTHER_PROCESS = Symptom("bytes that a process before has written")
"""Memory contains a marker that only an earlier driver process wrote."""


def buffer_overrun(parameters: Sequence[str]) -> Symptom:
    """Return the symptom of a call that wrote past the end of the output buffers of these parameters."""
    return Symptom(f"{', '.join(parameters)} overrun")


# Callbacks


NEVER_CALLED = Symptom("a callback never comes")
"""A callback that must be called was not called within the time limit."""

CALLED_AGAIN = Symptom("called again")
"""A callback that must be called only once is called again."""

CALLED_TOO_EARLY = Symptom("called too early")
"""A callback reports a state that cannot have been reached yet."""

CALLED_TOO_LATE = Symptom("called too late")
"""A callback is called after the time at which it must have been called."""

UNEXPECTED_ORDER = Symptom("wrong order")
"""Callbacks of one object are called in an unexpected order."""

OTHER_USER_DATA = Symptom("other user data")
"""A callback gets a user_data other than the registered one."""

AN_ERROR_CODE = Demand("an error code")
"""The argument must be a negative number."""

AN_ERROR_TOO = Demand("an error too")
"""The argument must be the registered value or a negative number."""


def never_called_for(status: int, *, late: bool) -> Symptom:
    """Return the symptom of an event callback that is not called for ``status``.

    ``late``: the callback was registered after the event had reached this status.
    """
    return Symptom(f"a callback for {'a past ' if late else ''}status {status} never comes")


def unexpected_argument(parameter: str, demand: Demand | None = None) -> Symptom:
    """Return the symptom of an unexpected callback argument; ``demand``: the allowed values, if there are several."""
    return Symptom(f"another {parameter}{f' than {demand}' if demand else ''}")
