"""The note on linked allocations as a table: valid traces, and traces with one violation."""

from __future__ import annotations

import pytest

from clconform.calls.traces import ServedAccess, TraceMemoryObject
from clconform.calls.values import Handle, HandleBytes
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.oracles.chapters.linked_allocations.runtime_rules import (
    CURRENT_RUNTIME,
    NOTE,
    RULE_TEXTS,
    NoteDialect,
    is_linkable,
)
from clconform.oracles.chapters.linked_allocations.zero_copy import maps_elsewhere
from clconform.spec_tables import load

from .linked_traces import (
    FAR,
    OTHER,
    PLAIN,
    USERS,
    A,
    B,
    allocate,
    at,
    create,
    faults,
    held_back,
    host,
    look,
    map_,
    put,
    read,
    read_trace,
    step,
    trace,
    unmap,
    use,
    write,
)

HOST_FIRST = (host("write", allocate("area"), put("area")), at(A, "read", create(A, "a", on="area"), use("a")))
"""The host's allocation comes first: the device's is linked with it."""
DEVICE_FIRST = (at(A, "write", create(A, "a"), use("a")), host("read", map_("a", "p"), look("p")))
"""The device's allocation comes first: the host's memory is a mapped region."""
USERS_FIRST = (host("write", put("users")), at(A, "read_write", create(A, "a", on="users"), use("a")))
APART = (
    host("write", allocate("area"), put("area")),
    at(FAR, "read_write", create(FAR, "f"), write("f", "area"), use("f")),
    host("read", read("f", "area"), look("area")),
)
"""A device without memory shared with the host: allocations are not linked."""
PAIR_AND_ANOTHER = (*HOST_FIRST, at(B, "read", create(B, "b"), map_("a", "area"), write("b", "area"), use("b")))

GOOD: dict[str, tuple[ServedAccess, ...]] = {
    "host first": HOST_FIRST,
    "device first": DEVICE_FIRST,
    "device first, and back": (*DEVICE_FIRST, at(A, "write", unmap("a", "p"), use("a"))),
    "there and back twice": (
        *DEVICE_FIRST,
        at(A, "read", unmap("a", "p"), use("a")),
        host("read_write", map_("a", "p"), put("p")),
        at(A, "read", unmap("a", "p"), use("a")),
    ),
    "apart": APART,
    "apart, device first": (
        at(FAR, "write", create(FAR, "f"), use("f")),
        host("read", allocate("area"), read("f", "area"), look("area")),
    ),
    "a second context goes without": PAIR_AND_ANOTHER,
    "the pair in between is given back": (
        *PAIR_AND_ANOTHER[:2],
        at(B, "read", create(B, "b"), map_("a", "area"), write("b", "area"), unmap("a", "area"), use("b")),
        at(A, "read", map_("a", "area"), read("b", "area"), unmap("a", "area"), use("a")),
    ),
    "to a linked one by way of its pair": (
        *PAIR_AND_ANOTHER,
        at(A, "read_write", read("b", "area"), unmap("a", "area"), use("a")),
    ),
    "two devices, the host between them linked with the first": (
        at(A, "write", create(A, "a"), use("a")),
        at(B, "read", create(B, "b"), map_("a", "p"), write("b", "p"), unmap("a", "p"), use("b")),
    ),
    "two devices, the host between them linked with the second": (
        at(A, "write", create(A, "a"), use("a")),
        at(B, "read", create(B, "b"), map_("b", "p"), read("a", "p"), unmap("b", "p"), use("b")),
    ),
    "the host's command before the second device's": (
        at(FAR, "write", create(FAR, "f"), use("f")),
        at(B, "read", allocate("area"), read("f", "area"), create(B, "b", on="area"), use("b")),
    ),
    "read again where it was": (*HOST_FIRST, at(A, "read", use("a"))),
    "mapped for reading, then written": (
        at(A, "write", create(A, "a"), use("a")),
        host("read", map_("a", "p", "CL_MAP_READ"), look("p")),
        host("write", unmap("a", "p"), map_("a", "p"), put("p")),
    ),
    "mapped and discarded": (
        at(A, "write", create(A, "a"), use("a")),
        host("discard_write", map_("a", "p", "CL_MAP_WRITE_INVALIDATE_REGION"), put("p")),
        at(A, "read", unmap("a", "p"), use("a")),
    ),
    "discarded without a transfer": (
        at(FAR, "write", create(FAR, "f"), use("f")),
        host("discard_write", allocate("area"), put("area")),
    ),
    "accessed and not seen": (at(A, "write", create(A, "a")), host("read", map_("a", "p"))),
}
GOOD_OF_THE_USER: dict[str, tuple[ServedAccess, ...]] = {
    "host first": USERS_FIRST,
    "constructed": (host("construct"), *USERS_FIRST),
    "apart, written at first": (at(FAR, "read", create(FAR, "f"), write("f", "users"), use("f")),),
    "apart, discarded at first": (at(FAR, "discard_write", create(FAR, "f"), use("f")),),
    "shared, written at first": (at(A, "read", create(A, "a"), write("a", "users"), use("a")),),
    "shared, on the user's memory at once": (at(A, "read", create(A, "a", on="users"), use("a")),),
    "on the user's memory, whatever is discarded": (
        at(A, "discard_write", create(A, "a", on="users"), use("a")),
        host("read", map_("a", "users"), look("users")),
    ),
    "written at first, then mapped": (
        at(A, "read", create(A, "a"), write("a", "users"), use("a")),
        host("read", map_("a", "p"), look("p")),
    ),
}

