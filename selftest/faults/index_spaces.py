"""Faults of work-item functions: ids and sizes that do not match the range of the kernel enqueue."""

from __future__ import annotations

import functools

from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()

LAUNCH = "clEnqueueNDRangeKernel"


def _change_written_bytes(number: int, step: SimulatedStep) -> None:
    """Change the bytes whose expected values come from the requirement clEnqueueNDRangeKernel/effect/``number``."""
    latest = step.model.commands.latest
    for place in latest.writes if latest is not None else ():
        content = place.read()
        held = bytes(
            byte ^ (requirement == f"{LAUNCH}/effect/{number}")
            for byte, requirement in zip(content.bytes_held, content.writers, strict=True)
        )
        place.write(content._replace(bytes_held=held))


for _number, _name, _description in (
    (3, "global-ids-not-from-zero", "Without a global offset, global ids do not start at zero."),
    (6, "group-ids-inconsistent", "Work-group ids do not match the global and local ids."),
    (
        12,
        "remainder-changes-group-count",
        "If the global size is not a multiple of the local size, kernels see an incorrect number of work-groups.",
    ),
    (
        13,
        "remainder-changes-full-group-size",
        "If the global size is not a multiple of the local size, full work-groups report an incorrect size.",
    ),
    (20, "local-ids-not-from-zero", "Local ids do not start at zero."),
):
    faults.plant(LAUNCH, succeeded=True).add(_name, _description, functools.partial(_change_written_bytes, _number))
