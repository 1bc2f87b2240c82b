"""Registered callbacks, and checks of their calls: time, number and order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import Mismatch, Satisfies, match_values
from clconform.oracles.engine.wording import cite_interpretation
from clconform.oracles.model.callback_registrations import CallbackRegistration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import CallbackInvocation
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.engine.symptoms import Symptom
    from clconform.oracles.model.state import Model

PATIENCE_MS = 2000
"""Time in milliseconds after which a callback that must be called counts as never called."""


@dataclass(eq=False)
class PendingCallback(CallbackRegistration):
    """A callback registration, with the conditions for its call and the expected arguments."""

    once = True
    """Whether the callback may be called only once."""

    def expected_arguments(self, model: Model) -> dict[str, Matcher]:
        """Map the callback's parameters other than user_data to their expected values."""
        del model
        return {}

    def check_too_early(self, model: Model) -> Mismatch | None:
        """Return a mismatch if the condition for calling the callback cannot hold yet."""
        del model
        return None

    def is_due(self, model: Model) -> bool:
        """Return whether the condition for calling the callback certainly holds."""
        raise NotImplementedError

    def must_be_called(self, model: Model) -> bool:
        """Return whether the driver must call the callback soon."""
        return self.is_due(model)

    def missing_symptom(self) -> Symptom:
        """Return the symptom of a callback that is never called. Equal registrations have the same symptom."""
        return symptoms.NEVER_CALLED

    def responsible_requirement(self, model: Model) -> str:
        """Return the requirement to which a missing call of the callback is attributed."""
        del model
        return self.requirement

    def record_call(self, model: Model) -> None:
        """Record the facts that a call of the callback implies."""
        del model

    def covered_requirements(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements, besides that of the registration, that a callback argument covers.

        For '', return the requirements that the call itself covers.
        """
        del parameter, model
        return ()

    def check_order(self, later: Iterable[PendingCallback]) -> Mismatch | None:
        """Return a mismatch if the callback of a later registration must be called before this callback."""
        del later
        return None


def pending_callbacks(model: Model) -> list[PendingCallback]:
    """Return all callback registrations of the example, in order."""
    return [each for each in model.callback_registrations if isinstance(each, PendingCallback)]


def check_called(called: Iterable[CallbackInvocation], model: Model) -> tuple[list[Mismatch], set[str]]:
    """Check callbacks that were called. Return the mismatches and the covered requirements."""
    complaints: list[Mismatch] = []
    requirements: set[str] = set()
    for each in called:
        notice, found = _match_registration(each, model)
        if notice is None:
            continue  # a registration that failed, or one for an object that the model does not know
        found += _check_time(notice, model)
        shown = (notice.requirement, *notice.covered_requirements("", model))
        requirements.update(shown, *(notice.covered_requirements(parameter, model) for parameter in each.arguments))
        notice.call_count += 1
        notice.record_call(model)
        complaints += found
    return complaints, requirements - {
        requirement for each in complaints for requirement in (each.requirement, *each.also_violated)
    }


def find_missing(name: str, model: Model, milliseconds: int) -> list[Mismatch]:
    """Return a mismatch for each registration of the callback ``name`` that must be called, but was not called.

    ``milliseconds``: the time that the host has waited. The list is empty if this time is shorter than PATIENCE_MS.
    """
    if milliseconds < PATIENCE_MS:
        return []
    reading = InterpretationId("callback-timeout")
    allowed = cite_interpretation(f"{name} called within {milliseconds} ms", reading)
    return [
        Mismatch(
            notice.responsible_requirement(model),
            allowed,
            "not called",
            notice.missing_symptom(),
            interpretation=reading,
            also_violated=notice.covered_requirements("", model),
        )
        for notice in pending_callbacks(model)
        if notice.name == name and notice.call_count == 0 and notice.must_be_called(model)
    ]


def due_callbacks(model: Model) -> Iterator[PendingCallback]:
    """Yield the registrations that are due or must be called, and were not called yet. The last registered is first."""
    for notice in reversed(pending_callbacks(model)):
        if notice.call_count == 0 and (notice.is_due(model) or notice.must_be_called(model)):
            yield notice


def _match_registration(called: CallbackInvocation, model: Model) -> tuple[PendingCallback | None, list[Mismatch]]:
    """Return the registration that best fits a called callback, and the mismatches of the arguments.

    The registration is None if no registration has the name of the callback.
    """
    candidates = [
        (notice, _compare_arguments(notice, called, model))
        for notice in pending_callbacks(model)
        if notice.name == called.name
    ]
    candidates.sort(key=lambda each: (len(each[1]), len(_check_time(each[0], model))))
    return candidates[0] if candidates else (None, [])


def _check_time(notice: PendingCallback, model: Model) -> list[Mismatch]:
    """Return the mismatches of a callback's calls in number, time and order."""
    if notice.call_count and notice.once:
        return [
            Mismatch(notice.requirement, "called once", f"called {notice.call_count + 1} times", symptoms.CALLED_AGAIN)
        ]
    every = pending_callbacks(model)
    later = every[every.index(notice) + 1 :]
    found = (notice.check_too_early(model), notice.check_order(later))
    return [complaint for complaint in found if complaint is not None]


def _compare_arguments(notice: PendingCallback, called: CallbackInvocation, model: Model) -> list[Mismatch]:
    """Return the mismatches between the arguments of a called callback and those that a registration expects."""
    found = []
    if called.arguments.get("user_data") != notice.user_data:
        wrong, right = called.arguments.get("user_data"), notice.user_data
        told, also = symptoms.OTHER_USER_DATA, notice.covered_requirements("user_data", model)
        found.append(
            Mismatch(notice.requirement, f"user_data = {right}", f"user_data = {wrong}", told, also_violated=also)
        )
    for parameter, want in notice.expected_arguments(model).items():
        value = called.arguments.get(parameter)
        for complaint in match_values(want, list(value) if isinstance(value, list) else [value])[0]:
            allowed, observed = f"{parameter} = {complaint.allowed}", f"{parameter} = {complaint.observed}"
            symptom = symptoms.unexpected_argument(parameter, want.demand if isinstance(want, Satisfies) else None)
            also = notice.covered_requirements(parameter, model)
            found.append(Mismatch(notice.requirement, allowed, observed, symptom, also_violated=also))
    return found
