"""The messages between the session and a worker process.

A worker first sends ``TargetReached`` or ``TargetUnreachable``. Then it replies to every ``MakeCall`` with one
``Outcome``, to every ``MakeConcurrentCalls`` with one ``ConcurrentOutcomes``, to every ``BeginCall`` with ``Begun`` and
to every ``RestoreObject`` with ``Returned``; to every ``AwaitCall`` with ``CallEnded``, or with ``CallPending`` if the
call has not returned in time. While calls on other host threads are pending, the reply to ``MakeCall`` is also
``CallEnded``. ``BeginExample``, ``ForgetObjects`` and ``KeepObject`` have no reply. The worker replies with
``RequestRefused`` if the request is invalid, or if an earlier request without a reply was invalid.
"""

from __future__ import annotations

from typing import Union

import msgspec

from clconform.calls.call import Absent, Begun, Call, Died, Hung, Returned
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES


class MakeCall(msgspec.Struct, frozen=True, tag_field="say", tag="ask"):
    """Make this call."""

    call: Call


class MakeConcurrentCalls(msgspec.Struct, frozen=True, tag_field="say", tag="ask-together"):
    """Make these calls, at least one, concurrently, each on its own host thread; all of them or none."""

    calls: list[Call]


class BeginCall(msgspec.Struct, frozen=True, tag_field="say", tag="begin-on"):
    """Begin this call on the host thread ``host_thread``, numbered from 1, which has no pending call."""

    host_thread: int
    call: Call


class AwaitCall(msgspec.Struct, frozen=True, tag_field="say", tag="end-on"):
    """Wait at most ``seconds`` until the pending call on a host thread returns."""

    host_thread: int
    seconds: float


class KeepObject(msgspec.Struct, frozen=True, tag_field="say", tag="put-aside"):
    """Keep this object, without its name, for later examples; kept objects are numbered from 0."""

    name: str


class RestoreObject(msgspec.Struct, frozen=True, tag_field="say", tag="take-back"):
    """Assign a new name to the kept object with this number, as if the object was seen for the first time."""

    number: int


class BeginExample(msgspec.Struct, frozen=True, tag_field="say", tag="begin"):
    """Begin an example: drop all names but those of platforms and root devices, and restart the serial numbers."""


class ForgetObjects(msgspec.Struct, frozen=True, tag_field="say", tag="forget"):
    """Forget these objects, which no longer exist in the model: a reused address is a new object with a new name."""

    names: list[str]


Request = Union[  # noqa: UP007 (msgspec reads it at run time)
    MakeCall,
    MakeConcurrentCalls,
    BeginCall,
    AwaitCall,
    KeepObject,
    RestoreObject,
    BeginExample,
    ForgetObjects,
]

WITHOUT_REPLY = (KeepObject, BeginExample, ForgetObjects)


class RequestRefused(msgspec.Struct, frozen=True, tag_field="is", tag="refused"):
    """The call was not made because it cannot be expressed in C: a bug of the caller; ``reason``: one line."""

    reason: str


class ConcurrentOutcomes(msgspec.Struct, frozen=True, tag_field="is", tag="together"):
    """The outcomes of concurrent calls, in the order of the request."""

    outcomes: list[Union[Returned, Absent]]  # noqa: UP007 (msgspec reads it at run time)


class CallEnded(msgspec.Struct, frozen=True, tag_field="is", tag="ended"):
    """A call's outcome, with the positions of its begin and its end in the order of all host threads.

    The call entered the driver after position ``entered`` and left it before ``returned``. Both are 0 if the driver was
    not called.
    """

    outcome: Union[Returned, Absent]  # noqa: UP007 (msgspec reads it at run time)
    entered: int = 0
    returned: int = 0


class CallPending(msgspec.Struct, frozen=True, tag_field="is", tag="under-way"):
    """The call on the host thread has not returned yet."""


class DeviceIdentity(msgspec.Struct, frozen=True):
    """The properties that a root device reports; ``handle``: its name in calls. Strings may be hostile."""

    handle: str
    name: str
    type: int
    version: str
    driver_version: str
    compute_units: int


class PlatformIdentity(msgspec.Struct, frozen=True):
    """The properties that a platform reports; ``handle``: its name in calls. Strings may be hostile."""

    handle: str
    name: str
    vendor: str
    version: str
    profile: str
    extensions: str
    devices: list[DeviceIdentity]


class TargetReached(msgspec.Struct, frozen=True, tag_field="say", tag="reached"):
    """The platforms found.

    ``access``: ``loader``, ``direct``, ``simulated``. ``loader``, ``libraries``: file paths. ``missing``: functions
    whose address the loader returns although the driver left their entry of the dispatch table empty, each with the
    content of the entry; calling such a function would end the process. ``pointer_bytes``: the size of a pointer and of
    size_t on the machine on which the driver runs.
    """

    access: str
    loader: str
    libraries: list[str]
    platforms: list[PlatformIdentity]
    missing: dict[str, str] = {}
    pointer_bytes: int = DEFAULT_POINTER_BYTES


class TargetUnreachable(msgspec.Struct, frozen=True, tag_field="say", tag="unreachable"):
    """No testable platform was found; ``reason`` is one line that states what to do."""

    reason: str


Greeting = Union[TargetReached, TargetUnreachable]  # noqa: UP007 (msgspec reads it at run time)
WorkerReply = Union[  # noqa: UP007 (msgspec reads it at run time)
    Returned, Died, Hung, Absent, RequestRefused, ConcurrentOutcomes, Begun, CallEnded, CallPending
]
