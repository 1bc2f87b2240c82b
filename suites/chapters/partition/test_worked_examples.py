"""The worked examples of the core and extension documents, on devices with enough compute units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, get_units
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import ElementList
    from clconform.runner.session.session import Session
    from clconform.suites.chapters.partition.entries import EntryPoint

NAME = "partition.worked_examples"


def create_example_case(
    entry: EntryPoint, requirement: str, words: str, total: int, list_of: Callable[[Session], ElementList]
) -> TableCase:
    """Return an item that partitions a device of ``total`` compute units as in an example.

    A larger device is first partitioned to obtain a sub-device of this size; on a smaller device, the item is skipped.
    """

    def act(cl: Session) -> None:
        skip_unless(get_units(cl) >= total, f"the example needs {total} compute units; the device has {get_units(cl)}")
        device = cl.device
        if get_units(cl) > total:
            cut = entry.split(cl, device, entry.by_counts(cl, [total]))
            skip_unless(cut, f"the device does not create a sub-device with {total} compute units")
            device = cut[0]
            cl.fact_queries.query_device_facts(device)
        entry.inspect(cl, entry.split(cl, device, list_of(cl)))

    return TableCase(requirement, words, act, (f"{entry.function}/success",))


CORE, EXT = CORE_ENTRY, EXT_ENTRY


def cases() -> Iterator[TableCase]:
    """Yield an item for each worked example."""
    yield create_example_case(CORE, CORE.dialect.equally, "16 units by 8", 16, lambda cl: CORE.equally(cl, 8))
    yield create_example_case(
        CORE, CORE.dialect.by_counts, "4 units by {3, 1}", 4, lambda cl: CORE.by_counts(cl, [3, 1])
    )
    yield create_example_case(
        CORE, CORE.dialect.by_domain, "the outermost cache", 1, lambda cl: CORE.by_domain(cl, CORE.dialect.next_domain)
    )
    yield create_example_case(EXT, EXT.dialect.equally, "16 units by 8", 16, lambda cl: EXT.equally(cl, 8))
    yield create_example_case(EXT, EXT.dialect.by_counts, "4 units by {2, 2}", 4, lambda cl: EXT.by_counts(cl, [2, 2]))
    yield create_example_case(EXT, EXT.dialect.by_names, "units 0, 1 and 3", 4, lambda cl: EXT.by_names(cl, [0, 1, 3]))
    yield create_example_case(
        EXT, EXT.dialect.by_domain, "the outermost cache", 1, lambda cl: EXT.by_domain(cl, EXT.dialect.next_domain)
    )


test_worked_examples_produce_their_sub_devices = TableTest(cases)
