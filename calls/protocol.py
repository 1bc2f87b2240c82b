"""The messages between the session and a worker process.

A worker first sends ``Reached`` or ``Unreachable``. Then it answers every ``Ask`` with one ``Outcome``, every
``AskTogether`` with one ``Together``, every ``BeginOn`` with ``Begun`` and every ``TakeBack`` with ``Returned``; every
``EndOn`` with ``Ended``, or with ``UnderWay`` if the call has not returned in time. While calls are under way on lanes,
the answer to ``Ask`` is ``Ended``, too. ``Begin``, ``Forget`` and ``PutAside`` have no answer. It answers with
``Refused`` if the request itself is invalid, or one before it that has no answer.
"""

from __future__ import annotations

from typing import Union

import msgspec

from clconform.calls.call import Absent, Begun, Call, Died, Hung, Returned


class Ask(msgspec.Struct, frozen=True, tag_field="say", tag="ask"):
    """Make this call."""

    call: Call


class AskTogether(msgspec.Struct, frozen=True, tag_field="say", tag="ask-together"):
    """Make these calls, at least one, concurrently, each from its own host thread; all of them or none."""

    calls: list[Call]


class BeginOn(msgspec.Struct, frozen=True, tag_field="say", tag="begin-on"):
    """Begin this call on a host thread of its own, ``lane`` from 1, on which no other call is under way."""

    lane: int
    call: Call


class EndOn(msgspec.Struct, frozen=True, tag_field="say", tag="end-on"):
    """Wait, at most ``seconds``, until the call that is under way on a lane returns."""

    lane: int
    seconds: float


class PutAside(msgspec.Struct, frozen=True, tag_field="say", tag="put-aside"):
    """Keep this object, without its name, for later examples; the first such object has the number 0."""

    name: str


class TakeBack(msgspec.Struct, frozen=True, tag_field="say", tag="take-back"):
    """Name an object that was put aside, by its number, as if it was seen for the first time."""

    number: int


class AskWitness(msgspec.Struct, frozen=True, tag_field="say", tag="ask-witness"):
    """Have pyopencl make this query on the same handle."""

    handle: str
    param_name: int


class Begin(msgspec.Struct, frozen=True, tag_field="say", tag="begin"):
    """A new example starts: forget every name but those of the platforms and root devices, and count from one."""


class Forget(msgspec.Struct, frozen=True, tag_field="say", tag="forget"):
    """These objects no longer exist in the model: an address seen again is a new object with a new name."""

    names: list[str]


Request = Union[Ask, AskTogether, BeginOn, EndOn, PutAside, TakeBack, AskWitness, Begin, Forget]  # noqa: UP007 (msgspec reads it at run time)

WITHOUT_ANSWER = (PutAside, Begin, Forget)


class Refused(msgspec.Struct, frozen=True, tag_field="is", tag="refused"):
    """The call was not made because it cannot be expressed in C: a bug of the caller. ``reason`` is one line."""

    reason: str


class Together(msgspec.Struct, frozen=True, tag_field="is", tag="together"):
    """The outcomes of concurrent calls, in the order of the request."""

    outcomes: list[Union[Returned, Absent]]  # noqa: UP007 (msgspec reads it at run time)


class Ended(msgspec.Struct, frozen=True, tag_field="is", tag="ended"):
    """A call's outcome, with the positions of its begin and its end in the order over all lanes.

    The driver was entered after ``entered`` and left before ``returned``; 0 if it was not called.
    """

    outcome: Union[Returned, Absent]  # noqa: UP007 (msgspec reads it at run time)
    entered: int = 0
    returned: int = 0


class UnderWay(msgspec.Struct, frozen=True, tag_field="is", tag="under-way"):
    """The call on the lane has not returned yet."""


class Witnessed(msgspec.Struct, frozen=True, tag_field="is", tag="witnessed"):
    """What pyopencl returned: numbers, strings and handles' names; None if it does not support this query."""

    values: list[int | str | None] | None = None


class DeviceSeen(msgspec.Struct, frozen=True):
    """A root device as it presents itself; ``handle`` is its name in calls. Strings may be hostile."""

    handle: str
    name: str
    type: int
    version: str
    driver_version: str
    compute_units: int


class PlatformSeen(msgspec.Struct, frozen=True):
    """A platform as it presents itself; ``handle`` is its name in calls. Strings may be hostile."""

    handle: str
    name: str
    vendor: str
    version: str
    profile: str
    extensions: str
    devices: list[DeviceSeen]


class Reached(msgspec.Struct, frozen=True, tag_field="say", tag="reached"):
    """The platforms found. ``access``: ``loader``, ``direct``, ``simulated``; ``loader``, ``libraries``: file paths.

    ``missing``: functions whose address the loader returns although the driver left their entry of the dispatch table
    empty, each with what was found there: a call of one would end the process.
    """

    access: str
    loader: str
    libraries: list[str]
    platforms: list[PlatformSeen]
    missing: dict[str, str] = {}


class Unreachable(msgspec.Struct, frozen=True, tag_field="say", tag="unreachable"):
    """Nothing that could be tested was found; ``reason`` is one line that says what to do."""

    reason: str


Greeting = Union[Reached, Unreachable]  # noqa: UP007 (msgspec reads it at run time)
Answer = Union[  # noqa: UP007 (msgspec reads it at run time)
    Returned, Died, Hung, Absent, Refused, Together, Begun, Ended, UnderWay, Witnessed
]
