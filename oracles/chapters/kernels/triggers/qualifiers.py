"""Coverage points for the kernel access of listed image formats, by kernel arguments (section 5.3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.spec_tables.records import AccessQualifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

SET = "clSetKernelArg"
MADE_WITH = {"CL_MEM_KERNEL_READ_AND_WRITE": "CL_MEM_READ_WRITE"}
"""Flag of a format list to the creation flag of a matching image, if they differ."""
LISTED = "clGetSupportedImageFormats/effect/5"


@rules.completion
def _qualifiers(rules: Rules, tables: Tables) -> None:
    for record in tables.records.values():
        if isinstance(record, AccessQualifier):
            words = (
                f"A {record.qualifier} argument can be set to an image of a format that is listed for {record.name}."
            )
            holds = _set_to(record.qualifier, record.name)
            rules.trigger(record.id, SET, words, f"{SET}/success", holds=holds, by_success=True)
    words = "Checked on arguments that are set to an image of a format that is listed for the argument's access."
    flags = {each.name for each in tables.records.values() if isinstance(each, AccessQualifier)}
    every = [_set_to("", flag) for flag in sorted(flags)]
    rules.trigger(
        LISTED, SET, words, f"{SET}/success", holds=lambda asked: any(each(asked) for each in every), by_success=True
    )


def _set_to(qualifier: str, flag: str) -> Callable[[AnsweredCall], bool]:
    """Return a condition: an argument with this access, or any, is set to an image of a format listed for it."""

    def holds(asked: AnsweredCall) -> bool:
        given, model = asked.call.arg_value, asked.model
        image = model.known(given.handle) if isinstance(given, HandleBytes) else None
        if not isinstance(image, Image) or image.context is None:
            return False
        kernel, index = asked.subject, asked.call.arg_index
        declared = kernel.parameters if isinstance(kernel, Kernel) else None
        if declared is None or index >= len(declared):
            return False
        fits = declared[index].access.removeprefix("CL_KERNEL_ARG_ACCESS_").lower()
        uses = (model.value(flag), model.value(image.shape.image_type))
        told = image.context.formats.get(uses)
        listed = told.formats if told is not None and told.formats is not None else ()
        made = bool(image.flags & model.value(MADE_WITH.get(flag, flag)))
        pair = (image.format.order, image.format.channel_type)
        return qualifier in ("", fits) and made and pair in listed

    return holds
