"""Retaining and releasing devices: reference counts of root devices and sub-devices, with both entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, EntryPoint
from clconform.suites.chapters.partition.partition_cases import create_sub_device, split_twice

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "partition.retain_and_release"


def create_cases(entry: EntryPoint) -> list[TableCase]:
    """Return the items for one entry point."""
    retain, release, count = f"{entry.retain}/success", f"{entry.release}/success", entry.reference_count_query

    def on_part(act: Callable[[Session, Handle], object]) -> Callable[[Session], object]:
        return lambda cl: act(cl, create_sub_device(cl, entry))

    def counted(cl: Session, device: Handle, *functions: str) -> None:
        for function in functions:
            getattr(cl, function)(device)
            cl.query("clGetDeviceInfo", device, count)

    return [
        TableCase(entry.retain_error, "NULL", lambda cl: getattr(cl, entry.retain)(None)),
        TableCase(entry.release_error, "NULL", lambda cl: getattr(cl, entry.release)(None)),
        TableCase(retain, "a root device", lambda cl: counted(cl, cl.device, entry.retain), (count,)),
        TableCase(release, "a root device", lambda cl: counted(cl, cl.device, entry.release), (count,)),
        TableCase(
            release,
            "a root device, retained and released twice",
            lambda cl: counted(cl, cl.device, *[entry.retain] * 2, *[entry.release] * 2),
            (count,),
        ),
        TableCase(
            count,
            "a new sub-device",
            on_part(lambda cl, device: cl.query("clGetDeviceInfo", device, count)),
        ),
        TableCase(retain, "a sub-device", on_part(lambda cl, device: counted(cl, device, entry.retain)), (count,)),
        TableCase(
            release,
            "a sub-device, retained before",
            on_part(lambda cl, device: counted(cl, device, entry.retain, entry.release)),
            (count,),
        ),
        TableCase(
            retain,
            "a sub-device, many times",
            on_part(lambda cl, device: counted(cl, device, *[entry.retain] * 9, *[entry.release] * 9)),
            (count,),
        ),
        TableCase(
            release,
            "a sub-device's last reference",
            on_part(lambda cl, device: getattr(cl, entry.release)(device)),
        ),
        TableCase(release, "in another order than created", lambda cl: release_all(cl, entry)),
        TableCase(
            release,
            "a parent before its sub-device",
            lambda cl: release_parent_first(cl, entry),
            needs_new_process=True,
        ),
    ]


def release_all(cl: Session, entry: EntryPoint) -> None:
    """Create sub-devices, release some of them, and query the others."""
    first = create_sub_device(cl, entry)
    more = entry.split(cl, cl.device, entry.equally(cl, 1)) or [create_sub_device(cl, entry)]
    for device in [first, *more[::2]]:
        getattr(cl, entry.release)(device)
    entry.inspect(cl, more[1::2])


def release_parent_first(cl: Session, entry: EntryPoint) -> None:
    """Partition a sub-device, release it, and query the sub-devices created from it before and after the release."""
    half, quarters = split_twice(cl, entry)
    entry.inspect(cl, quarters)
    getattr(cl, entry.release)(half)
    entry.inspect(cl, quarters)


test_device_references_are_counted = TableTest(lambda: [*create_cases(CORE_ENTRY), *create_cases(EXT_ENTRY)])
