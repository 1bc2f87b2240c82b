"""Coverage points for image arguments whose format is listed for their access qualifier (section 5.3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.spec_tables.requirements import AccessQualifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

SET = "clSetKernelArg"
CREATION_FLAGS = {"CL_MEM_KERNEL_READ_AND_WRITE": "CL_MEM_READ_WRITE"}
"""Maps a flag of a format list to the creation flag of a matching image, if both differ."""
LIST_REQUIREMENT = "clGetSupportedImageFormats/effect/5"


@rules.completion
def _declare_qualifiers(rules: Rules, tables: Tables) -> None:
    for requirement in tables.requirements.values():
        if isinstance(requirement, AccessQualifier):
            words = (
                f"A {requirement.qualifier} argument can be set to an image of a format that is listed for "
                f"{requirement.name}."
            )
            holds = _sets_listed_image(requirement.qualifier, requirement.name)
            rules.coverage_point(
                requirement.id, SET, words, "clSetKernelArg/success", holds=holds, requires_success=True
            )
    words = "Checked on arguments that are set to an image of a format that is listed for the argument's access."
    flags = {each.name for each in tables.requirements.values() if isinstance(each, AccessQualifier)}
    every = [_sets_listed_image("", flag) for flag in sorted(flags)]
    rules.coverage_point(
        LIST_REQUIREMENT,
        SET,
        words,
        "clSetKernelArg/success",
        holds=lambda asked: any(each(asked) for each in every),
        requires_success=True,
    )


def _sets_listed_image(qualifier: str, flag: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: an argument is set to an image whose format is listed for ``flag``.

    ``qualifier``: the access qualifier of the argument; empty for any qualifier. The list is the latest result of
    clGetSupportedImageFormats for the context of the image.
    """

    def holds(asked: CompletedCall) -> bool:
        given, model = asked.call.arg_value, asked.model
        image = model.find(given.handle) if isinstance(given, HandleBytes) else None
        if not isinstance(image, Image) or image.context is None:
            return False
        kernel, index = asked.subject, asked.call.arg_index
        declared = kernel.parameters if isinstance(kernel, Kernel) else None
        if declared is None or index >= len(declared):
            return False
        fits = declared[index].access_qualifier.removeprefix("CL_KERNEL_ARG_ACCESS_").lower()
        uses = (model.constant_value(flag), model.constant_value(image.shape.image_type))
        told = image.context.formats.get(uses)
        listed = told.formats if told is not None and told.formats is not None else ()
        made = bool(image.flags & model.constant_value(CREATION_FLAGS.get(flag, flag)))
        pair = (image.format.order, image.format.channel_type)
        return qualifier in ("", fits) and made and pair in listed

    return holds
