"""Formats the texts of conditions: recurring conditions from the tables, lists of names, and full sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.calls.journal import IN_THIS_CALL
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from clconform.oracles.engine.interpretation import InterpretationId
    from clconform.oracles.engine.rules import Rules
    from clconform.spec_tables.requirements import Requirement

PERMISSION = "it is a permission, so nothing can violate it"
"""The reason why no call can test a sentence that only permits a behaviour."""
RESOURCE_WORDS = {
    "resources-device": "The device lacks resources that the call needs.",
    "resources-host": "The host lacks resources that the call needs.",
    "resources-object": "There is not enough memory for the data of a memory object.",
}

OBJECT_NAMES = {
    "cl_platform_id": "platform",
    "cl_device_id": "device",
    "cl_context": "context",
    "cl_command_queue": "command-queue",
    "cl_command_queue/host-queue": "host command-queue",
    "cl_command_queue/device-queue": "on-device command-queue",
    "cl_mem": "memory object",
    "cl_mem/buffer": "buffer",
    "cl_mem/image": "image",
    "cl_mem/pipe": "pipe",
    "cl_sampler": "sampler",
    "cl_program": "program",
    "cl_kernel": "kernel",
    "cl_event": "event",
    "cl_semaphore_khr": "semaphore",
    "cl_command_buffer_khr": "command-buffer",
    "cl_mutable_command_khr": "mutable command",
}
"""Handle type, followed by the class of object if a clause requires one, to the name of the object in texts."""
CAPABILITY_NAMES = {"SVM": "shared virtual memory", "IL": "an intermediate language"}
"""Capability of a device to its wording after *support*, if the wording differs from the name."""
LIST_WORDING = {"event_wait_list": "the events in event_wait_list"}
"""Name of a list parameter to the wording for its elements."""


def recurring_condition_text(requirement: Requirement, rules: Rules) -> str:
    """Return the text of a recurring condition, or an empty string if the condition is not recurring."""
    if not isinstance(requirement, ErrorCondition):
        return ""
    names = requirement.condition.parameters
    words = {**RESOURCE_WORDS, **rules.kind_words}.get(requirement.condition.kind, "")
    if not words or ("{" in words and not names):
        return ""
    blocking = "The call blocks, and the" if "blocking" in requirement.condition.values else "The"
    values = requirement.condition.values
    return words.format(
        *names,
        any=join_names(names, "or"),
        all=join_names(names, "and"),
        objects=join_names([LIST_WORDING.get(name, name) for name in names], "and"),
        object=OBJECT_NAMES.get("/".join(values), OBJECT_NAMES.get(values[0], values[0])) if values else "",
        lacking=join_names([CAPABILITY_NAMES.get(value, value) for value in values], "or"),
        blocking=blocking,
    )


def format_sentence(words: str, identifiers: Container[str] = ()) -> str:
    """Return a text with an initial capital and a final full stop.

    If the first word is an identifier, its case does not change.
    """
    first = re.match(r"\w*", words)
    name = first.group() if first else ""
    if name and name not in identifiers and "_" not in name and not re.match(r"cl[A-Z]", name):
        words = words[0].upper() + words[1:]
    return words if not words or words.endswith(".") else f"{words}."


def add_alternative(text: str, alternative: str) -> str:
    """Return the text of a condition, followed by the alternative that held in a call, if any."""
    return f"{text}{IN_THIS_CALL}{alternative}." if alternative else text


def cite_interpretation(words: str, interpretation: InterpretationId) -> str:
    """Return a text about allowed values, followed by the id of the interpretation that allows them."""
    return f"{words} (interpretation: {interpretation})"


def join_names(names: Sequence[str], word: str) -> str:
    """Return names joined by commas, with ``word`` before the last name."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
