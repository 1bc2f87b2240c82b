"""Selects the calls that led to a finding: they created or last used its objects, or enqueued pending commands."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import call_handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Step
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model
    from clconform.validation.pending_call import PendingCall

_MAX_RELEASED = 4096
"""Maximum number of released objects for which the releasing call is stored."""
_MAX_RECENT = 64
"""Maximum number of stored calls that created no objects; queries are not stored."""
_MAX_CALLS = 24
_MAX_OF_A_KIND = 6
"""Maximum number of listed calls of each kind, in addition to the creating calls: latest uses, and pending commands."""
_UBIQUITOUS_PREFIXES = ("platform", "device", "context", "queue")
"""Prefixes of the names of objects that nearly every call uses."""
_SINGLE_OBJECT_PREFIXES = ("clRelease", "clRetain", "clGet", "clSet")
"""Prefixes of the names of functions whose calls concern their first object, even if nearly every call uses it."""
_CALL = re.compile(r"\bcall (\d+)")


class KnownCall(NamedTuple):
    """A call of the program with its outcome."""

    begun: PendingCall
    step: Step

    @property
    def object_names(self) -> set[str]:
        """The names of the objects that the call concerns, without objects that nearly every call uses."""
        names = {each.name for each in call_handles(self.step.call)}
        found = {each for each in names if not each.startswith(_UBIQUITOUS_PREFIXES)}
        return found or (names if self.step.call.function.startswith(_SINGLE_OBJECT_PREFIXES) else found)


class EnqueuedCommand(NamedTuple):
    """A command, with the call that enqueued the command."""

    command: Command
    known: KnownCall


class CallHistory:
    """The calls of a recording that findings may list.

    The number of stored calls is limited.
    """

    def __init__(self) -> None:
        self._made_by: dict[str, KnownCall] = {}
        self._gone: dict[str, tuple[KnownCall | None, PendingCall]] = {}
        self._let_go: dict[str, PendingCall] = {}
        self._recent: deque[KnownCall] = deque(maxlen=_MAX_RECENT)
        self._enqueued: dict[Command, EnqueuedCommand] = {}
        self._enqueued_by: dict[int, Command] = {}

    def add(self, begun: PendingCall, step: Step, model: Model) -> None:
        """Store a successful call unless it is a query, and the command that the call enqueued."""
        if step.call.function.startswith("clGet"):
            return
        known = KnownCall(begun, step)
        self._recent.append(known)
        pending, latest = model.commands.pending, model.commands.latest
        if latest is not None and latest not in self._enqueued and latest.function == step.call.function:
            self._enqueued[latest] = EnqueuedCommand(latest, known)
            self._enqueued_by[begun.entered.sequence] = latest
            if len(self._enqueued) > 2 * len(pending) + _MAX_RECENT:
                self._enqueued = {key: each for key, each in self._enqueued.items() if key in pending}
                self._enqueued_by = {key: each for key, each in self._enqueued_by.items() if each in pending}

    def note_created(self, begun: PendingCall, step: Step, names: Iterable[str]) -> None:
        """Store the call that created objects, or that was the first to return these objects."""
        known = KnownCall(begun, step)
        for name in names:
            self._made_by.setdefault(name, known)

    def note_released(self, name: str, begun: PendingCall) -> None:
        """Store the call that released an object, in case the program uses the object afterwards."""
        self._gone[name] = self._made_by.pop(name, None), begun
        if len(self._gone) > _MAX_RELEASED:
            del self._gone[next(iter(self._gone))]

    def creating_call(self, name: str) -> KnownCall | None:
        """Return the call that created an existing object, or None if it is unknown."""
        return self._made_by.get(name)

    def find_command(self, sequence: int) -> EnqueuedCommand | None:
        """Return the command that the call with this sequence number enqueued; None if it is known to be complete."""
        command = self._enqueued_by.get(sequence)
        return self._enqueued.get(command) if command is not None else None

    def enqueuing_call(self, command: Command) -> KnownCall | None:
        """Return the call that enqueued a command, or None if it is unknown."""
        found = self._enqueued.get(command)
        return found.known if found is not None else None

    def note_last_release(self, name: str, begun: PendingCall) -> None:
        """Store the call that released the program's last reference to an object; another object keeps it alive."""
        self._let_go[name] = begun
        if len(self._let_go) > _MAX_RELEASED:
            del self._let_go[next(iter(self._let_go))]

    def releasing_call(self, name: str) -> PendingCall | None:
        """Return the call that released the program's last reference to an object, or None if it is unknown."""
        if name in self._let_go:
            return self._let_go[name]
        return self._gone[name][1] if name in self._gone else None

    def first_call(self, name: str) -> KnownCall | None:
        """Return the call that created an object, even if the object no longer exists; None if it is unknown."""
        return self._creating_call_of(name)

    def calls_before(self, begun: PendingCall, step: Step, model: Model, words: str) -> list[KnownCall]:
        """Return the calls that led to the call ``begun``, in order.

        These are the calls that created its objects and related objects, and the latest calls that used them. Related
        objects are derived from the objects of the call. ``words``: the text of the finding; calls whose numbers it
        mentions are included. Commands that may be incomplete are included if they use the same objects, or wait for a
        user event.
        """
        names = KnownCall(begun, step).object_names
        found: dict[int, KnownCall] = {}
        numbers = {int(number) for number in _CALL.findall(words)}
        self._add_latest(found, (each for each in self._recent if each.begun.number in numbers))
        self._add_latest(found, self._unfinished(names, model, numbers))
        self._add_latest(found, (each for each in self._recent if names & each.object_names))
        self._add_latest(found, (each for each in self._made_by.values() if names & each.object_names))
        open_ = [each.name for each in call_handles(step.call)]
        open_ += [each.name for known in found.values() for each in call_handles(known.step.call)]
        while open_ and len(found) < _MAX_CALLS:
            made = self._creating_call_of(open_.pop())
            if made is not None and made.begun.number not in found:
                found[made.begun.number] = made
                open_ += [handle.name for handle in call_handles(made.step.call)]
        return [found[number] for number in sorted(found) if number < begun.number]

    def _creating_call_of(self, name: str) -> KnownCall | None:
        return self._made_by.get(name) or (self._gone[name][0] if name in self._gone else None)

    def _unfinished(self, names: set[str], model: Model, numbers: set[int]) -> Iterator[KnownCall]:
        for command, (_, known) in self._enqueued.items():
            is_waiting = command in model.commands.pending
            if known.begun.number in numbers or (
                is_waiting and (command.waits_indefinitely or names & known.object_names)
            ):
                yield known

    @staticmethod
    def _add_latest(found: dict[int, KnownCall], calls: Iterable[KnownCall]) -> None:
        latest: deque[KnownCall] = deque(maxlen=_MAX_OF_A_KIND)
        for each in calls:
            if each.begun.number not in found:
                latest.append(each)
        found.update({each.begun.number: each for each in latest})
