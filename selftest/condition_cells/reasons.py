"""Generates the reasons of the cells that no test notices: the argument or state that decides, and the section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.selftest.condition_cells.call_features import CARRIERS_OF_TYPE, object_parameters_of
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.suites.errors.carried_conditions import MAY, UNDEFINED
from clconform.suites.errors.carriers import SUB_DEVICE
from clconform.suites.errors.variation_collection import collect_variations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.errors.carried_conditions import CarriedCall

MAX_NAMED = 3
"""The maximum number of violations that a reason names."""


class CellReasons:
    """The reasons for cells of error conditions.

    ``covering``: maps requirements to the names of the items that target them.
    """

    def __init__(self, tables: Tables, covering: Mapping[str, Sequence[str]]) -> None:
        self._tables, self._covering = tables, covering
        self._rulebook = rulebook_of(tables)
        self._violations: dict[str, dict[str, None]] = {}

    def note_violations(self, seen: Mapping[str, Mapping[str, Mapping[str, str]]]) -> None:
        """Note the violations of conditions that items have made, by their shapes."""
        for condition, shapes in seen.items():
            self._violations.setdefault(condition, {}).update(dict.fromkeys(shapes))

    def find_general_reason(self, clause: ErrorCondition) -> str:
        """Return the reason why no call can violate a condition; empty if a call can."""
        if clause.condition.kind in ABOUT_RESOURCES:
            valid = self._name_test(f"{clause.function}/success")
            return (
                f"no argument of {clause.function} decides whether resources are lacking: {self._words_of(clause)}; the"
                f" text allows {clause.code} for every valid call, such as {valid} {self._place_of(clause)}"
            )
        untestable = self._rulebook.untestable.get(clause.id, "")
        if untestable and not collect_variations().violating_variations(clause, self._tables):
            return self._explain(clause, untestable)
        return ""

    def of_near_miss(self, clause: ErrorCondition) -> str:
        """Return the reason for a condition without near misses."""
        return self.find_general_reason(clause) or self._explain_lacking_platform(clause)

    def of_allowed_error(self, clause: ErrorCondition, calls: Sequence[str], allowed_by: Mapping[str, str]) -> str:
        """Return the reason why an error of valid calls is no deviation; empty if nothing allows the error.

        ``allowed_by``: maps the conditions that allow the error to their interpretations.
        """
        allowing = [
            f"{condition}{f', by the interpretation {interpretation}' if interpretation else ''}"
            for condition, interpretation in allowed_by.items()
        ]
        named = "; ".join(f"'{each}'" for each in calls[:MAX_NAMED])
        return self._explain(clause, f"the error at {named} is allowed by {' and '.join(allowing)}") if allowing else ""

    def of_carrier(self, clause: ErrorCondition, carrier: str, calls: Sequence[CarriedCall]) -> str:
        """Return the reason why no call violates a condition through a carrier.

        ``calls``: the calls that the error suite has considered for this carrier.
        """
        general = self.find_general_reason(clause)
        if general:
            return f"through a {carrier}, {general}"
        readings = [each for each in calls if each.decision.startswith(MAY)]
        if readings:
            by = readings[0].decision.removeprefix(f"{MAY}: ")
            return self._explain(clause, f"{_name_call(readings)} may also succeed, by the interpretation {by}")
        undefined = [each for each in calls if each.decision == UNDEFINED]
        if undefined:
            return self._explain(clause, f"{_name_call(undefined)} would be undefined")
        if calls:
            return self._explain(clause, f"the condition does not hold for {_name_call(calls)}")
        return self._explain_lacking_object(clause, carrier) or self._explain_lacking_platform(clause)

    def carriers_of(self, clause: ErrorCondition) -> list[str]:
        """Return the carriers for the objects in a condition's parameters, or of its function if it names none."""
        parameters = self._tables.functions[clause.function].parameters
        inputs = [each for each in parameters if each.direction != "out"]
        own = object_parameters_of(clause, self._tables)
        types = {each.base for each in inputs if each.name in own}
        found = dict.fromkeys(carrier for kind in sorted(types) for carrier in CARRIERS_OF_TYPE[kind])
        names = " ".join(each.name for each in [each for each in inputs if each.name in clause.parameters] or inputs)
        if "buffer" not in names and "mem" not in names and "arg_value" not in names:
            found.pop("sub-buffer", None)
        if "image" not in names and "mem" not in names:
            found.pop("image of a buffer", None)
        words = self._rulebook.texts.words_of(clause.id)
        return [*found, *([SUB_DEVICE] if "device" in words else [])]

    def _explain_lacking_object(self, clause: ErrorCondition, carrier: str) -> str:
        """Return the reason for a condition whose violations pass no object that a carrier can stand for."""
        changed = [each.test_value for each in collect_variations().violating_variations(clause, self._tables)]
        shown = [f"'{each}'" for each in changed] or [*self._violations.get(clause.id, ())]
        if not shown:
            return ""
        left = f" and {len(shown) - MAX_NAMED} others" if len(shown) > MAX_NAMED else ""
        where = " or ".join(sorted(object_parameters_of(clause, self._tables))) or "any argument"
        return self._explain(
            clause, f"no violation ({'; '.join(shown[:MAX_NAMED])}{left}) passes a {carrier} in {where}"
        )

    def _explain_lacking_platform(self, clause: ErrorCondition) -> str:
        """Return the reason for a condition that no simulated platform allows to be violated."""
        gates = ", ".join(f"{each.name} {each.since}".strip() for each in clause.applicability)
        needed = f" with {gates}" if gates else ""
        return self._explain(clause, f"no call certainly violates the condition on a simulated platform{needed}")

    def _explain(self, clause: ErrorCondition, why: str) -> str:
        """Return a reason: function, condition, why it is not noticed, a test that targets it, and the section."""
        covering = f"; targeted by {self._name_test(clause.id)}" if self._covering.get(clause.id) else ""
        return f"{clause.function}: {self._words_of(clause)}: {why}{covering} {self._place_of(clause)}"

    def _words_of(self, clause: ErrorCondition) -> str:
        """Return the first sentence of a condition's text."""
        words = self._rulebook.texts.words_of(clause.id)
        return " ".join(words.split("\n\n")[0].split()).removesuffix(".")

    def _place_of(self, clause: ErrorCondition) -> str:
        return f"(section {clause.section.number or clause.section.title})"

    def _name_test(self, requirement: str) -> str:
        """Return the name of the first item that targets a requirement."""
        return self._covering[requirement][0] if self._covering.get(requirement) else "no test"


def _name_call(calls: Sequence[CarriedCall]) -> str:
    return f"{calls[0].parameter or 'the call'} at '{calls[0].test_value}'"
