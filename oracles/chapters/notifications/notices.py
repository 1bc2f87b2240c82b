"""Registered callbacks, and checks of their calls: time, number and order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.engine import symptoms
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.wants import Complaint, Such, settled
from clconform.oracles.engine.wording import by_entry
from clconform.oracles.model.registrations import Registration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import CalledBack
    from clconform.oracles.engine.symptoms import Symptom
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.model.world import Model

PATIENCE_MS = 2000
"""Time in milliseconds after which a callback that must be called counts as never called."""


@dataclass(eq=False)
class Notice(Registration):
    """A callback registration, with the conditions for its call and the expected arguments."""

    once = True
    """Whether the callback may be called only once."""

    def expected(self, model: Model) -> dict[str, Want]:
        """Return parameter to expected value, for the arguments other than the user data."""
        del model
        return {}

    def too_early(self, model: Model) -> Complaint | None:
        """Return a mismatch if the condition of the callback cannot hold yet."""
        del model
        return None

    def reached(self, model: Model) -> bool:
        """Return whether the condition of the callback certainly holds."""
        raise NotImplementedError

    def owed(self, model: Model) -> bool:
        """Return whether the callback must be called soon."""
        return self.reached(model)

    def never_called(self) -> Symptom:
        """Return the symptom of a callback that is never called, which is equal for equal registrations."""
        return symptoms.NEVER_CALLED

    def blamed(self, model: Model) -> str:
        """Return the requirement that a missing call is attributed to."""
        del model
        return self.record

    def came(self, model: Model) -> None:
        """Record the facts that a call of the callback implies."""
        del model

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the further requirements that an argument covers; for '', those that the call itself covers."""
        del parameter, model
        return ()

    def out_of_turn(self, later: Iterable[Notice]) -> Complaint | None:
        """Return a mismatch if a later registration must be called first."""
        del later
        return None


def notices_of(model: Model) -> list[Notice]:
    """Return all callback registrations of the example, in order."""
    return [each for each in model.registered if isinstance(each, Notice)]


def take(called: Iterable[CalledBack], model: Model) -> tuple[list[Complaint], set[str]]:
    """Check callbacks that were called; return the mismatches and the covered requirements."""
    complaints: list[Complaint] = []
    records: set[str] = set()
    for each in called:
        notice, found = _meant(each, model)
        if notice is None:
            continue  # a registration that failed, or one for an object that the model does not know
        found += _judged(notice, model)
        shown = (notice.record, *notice.shown_by("", model))
        records.update(shown, *(notice.shown_by(parameter, model) for parameter in each.arguments))
        notice.times += 1
        notice.came(model)
        complaints += found
    return complaints, records - {record for each in complaints for record in (each.record, *each.also)}


def missing(name: str, model: Model, milliseconds: int) -> list[Complaint]:
    """Return mismatches for callbacks of a name that should have been called; none if the wait was too short."""
    if milliseconds < PATIENCE_MS:
        return []
    reading = May("deadline-of-a-callback")
    allowed = by_entry(f"{name} called within {milliseconds} ms", reading)
    return [
        Complaint(
            notice.blamed(model),
            allowed,
            "not called",
            notice.never_called(),
            reading=reading,
            also=notice.shown_by("", model),
        )
        for notice in notices_of(model)
        if notice.name == name and notice.times == 0 and notice.owed(model)
    ]


def ripe(model: Model) -> Iterator[Notice]:
    """Yield the registrations that should be called by now, the last registered first."""
    for notice in reversed(notices_of(model)):
        if notice.times == 0 and (notice.reached(model) or notice.owed(model)):
            yield notice


def _meant(called: CalledBack, model: Model) -> tuple[Notice | None, list[Complaint]]:
    """Return the registration that a called callback belongs to, and the mismatches of its arguments."""
    candidates = [
        (notice, _differences(notice, called, model)) for notice in notices_of(model) if notice.name == called.name
    ]
    candidates.sort(key=lambda each: (len(each[1]), len(_judged(each[0], model))))
    return candidates[0] if candidates else (None, [])


def _judged(notice: Notice, model: Model) -> list[Complaint]:
    """Return the mismatches of the time and order of a call."""
    if notice.times and notice.once:
        return [Complaint(notice.record, "called once", f"called {notice.times + 1} times", symptoms.CALLED_AGAIN)]
    every = notices_of(model)
    later = every[every.index(notice) + 1 :]
    found = (notice.too_early(model), notice.out_of_turn(later))
    return [complaint for complaint in found if complaint is not None]


def _differences(notice: Notice, called: CalledBack, model: Model) -> list[Complaint]:
    """Return the mismatches of a call's arguments, if it belongs to this registration."""
    found = []
    if called.arguments.get("user_data") != notice.user_data:
        wrong, right = called.arguments.get("user_data"), notice.user_data
        told, also = symptoms.OTHER_USER_DATA, notice.shown_by("user_data", model)
        found.append(Complaint(notice.record, f"user_data = {right}", f"user_data = {wrong}", told, also=also))
    for parameter, want in notice.expected(model).items():
        value = called.arguments.get(parameter)
        for complaint in settled(want, list(value) if isinstance(value, list) else [value])[0]:
            allowed, observed = f"{parameter} = {complaint.allowed}", f"{parameter} = {complaint.observed}"
            symptom = symptoms.other_argument(parameter, want.demand if isinstance(want, Such) else None)
            also = notice.shown_by(parameter, model)
            found.append(Complaint(notice.record, allowed, observed, symptom, also=also))
    return found
