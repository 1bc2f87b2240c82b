"""What cl_ext_device_fission alone says of its own functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.partition.schemes import EXT, Request, parts
from clconform.oracles.chapters.partition.trigger_kinds import (
    INFO,
    answered,
    by_next,
    dialect_style,
    empty,
    in_ancestors_context,
    on_part,
    requested,
    root,
)
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.devices import Device
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _ext_only(rules: Rules, _tables: Tables) -> None:
    make, success = EXT.function, f"{EXT.function}/success"
    names, styles, domains = EXT.by_names, dialect_style("_EXT"), EXT.supported_domains

    def made(record: str, words: str, when: Callable[[AnsweredCall, Request, Device], bool]) -> None:
        rules.trigger(record, make, words, success, names, holds=requested(EXT, when))

    rules.trigger(
        f"{make}/effect/2",
        "clCreateCommandQueue",
        "a sub-device can be used as the root device can",
        "clCreateCommandQueue/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and on_part(asked, EXT),
    )
    rules.trigger(
        f"{make}/effect/3",
        "clCreateCommandQueue",
        "a sub-device can be used in its ancestors' contexts",
        "clCreateCommandQueue/success",
        "clCreateCommandQueue/CL_INVALID_DEVICE/1",
        holds=in_ancestors_context,
    )
    rules.untestable(
        f"{make}/effect/4", "commands run on the sub-device only", "the host cannot see which units ran a command"
    )
    rules.untestable(
        f"{make}/effect/11", "one scheme at a time", "no error is given for it, so every answer is allowed"
    )
    rules.untestable(
        "clReleaseDeviceEXT/effect/2",
        "the device goes with its last reference",
        "using a device that may be gone is undefined",
    )
    made(
        f"{make}/effect/7",
        "where there is little room, as many as fit",
        lambda asked, request, device: (
            isinstance(asked.call.out_devices, OutputBuffer)
            and asked.call.num_entries < len(parts(device, request, EXT, asked.model))
        ),
    )
    made(
        f"{names}/effect/1",
        "a list of names with an end of its own",
        lambda _asked, request, _device: request.scheme == names,
    )
    made(
        f"{names}/effect/2",
        "names count from zero",
        lambda _asked, request, _device: request.scheme == names and 0 in request.values,
    )
    made(f"{names}/effect/3", "one sub-device at a time", lambda _asked, request, _device: request.scheme == names)
    made(
        f"{names}/effect/4",
        "the document's example: units 0, 1 and 3",
        lambda _asked, request, _device: request.scheme == names and request.values == (0, 1, 3),
    )
    types = EXT.supported
    rules.trigger(f"{types}/effect/3", INFO, "at least one style", types, holds=answered(types, lambda _device: True))
    rules.untestable(
        f"{types}/effect/4", "a style need not work in every case", "a permission: nothing could violate it"
    )
    rules.trigger(
        f"{domains}/effect/2", INFO, "domains of the list only", domains, holds=answered(domains, lambda _device: True)
    )
    rules.trigger(
        f"{domains}/effect/3",
        INFO,
        "an empty list where there is none",
        domains,
        holds=answered(domains, lambda _device: True, empty),
    )
    rules.trigger(f"{styles}/effect/2", INFO, "the list's end for a root device", styles, holds=answered(styles, root))
    rules.trigger(
        f"{styles}/effect/3",
        INFO,
        "the next domain is answered with the actual one",
        styles,
        holds=answered(styles, by_next(EXT)),
    )
    rules.trigger(
        f"{styles}/effect/4",
        INFO,
        "the size tells the length",
        f"{INFO}/success",
        holds=answered(styles, lambda _device: True),
    )
