"""Creates the steps of a sequence: calls with their outcomes and the objects that first appear in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Begun, Call, Outcome, Returned, Step
from clconform.calls.truncation import truncate_outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_OBJECT_NAME = re.compile(r"[a-z_]+\d+")


def create_step(call: Call, outcome: Outcome, known: Collection[str], entered: int = 0, returned: int = 0) -> Step:
    """Return a call with its outcome as a step.

    Long outputs are truncated. ``known``: names of earlier objects. ``entered``, ``returned``: positions of the start
    and the end of the call among the calls of all host threads, or 0.
    """
    binds = [name for name in _object_names(outcome) if name not in known]
    return Step(call, truncate_outcome(outcome), binds, entered=entered, returned=returned)


def create_steps(pairs: Iterable[tuple[Call, Outcome]], known: Collection[str], together: int = 0) -> list[Step]:
    """Return calls with their outcomes as the steps of one concurrent group; ``together``: the group's number.

    ``known``: as for ``create_step``.
    """
    appeared = set(known)
    steps = []
    for call, outcome in pairs:
        step = msgspec.structs.replace(create_step(call, outcome, appeared), together=together)
        appeared.update(step.new_names)
        steps.append(step)
    return steps


def move_to_end(group: Sequence[Step], index: int, known: Collection[str]) -> list[Step]:
    """Return concurrent steps in another order: the deviating step, at ``index``, comes last.

    ``known``: as for ``create_steps``. The order determines in which step an object first appears.
    """
    ordered = [*group[:index], *group[index + 1 :], group[index]]
    pairs = [(step.call, step.outcome) for step in ordered if not isinstance(step.outcome, Begun)]
    return create_steps(pairs, known, group[index].together)


def _object_names(outcome: Outcome) -> list[str]:
    """Return the distinct names of the objects in an outcome."""
    if not isinstance(outcome, Returned):
        return []
    values = [outcome.value] if isinstance(outcome.value, str) else []
    for output in outcome.outputs.values():
        values += [value for value in output.values if isinstance(value, str)]
    return list(dict.fromkeys([value for value in values if value != UNTOUCHED and _OBJECT_NAME.fullmatch(value)]))
