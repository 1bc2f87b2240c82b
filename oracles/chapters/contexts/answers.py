"""Query results of contexts (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, OneOf, Such, Want, handles
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.versions import Version
from clconform.oracles.queries.told import either
from clconform.oracles.recurring.making import references
from clconform.oracles.recurring.property_lists import list_echo, list_or_its_end

if TYPE_CHECKING:
    from clconform.oracles.queries.questions import Question

rules = Rules()

NOTHING_IS_NOTHING = Version(3, 0)
"""From this version on, the query of a context without properties returns nothing; before, it may also return a 0."""
rules.inferred("CL_CONTEXT_REFERENCE_COUNT")


@rules.answer("CL_CONTEXT_DEVICES", of=Context)
def devices_of(context: Context, question: Question) -> Want:
    """The value lists the devices that the context was created with, without their sub-devices."""
    name = "CL_CONTEXT_DEVICES"
    if not context.devices:
        some = tuple(device.name for device in context.candidates)
        if not some:
            return Anything(tuple(device.name for device in question.model.root_devices()))
        words = f"some of the root devices {', '.join(some)}"
        return Such(lambda seen: bool(seen) and set(handles(seen)) <= set(some), words, (name,), some)
    names = [device.name for device in context.devices]
    return Such(lambda seen: sorted(map(str, seen)) == sorted(names), ", ".join(names), (name,), tuple(names))


@rules.answer("CL_CONTEXT_NUM_DEVICES", of=Context)
def number_of_devices(context: Context, question: Question) -> Want:
    """The value is the number of devices that the context was created with."""
    name = "CL_CONTEXT_NUM_DEVICES"
    if context.devices:
        return OneOf(((len(context.devices),),), (name,))
    if not context.candidates:
        return Anything((len(question.model.root_devices()),))
    most = len(context.candidates)
    return Such(lambda seen: isinstance(seen[0], int) and 1 <= seen[0] <= most, f"1 to {most}", (name,), (most,))


@rules.answer("CL_CONTEXT_PROPERTIES", of=Context)
def properties_repeated(context: Context, question: Question) -> Want | None:
    """The value is the property list that the context was created with; without one it is empty or only 0."""
    platform = question.platform or next(iter(question.model.platforms.values()), None)
    told = list_echo if platform and platform.version >= NOTHING_IS_NOTHING else list_or_its_end
    return either(question, told(context.properties))


@rules.answer("CL_CONTEXT_REFERENCE_COUNT", of=Context)
def reference_count(context: Context, question: Question) -> Want:
    """The value is at least the number of references that the application owns."""
    del question
    return references(context, "CL_CONTEXT_REFERENCE_COUNT")
