"""Helpers that change an outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Returned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Outcome, Output
    from clconform.oracles.engine.matchers import Element


def with_output(outcome: Outcome, name: str, output: Output) -> Outcome:
    """Return an outcome with another output; outcomes of calls that did not return stay unchanged."""
    return outcome.with_outputs(**{name: output}) if isinstance(outcome, Returned) else outcome


def with_values(outcome: Outcome, name: str, values: Sequence[Element]) -> Outcome:
    """Return an outcome with other values in an output; an outcome without that output stays unchanged."""
    output = outcome.outputs.get(name) if isinstance(outcome, Returned) else None
    return (
        outcome if output is None else with_output(outcome, name, msgspec.structs.replace(output, values=list(values)))
    )
