"""Asks the rules of queries: a device or platform that has answered this and that, and one answer more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Handle, Room
from clconform.oracles.promises import settled
from clconform.oracles.queries.answering import wanted
from clconform.oracles.queries.questions import question_of

from .worlds import Plan, World

if TYPE_CHECKING:
    from clconform.oracles.model import Fact
    from clconform.oracles.promises import Element

NAME_SIZE = 64


def packed(major: int, minor: int, patch: int = 0) -> int:
    """Return a version as the document packs it."""
    return major << 22 | minor << 12 | patch


def named(*pairs: tuple[str, int]) -> tuple[int | str, ...]:
    """Return an array of names with versions as it comes back: version, name with its padding."""
    return tuple(element for name, version in pairs for element in (version, name.ljust(NAME_SIZE, "\0")))


@dataclass(frozen=True)
class Asked:
    """What stands when a query is asked: the version, the extensions, and the answers so far."""

    version: str = "3.0"
    extensions: str = ""
    facts: dict[str, Fact | str] = field(default_factory=dict)
    platform: dict[str, Fact] = field(default_factory=dict)
    others: tuple[dict[str, Fact], ...] = ()
    type: str = "CL_DEVICE_TYPE_CPU"


def verdicts(query: str, answer: Element | tuple[Element, ...], asked: Asked) -> dict[str, str]:
    """Return, of each record that the answer speaks for or against, whether it is ``fine`` or complained of."""
    world = World(*(Plan() for _ in range(1 + len(asked.others))), version=asked.version, extensions=asked.extensions)
    world.platform.facts |= asked.platform
    device, *others = world.roots
    device.facts["CL_DEVICE_TYPE"] = world.value(asked.type)
    device.facts |= asked.facts
    for other, facts in zip(others, asked.others, strict=True):
        other.facts |= facts
    function = "clGetPlatformInfo" if query.startswith("CL_PLATFORM") else "clGetDeviceInfo"
    thing = world.platform if function == "clGetPlatformInfo" else device
    return _judged(world, function, thing.name, query, answer)


def _judged(
    world: World, function: str, name: str, query: str, answer: Element | tuple[Element, ...]
) -> dict[str, str]:
    parameters = [parameter.name for parameter in world.model.tables.functions[function].parameters]
    values = (Handle(name), world.value(query), 1024, Room(1024), None)
    call = Call(function, dict(zip(parameters, values, strict=True)))
    question = question_of(call, world.model)
    assert question is not None, f"{query} does not apply"
    question.thing.facts.pop(question.key, None)
    seen = list(answer) if isinstance(answer, tuple) else [answer]
    if question.query.shape == "string":
        seen = [f"{answer}\0"]
    complaints, fulfilled = settled(wanted(question), seen)
    return dict.fromkeys(fulfilled, "fine") | {complaint.record: "wrong" for complaint in complaints}