COMMANDS, TRANSFER = "linked-allocation-commands", "linked-allocation-commands/7"
BAD: dict[str, tuple[tuple[ServedAccess, ...], tuple[str, int, int | None]]] = {
    "memory at construction": (
        (host("construct", create(A, "a")),),
        ("brief-overview-of-allocations-for-memory-objects/1", 0, 0),
    ),
    "host memory at construction": (
        (host("construct", allocate("area")),),
        ("brief-overview-of-allocations-for-memory-objects/1", 0, 0),
    ),
    "linked with a device apart": (
        (APART[0], at(FAR, "read", create(FAR, "f", on="area"), use("f"))),
        ("command-linking-approach/1", 1, 0),
    ),
    "linked twice": ((*HOST_FIRST, at(B, "read", create(B, "b", on="area"))), (f"{COMMANDS}/3", 2, 0)),
    "not made on the host's memory": (
        (HOST_FIRST[0], at(A, "read", create(A, "a"), write("a", "area"), use("a"))),
        (f"{COMMANDS}/5", 1, 0),
    ),
    "copied from the host's memory": (
        (APART[0], at(FAR, "read", create(FAR, "f", copied="area"))),
        (f"{COMMANDS}/5", 1, 0),
    ),
    "on other memory": ((HOST_FIRST[0], at(A, "read", create(A, "a", on="elsewhere"))), (f"{COMMANDS}/4", 1, 0)),
    "host memory beside a map": (
        (DEVICE_FIRST[0], host("read", allocate("area"), read("a", "area"), look("area"))),
        (f"{COMMANDS}/6", 1, 0),
    ),
    "a read between linked sides": ((*HOST_FIRST, host("read", read("a", "area"), look("area"))), (TRANSFER, 2, 0)),
    "a write between linked sides": (
        (*DEVICE_FIRST, at(A, "read", write("a", "p"), unmap("a", "p"), use("a"))),
        (TRANSFER, 2, 0),
    ),
    "a map of what is apart": ((*APART[:2], host("read", map_("f", "p"), look("p"))), (TRANSFER, 2, 0)),
    "mapped twice": ((DEVICE_FIRST[0], host("read", map_("a", "p"), map_("a", "q"), look("p"))), (TRANSFER, 1, 1)),
    "read twice": ((*APART[:2], host("read", read("f", "area"), read("f", "area"), look("area"))), (TRANSFER, 2, 1)),
    "written where it was": ((*APART[:2], at(FAR, "read", write("f", "area"), use("f"))), (TRANSFER, 2, 0)),
    "switched for nothing": (
        (*DEVICE_FIRST, host("read", unmap("a", "p"), map_("a", "p"), look("p"))),
        (TRANSFER, 2, 0),
    ),
    "both sides active": ((*DEVICE_FIRST, at(A, "read", held_back(use("a")), unmap("a", "p"))), (TRANSFER, 2, 0)),
    "the host's side not active": ((*HOST_FIRST, host("read", held_back(look("area")))), (TRANSFER, 2, 0)),
    "never handed back": ((*DEVICE_FIRST, at(A, "read")), (TRANSFER, 2, None)),
    "a stale side": ((*APART[:2], host("read", look("area"))), (TRANSFER, 2, 0)),
    "half of it": ((*APART[:2], host("read", read("f", "area", 32), look("area"))), (TRANSFER, 2, 1)),
    "never written at first": (
        (APART[0], at(FAR, "read", create(FAR, "f"), use("f"))),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
    "used without an access": ((*APART, at(A, "read", use("f"))), (TRANSFER, 3, 0)),
    "nothing allocated": ((APART[0], at(FAR, "read", look("elsewhere"))), (f"{COMMANDS}/5", 1, None)),
    "discarded by the map and then read": (
        (DEVICE_FIRST[0], host("read_write", map_("a", "p", "CL_MAP_WRITE_INVALIDATE_REGION"), look("p"))),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
    "written through a map for reading": (
        (DEVICE_FIRST[0], host("write", map_("a", "p", "CL_MAP_READ"), held_back(put("p")))),
        (TRANSFER, 1, 1),
    ),
    "moved back over what is newer": (
        (APART[0], at(FAR, "read_write", create(FAR, "f"), use("f"), write("f", "area"))),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
    "from device to device at once": (
        (
            at(A, "write", create(A, "a"), use("a")),
            at(B, "read", create(B, "b"), use("b"), read("a", "p"), write("b", "p")),
        ),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
}
BAD_OF_THE_USER: dict[str, tuple[tuple[ServedAccess, ...], tuple[str, int, int | None]]] = {
    "memory beside the user's": ((host("read", allocate("area"), look("area")),), (f"{COMMANDS}/6", 0, 0)),
    "written although it is discarded": (
        (at(FAR, "discard_write", create(FAR, "f"), write("f", "users"), use("f")),),
        (TRANSFER, 0, 1),
    ),
    "written twice": ((at(FAR, "read", create(FAR, "f"), write("f", "users"), write("f", "users")),), (TRANSFER, 0, 2)),
    "not written": (
        (at(FAR, "read", create(FAR, "f"), use("f")),),
        ("brief-overview-of-allocations-for-memory-objects/2", 0, 1),
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_the_note_describes_is_right(name: str) -> None:
    assert faults(*GOOD[name]) == []


@pytest.mark.parametrize("name", GOOD_OF_THE_USER)
def test_what_the_note_describes_with_the_users_memory_is_right(name: str) -> None:
    assert faults(*GOOD_OF_THE_USER[name], memory=USERS) == []


@pytest.mark.parametrize("name", BAD)
def test_what_leaves_the_note_is_found_at_its_call(name: str) -> None:
    told, expected = BAD[name]
    assert faults(*told) == [expected]


@pytest.mark.parametrize("name", BAD_OF_THE_USER)
def test_what_leaves_the_note_with_the_users_memory_is_found(name: str) -> None:
    told, expected = BAD_OF_THE_USER[name]
    assert faults(*told, memory=USERS) == [expected]


def test_a_trace_is_judged_on_after_a_fault() -> None:
    bad = host("read", read("a", "area"), look("area"))
    assert faults(*HOST_FIRST, bad, at(A, "read", use("a")), host("read", look("area"))) == [
        (TRANSFER, 2, 0),
        (TRANSFER, 3, 0),
        (TRANSFER, 4, 0),
    ]


def test_two_objects_keep_apart() -> None:
    good = (*HOST_FIRST, host("write", allocate("other"), put("other"), memory="n"))
    assert faults(*good, at(A, "read", create(A, "c", on="other"), use("c"), memory="n"), others=(OTHER,)) == []
    wrong = at(A, "read", create(A, "c", on="area"), memory="n")
    assert faults(*good, wrong, others=(OTHER,)) == [(f"{COMMANDS}/1", 3, 0)]


def test_a_call_that_the_driver_refused_does_not_count() -> None:
    refused = read("f", "area")
    again = host("read", type(refused)(refused.call, type(refused.outcome)(-5)), refused, look("area"))
    assert faults(*APART[:2], again) == []


def test_a_kernel_uses_its_arguments() -> None:
    told = step("clSetKernelArg", kernel=Handle("k"), arg_index=0, arg_value=HandleBytes(Handle("a")))
    run = step("clEnqueueNDRangeKernel", kernel=Handle("k"))
    assert faults(*DEVICE_FIRST, at(A, "read", told, unmap("a", "p"), run)) == []
    assert faults(*DEVICE_FIRST, at(A, "read", told, run, unmap("a", "p"))) == [(TRANSFER, 2, 1)]


def test_every_rule_is_a_record_and_is_met() -> None:
    records = {record.id for record in load().requirements.values() if record.document == "linked-allocations"}
    assert set(RULE_TEXTS) == {record for record in records if "/usage/" not in record}
    second = (host("write", allocate("other"), put("other"), memory="n"),)
    told = (host("construct"), *USERS_FIRST, at(B, "read", create(B, "b"), map_("a", "users"), write("b", "users")))
    reading = read_trace(trace(*told, *second, memory=USERS, others=(OTHER,)))
    assert not reading.violations
    assert set(reading.met) == set(RULE_TEXTS)
    assert reading.met[runtime_rules.LAZY_ALLOCATION] == [0]
    assert reading.met[runtime_rules.TRANSFER] == [3]
    assert reading.met[runtime_rules.NOT_LINKED_BEFORE] == [3]
    assert reading.met[runtime_rules.SAME_OBJECT] == [4]


def test_linking_hangs_on_shared_memory_alone() -> None:
    image, pinned = TraceMemoryObject("i", 64, image=True), TraceMemoryObject("p", 64, pinned=True)
    for memory in (PLAIN, USERS, image, pinned):
        assert is_linkable(memory, A)
        assert not is_linkable(memory, FAR)
    assert is_linkable(pinned, FAR, CURRENT_RUNTIME)
    assert not is_linkable(image, A, CURRENT_RUNTIME)
    assert is_linkable(PLAIN, A, CURRENT_RUNTIME)


def test_the_later_runtime_links_only_what_holds_the_object_now() -> None:
    """The host's allocation is not part of the last access, so it is not linked with the new one."""
    told = (
        APART[0],
        at(FAR, "write", create(FAR, "f"), write("f", "area"), use("f")),
        at(A, "read", create(A, "a"), read("f", "area"), write("a", "area"), use("a")),
    )
    assert faults(*told, dialect=NoteDialect(current_only=True)) == []
    assert faults(*told) == [(f"{COMMANDS}/5", 2, 0)]


def test_the_later_runtime_moves_nothing_that_is_discarded() -> None:
    told = (*APART[:2], host("discard_write", read("f", "area"), put("area")))
    assert faults(*told, dialect=NOTE) == []
    assert faults(*told, dialect=NoteDialect(spares_discarded=True)) == [(TRANSFER, 2, 0)]


def test_a_map_that_leads_elsewhere_is_noted() -> None:
    """Only if the allocation was created on host memory, and only for maps from its first byte."""
    steps = [create(A, "a", on="area"), create(B, "b"), map_("a", "area"), map_("b", "p"), map_("a", "q"), use("a")]
    assert list(maps_elsewhere(steps)) == [steps[4].call]
