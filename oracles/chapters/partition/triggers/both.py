"""What the prose of both documents says of partitions, under each document's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT, ORDER, Dialect, Request
from clconform.oracles.chapters.partition.trigger_kinds import (
    INFO,
    UNITS,
    answered,
    any_domain,
    asking_for,
    asks_for_domain,
    by_next,
    by_scheme,
    dialect_style,
    part,
    requested,
    root,
    units_of,
)
from clconform.oracles.chapters.partition.triggers.capability import EXAMPLE_COUNTS, EXAMPLE_EQUALLY
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.devices import Device
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _of_both(rules: Rules, _tables: Tables) -> None:
    for dialect, suffix in ((CORE, ""), (EXT, "_EXT")):
        _of_dialect(rules, dialect, suffix)


def _of_dialect(rules: Rules, dialect: Dialect, suffix: str) -> None:
    """Declare the situations that both documents share, each under its own names."""
    make, success = dialect.function, f"{dialect.function}/success"
    out, capacity, count = (
        "out_devices",
        "num_entries" if suffix else "num_devices",
        "num_devices" if suffix else "num_devices_ret",
    )
    parent, style = f"CL_DEVICE_PARENT_DEVICE{suffix}", dialect_style(suffix)
    references = f"CL_DEVICE_REFERENCE_COUNT{suffix}"

    def query(number: int, name: str, words: str, when: Callable[[Device], bool]) -> None:
        rules.trigger(f"{name}/effect/{number}", INFO, words, name, holds=answered(name, when))

    def made(record: str, words: str, when: Callable[[AnsweredCall, Request, Device], bool], *parents: str) -> None:
        rules.trigger(record, make, words, success, *parents, holds=requested(dialect, when))

    query(1, parent, "a sub-device names the device that was partitioned", part)
    query(2, parent, "a root device has no parent", root)
    query(1, dialect.supported, "the list names schemes that the device supports", lambda _device: True)
    query(2, dialect.supported, "nothing but known schemes is in the list", lambda _device: True)
    query(1, dialect.supported_domains, "the answer names domains that the device supports", lambda _device: True)
    query(
        1,
        style,
        "a sub-device repeats the list that made it",
        lambda device: part(device) and not by_next(dialect)(device),
    )
    query(1, references, "a sub-device counts its references", part)
    query(2, references, "a root device has one reference", root)
    made(
        f"{make}/effect/{4 if not suffix else 5}",
        "the new sub-devices are written",
        lambda asked, *_: out in asked.seen,
    )
    made(
        f"{make}/effect/{5 if not suffix else 6}",
        "without a place for the devices only their number is told",
        lambda asked, *_: asked.call.arguments[out] is None,
    )
    made(
        f"{make}/effect/{6 if not suffix else 8}", "the number of parts is told", lambda asked, *_: count in asked.seen
    )
    made(
        f"{make}/effect/{7 if not suffix else 9}",
        "the number need not be asked for",
        lambda asked, *_: asked.call.arguments[count] is None and asked.call.arguments[capacity] > 0,
    )
    made(
        f"{make}/effect/{2 if not suffix else 10}",
        "a zero ends the list",
        lambda _asked, request, _device: bool(request.scheme) and not request.rest,
    )
    rules.trigger(
        f"{make}/effect/{8 if not suffix else 1}",
        INFO,
        "sub-devices do not share compute units: together they never have more than the parent",
        UNITS,
        holds=answered(UNITS, lambda device: bool(device.partition and device.partition.function == make)),
    )
    _of_schemes(rules, dialect, suffix)
    _of_domains(rules, dialect)
    rules.trigger(
        f"{dialect.retain}/effect/1",
        INFO,
        "retaining a sub-device adds a reference",
        references,
        holds=answered(references, lambda device: part(device) and device.retained > 0),
    )
    rules.trigger(
        f"{dialect.release}/effect/1",
        INFO,
        "releasing a sub-device takes a reference away",
        references,
        holds=answered(references, lambda device: part(device) and device.released > 0),
    )


def _of_schemes(rules: Rules, dialect: Dialect, suffix: str) -> None:
    make, success = dialect.function, f"{dialect.function}/success"

    def made(record: str, words: str, when: Callable[[AnsweredCall, Request, Device], bool], *parents: str) -> None:
        rules.trigger(record, make, words, success, *parents, holds=requested(dialect, when))

    equally, counts = dialect.equally, dialect.by_counts
    made(
        f"{equally}/effect/1",
        "as many parts as can be made",
        lambda _asked, request, device: (
            request.scheme == equally and request.values[0] > 0 and units_of(device) % request.values[0] == 0
        ),
        equally,
    )
    made(
        f"{equally}/effect/2",
        "units left over stay unused",
        lambda _asked, request, device: (
            request.scheme == equally and request.values[0] > 0 and units_of(device) % request.values[0] != 0
        ),
        equally,
    )
    made(
        f"{counts}/effect/1",
        "a list of counts with an end of its own",
        lambda _asked, request, _device: request.scheme == counts,
        counts,
    )
    made(
        f"{counts}/effect/2",
        "one part for each count",
        lambda _asked, request, _device: request.scheme == counts and len(request.values) > 1,
        counts,
    )
    made(
        f"{equally}/effect/3" if suffix else f"{make}/effect/11",
        "the document's example: 16 units by 8",
        lambda _asked, request, device: (
            request.scheme == equally and request.values == (8,) and units_of(device) == EXAMPLE_EQUALLY
        ),
        equally,
    )
    example = (2, 2) if suffix else (3, 1)
    made(
        f"{counts}/effect/3" if suffix else f"{make}/effect/12",
        f"the document's example: 4 units by {example}",
        lambda _asked, request, device: (
            request.scheme == counts and request.values == example and units_of(device) == EXAMPLE_COUNTS
        ),
        counts,
    )


def _of_domains(rules: Rules, dialect: Dialect) -> None:
    make, success, scheme = dialect.function, f"{dialect.function}/success", dialect.by_domain
    style = dialect_style("EXT" if dialect is EXT else "")
    rules.trigger(
        f"{scheme}/effect/1",
        INFO,
        "the units of a part share a domain: together the parts never have more than the parent",
        UNITS,
        holds=answered(UNITS, by_scheme(scheme)),
    )
    rules.trigger(
        f"{scheme}/effect/2",
        make,
        "domains come from the list",
        *(record for record in ("clCreateSubDevices/CL_INVALID_VALUE/1", scheme, success)),
        holds=lambda asked: any_domain(asked, dialect),
    )
    for number, level in enumerate(ORDER, start=3):
        name = dialect.domains[level]
        rules.trigger(
            f"{scheme}/effect/{number}",
            make,
            f"the parts share {level}",
            success,
            scheme,
            holds=requested(dialect, asking_for(dialect, name)),
        )
    rules.trigger(
        f"{scheme}/effect/8",
        make,
        "the device is divided along the next domain that divides it",
        success,
        scheme,
        holds=requested(
            dialect, lambda asked, request, _device: asks_for_domain(asked, request, dialect, dialect.next_domain)
        ),
    )
    rules.trigger(
        f"{scheme}/effect/9",
        INFO,
        "the levels are tried from the outermost to the innermost",
        style,
        holds=answered(style, by_next(dialect)),
    )
    example = f"{scheme}/effect/10" if dialect is EXT else f"{make}/effect/13"
    rules.trigger(
        example,
        make,
        "the document's example: along the outermost level",
        success,
        scheme,
        holds=requested(
            dialect, lambda asked, request, _device: asks_for_domain(asked, request, dialect, dialect.next_domain)
        ),
    )
