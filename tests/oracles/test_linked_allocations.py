"""The note on linked allocations as a table: valid traces, and traces with one violation."""

from __future__ import annotations

import pytest

from clconform.calls.linked_allocations import ServedAccess, TraceMemoryObject
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
    FAR_CONTEXT,
    OTHER_MEMORY,
    PLAIN_MEMORY,
    USER_MEMORY,
    A,
    B,
    access_from,
    access_from_host,
    allocate_host,
    create_buffer,
    create_step,
    create_trace,
    fill_buffer,
    find_violations,
    judge_trace,
    map_buffer,
    mark_unsent,
    read_buffer,
    read_host,
    unmap_buffer,
    write_buffer,
    write_host,
)

HOST_FIRST = (
    access_from_host("write", allocate_host("area"), write_host("area")),
    access_from(A, "read", create_buffer(A, "a", on="area"), fill_buffer("a")),
)
"""The host's allocation comes first: the device's is linked with it."""
DEVICE_FIRST = (
    access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
    access_from_host("read", map_buffer("a", "p"), read_host("p")),
)
"""The device's allocation comes first: the host's memory is a mapped region."""
USER_MEMORY_FIRST = (
    access_from_host("write", write_host("users")),
    access_from(A, "read_write", create_buffer(A, "a", on="users"), fill_buffer("a")),
)
SEPARATE = (
    access_from_host("write", allocate_host("area"), write_host("area")),
    access_from(
        FAR_CONTEXT, "read_write", create_buffer(FAR_CONTEXT, "f"), write_buffer("f", "area"), fill_buffer("f")
    ),
    access_from_host("read", read_buffer("f", "area"), read_host("area")),
)
"""A device without memory shared with the host: allocations are not linked."""
PAIR_AND_SECOND_CONTEXT = (
    *HOST_FIRST,
    access_from(B, "read", create_buffer(B, "b"), map_buffer("a", "area"), write_buffer("b", "area"), fill_buffer("b")),
)

VALID_TRACES: dict[str, tuple[ServedAccess, ...]] = {
    "host first": HOST_FIRST,
    "device first": DEVICE_FIRST,
    "device first, and back": (*DEVICE_FIRST, access_from(A, "write", unmap_buffer("a", "p"), fill_buffer("a"))),
    "there and back twice": (
        *DEVICE_FIRST,
        access_from(A, "read", unmap_buffer("a", "p"), fill_buffer("a")),
        access_from_host("read_write", map_buffer("a", "p"), write_host("p")),
        access_from(A, "read", unmap_buffer("a", "p"), fill_buffer("a")),
    ),
    "apart": SEPARATE,
    "apart, device first": (
        access_from(FAR_CONTEXT, "write", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f")),
        access_from_host("read", allocate_host("area"), read_buffer("f", "area"), read_host("area")),
    ),
    "a second context goes without": PAIR_AND_SECOND_CONTEXT,
    "the pair in between is given back": (
        *PAIR_AND_SECOND_CONTEXT[:2],
        access_from(
            B,
            "read",
            create_buffer(B, "b"),
            map_buffer("a", "area"),
            write_buffer("b", "area"),
            unmap_buffer("a", "area"),
            fill_buffer("b"),
        ),
        access_from(
            A, "read", map_buffer("a", "area"), read_buffer("b", "area"), unmap_buffer("a", "area"), fill_buffer("a")
        ),
    ),
    "to a linked one by way of its pair": (
        *PAIR_AND_SECOND_CONTEXT,
        access_from(A, "read_write", read_buffer("b", "area"), unmap_buffer("a", "area"), fill_buffer("a")),
    ),
    "two devices, the host between them linked with the first": (
        access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
        access_from(
            B,
            "read",
            create_buffer(B, "b"),
            map_buffer("a", "p"),
            write_buffer("b", "p"),
            unmap_buffer("a", "p"),
            fill_buffer("b"),
        ),
    ),
    "two devices, the host between them linked with the second": (
        access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
        access_from(
            B,
            "read",
            create_buffer(B, "b"),
            map_buffer("b", "p"),
            read_buffer("a", "p"),
            unmap_buffer("b", "p"),
            fill_buffer("b"),
        ),
    ),
    "the host's command before the second device's": (
        access_from(FAR_CONTEXT, "write", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f")),
        access_from(
            B,
            "read",
            allocate_host("area"),
            read_buffer("f", "area"),
            create_buffer(B, "b", on="area"),
            fill_buffer("b"),
        ),
    ),
    "read again where it was": (*HOST_FIRST, access_from(A, "read", fill_buffer("a"))),
    "mapped for reading, then written": (
        access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
        access_from_host("read", map_buffer("a", "p", "CL_MAP_READ"), read_host("p")),
        access_from_host("write", unmap_buffer("a", "p"), map_buffer("a", "p"), write_host("p")),
    ),
    "mapped and discarded": (
        access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
        access_from_host("discard_write", map_buffer("a", "p", "CL_MAP_WRITE_INVALIDATE_REGION"), write_host("p")),
        access_from(A, "read", unmap_buffer("a", "p"), fill_buffer("a")),
    ),
    "discarded without a transfer": (
        access_from(FAR_CONTEXT, "write", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f")),
        access_from_host("discard_write", allocate_host("area"), write_host("area")),
    ),
    "accessed and not seen": (
        access_from(A, "write", create_buffer(A, "a")),
        access_from_host("read", map_buffer("a", "p")),
    ),
}
VALID_USER_TRACES: dict[str, tuple[ServedAccess, ...]] = {
    "host first": USER_MEMORY_FIRST,
    "constructed": (access_from_host("construct"), *USER_MEMORY_FIRST),
    "apart, written at first": (
        access_from(FAR_CONTEXT, "read", create_buffer(FAR_CONTEXT, "f"), write_buffer("f", "users"), fill_buffer("f")),
    ),
    "apart, discarded at first": (
        access_from(FAR_CONTEXT, "discard_write", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f")),
    ),
    "shared, written at first": (
        access_from(A, "read", create_buffer(A, "a"), write_buffer("a", "users"), fill_buffer("a")),
    ),
    "shared, on the user's memory at once": (
        access_from(A, "read", create_buffer(A, "a", on="users"), fill_buffer("a")),
    ),
    "on the user's memory, whatever is discarded": (
        access_from(A, "discard_write", create_buffer(A, "a", on="users"), fill_buffer("a")),
        access_from_host("read", map_buffer("a", "users"), read_host("users")),
    ),
    "written at first, then mapped": (
        access_from(A, "read", create_buffer(A, "a"), write_buffer("a", "users"), fill_buffer("a")),
        access_from_host("read", map_buffer("a", "p"), read_host("p")),
    ),
}

COMMANDS, TRANSFER = "linked-allocation-commands", "linked-allocation-commands/7"
INVALID_TRACES: dict[str, tuple[tuple[ServedAccess, ...], tuple[str, int, int | None]]] = {
    "memory at construction": (
        (access_from_host("construct", create_buffer(A, "a")),),
        ("brief-overview-of-allocations-for-memory-objects/1", 0, 0),
    ),
    "host memory at construction": (
        (access_from_host("construct", allocate_host("area")),),
        ("brief-overview-of-allocations-for-memory-objects/1", 0, 0),
    ),
    "linked with a device apart": (
        (SEPARATE[0], access_from(FAR_CONTEXT, "read", create_buffer(FAR_CONTEXT, "f", on="area"), fill_buffer("f"))),
        ("command-linking-approach/1", 1, 0),
    ),
    "linked twice": ((*HOST_FIRST, access_from(B, "read", create_buffer(B, "b", on="area"))), (f"{COMMANDS}/3", 2, 0)),
    "not made on the host's memory": (
        (HOST_FIRST[0], access_from(A, "read", create_buffer(A, "a"), write_buffer("a", "area"), fill_buffer("a"))),
        (f"{COMMANDS}/5", 1, 0),
    ),
    "copied from the host's memory": (
        (SEPARATE[0], access_from(FAR_CONTEXT, "read", create_buffer(FAR_CONTEXT, "f", copied="area"))),
        (f"{COMMANDS}/5", 1, 0),
    ),
    "on other memory": (
        (HOST_FIRST[0], access_from(A, "read", create_buffer(A, "a", on="elsewhere"))),
        (f"{COMMANDS}/4", 1, 0),
    ),
    "host memory beside a map": (
        (DEVICE_FIRST[0], access_from_host("read", allocate_host("area"), read_buffer("a", "area"), read_host("area"))),
        (f"{COMMANDS}/6", 1, 0),
    ),
    "a read between linked sides": (
        (*HOST_FIRST, access_from_host("read", read_buffer("a", "area"), read_host("area"))),
        (TRANSFER, 2, 0),
    ),
    "a write between linked sides": (
        (*DEVICE_FIRST, access_from(A, "read", write_buffer("a", "p"), unmap_buffer("a", "p"), fill_buffer("a"))),
        (TRANSFER, 2, 0),
    ),
    "a map of what is apart": (
        (*SEPARATE[:2], access_from_host("read", map_buffer("f", "p"), read_host("p"))),
        (TRANSFER, 2, 0),
    ),
    "mapped twice": (
        (DEVICE_FIRST[0], access_from_host("read", map_buffer("a", "p"), map_buffer("a", "q"), read_host("p"))),
        (TRANSFER, 1, 1),
    ),
    "read twice": (
        (
            *SEPARATE[:2],
            access_from_host("read", read_buffer("f", "area"), read_buffer("f", "area"), read_host("area")),
        ),
        (TRANSFER, 2, 1),
    ),
    "written where it was": (
        (*SEPARATE[:2], access_from(FAR_CONTEXT, "read", write_buffer("f", "area"), fill_buffer("f"))),
        (TRANSFER, 2, 0),
    ),
    "switched for nothing": (
        (*DEVICE_FIRST, access_from_host("read", unmap_buffer("a", "p"), map_buffer("a", "p"), read_host("p"))),
        (TRANSFER, 2, 0),
    ),
    "both sides active": (
        (*DEVICE_FIRST, access_from(A, "read", mark_unsent(fill_buffer("a")), unmap_buffer("a", "p"))),
        (TRANSFER, 2, 0),
    ),
    "the host's side not active": (
        (*HOST_FIRST, access_from_host("read", mark_unsent(read_host("area")))),
        (TRANSFER, 2, 0),
    ),
    "never handed back": ((*DEVICE_FIRST, access_from(A, "read")), (TRANSFER, 2, None)),
    "a stale side": ((*SEPARATE[:2], access_from_host("read", read_host("area"))), (TRANSFER, 2, 0)),
    "half of it": (
        (*SEPARATE[:2], access_from_host("read", read_buffer("f", "area", 32), read_host("area"))),
        (TRANSFER, 2, 1),
    ),
    "never written at first": (
        (SEPARATE[0], access_from(FAR_CONTEXT, "read", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f"))),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
    "used without an access": ((*SEPARATE, access_from(A, "read", fill_buffer("f"))), (TRANSFER, 3, 0)),
    "nothing allocated": (
        (SEPARATE[0], access_from(FAR_CONTEXT, "read", read_host("elsewhere"))),
        (f"{COMMANDS}/5", 1, None),
    ),
    "discarded by the map and then read": (
        (
            DEVICE_FIRST[0],
            access_from_host("read_write", map_buffer("a", "p", "CL_MAP_WRITE_INVALIDATE_REGION"), read_host("p")),
        ),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
    "written through a map for reading": (
        (DEVICE_FIRST[0], access_from_host("write", map_buffer("a", "p", "CL_MAP_READ"), mark_unsent(write_host("p")))),
        (TRANSFER, 1, 1),
    ),
    "moved back over what is newer": (
        (
            SEPARATE[0],
            access_from(
                FAR_CONTEXT, "read_write", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f"), write_buffer("f", "area")
            ),
        ),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
    "from device to device at once": (
        (
            access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
            access_from(
                B, "read", create_buffer(B, "b"), fill_buffer("b"), read_buffer("a", "p"), write_buffer("b", "p")
            ),
        ),
        ("brief-overview-of-allocations-for-memory-objects/2", 1, 1),
    ),
}
INVALID_USER_TRACES: dict[str, tuple[tuple[ServedAccess, ...], tuple[str, int, int | None]]] = {
    "memory beside the user's": (
        (access_from_host("read", allocate_host("area"), read_host("area")),),
        (f"{COMMANDS}/6", 0, 0),
    ),
    "written although it is discarded": (
        (
            access_from(
                FAR_CONTEXT,
                "discard_write",
                create_buffer(FAR_CONTEXT, "f"),
                write_buffer("f", "users"),
                fill_buffer("f"),
            ),
        ),
        (TRANSFER, 0, 1),
    ),
    "written twice": (
        (
            access_from(
                FAR_CONTEXT,
                "read",
                create_buffer(FAR_CONTEXT, "f"),
                write_buffer("f", "users"),
                write_buffer("f", "users"),
            ),
        ),
        (TRANSFER, 0, 2),
    ),
    "not written": (
        (access_from(FAR_CONTEXT, "read", create_buffer(FAR_CONTEXT, "f"), fill_buffer("f")),),
        ("brief-overview-of-allocations-for-memory-objects/2", 0, 1),
    ),
}


@pytest.mark.parametrize("name", VALID_TRACES)
def test_valid_trace_has_no_violations(name: str) -> None:
    assert find_violations(*VALID_TRACES[name]) == []


@pytest.mark.parametrize("name", VALID_USER_TRACES)
def test_valid_trace_with_user_memory_has_no_violations(name: str) -> None:
    assert find_violations(*VALID_USER_TRACES[name], memory=USER_MEMORY) == []


@pytest.mark.parametrize("name", INVALID_TRACES)
def test_violation_of_a_trace_is_found_at_its_call(name: str) -> None:
    told, expected = INVALID_TRACES[name]
    assert find_violations(*told) == [expected]


@pytest.mark.parametrize("name", INVALID_USER_TRACES)
def test_violation_of_a_trace_with_user_memory_is_found(name: str) -> None:
    told, expected = INVALID_USER_TRACES[name]
    assert find_violations(*told, memory=USER_MEMORY) == [expected]


def test_trace_is_checked_further_after_a_violation() -> None:
    bad = access_from_host("read", read_buffer("a", "area"), read_host("area"))
    assert find_violations(
        *HOST_FIRST, bad, access_from(A, "read", fill_buffer("a")), access_from_host("read", read_host("area"))
    ) == [
        (TRANSFER, 2, 0),
        (TRANSFER, 3, 0),
        (TRANSFER, 4, 0),
    ]


def test_two_memory_objects_of_a_trace_are_checked_independently() -> None:
    good = (*HOST_FIRST, access_from_host("write", allocate_host("other"), write_host("other"), memory="n"))
    assert (
        find_violations(
            *good,
            access_from(A, "read", create_buffer(A, "c", on="other"), fill_buffer("c"), memory="n"),
            others=(OTHER_MEMORY,),
        )
        == []
    )
    wrong = access_from(A, "read", create_buffer(A, "c", on="area"), memory="n")
    assert find_violations(*good, wrong, others=(OTHER_MEMORY,)) == [(f"{COMMANDS}/1", 3, 0)]


def test_failed_call_in_a_trace_transfers_nothing() -> None:
    refused = read_buffer("f", "area")
    again = access_from_host("read", type(refused)(refused.call, type(refused.outcome)(-5)), refused, read_host("area"))
    assert find_violations(*SEPARATE[:2], again) == []


def test_kernel_enqueue_in_a_trace_accesses_its_buffer_arguments() -> None:
    told = create_step("clSetKernelArg", kernel=Handle("k"), arg_index=0, arg_value=HandleBytes(Handle("a")))
    run = create_step("clEnqueueNDRangeKernel", kernel=Handle("k"))
    assert find_violations(*DEVICE_FIRST, access_from(A, "read", told, unmap_buffer("a", "p"), run)) == []
    assert find_violations(*DEVICE_FIRST, access_from(A, "read", told, run, unmap_buffer("a", "p"))) == [
        (TRANSFER, 2, 1)
    ]


def test_every_rule_of_the_note_is_a_requirement_that_a_trace_covers() -> None:
    requirements = {
        requirement.id for requirement in load().requirements.values() if requirement.document == "linked-allocations"
    }
    assert set(RULE_TEXTS) == {requirement for requirement in requirements if "/usage/" not in requirement}
    second = (access_from_host("write", allocate_host("other"), write_host("other"), memory="n"),)
    told = (
        access_from_host("construct"),
        *USER_MEMORY_FIRST,
        access_from(B, "read", create_buffer(B, "b"), map_buffer("a", "users"), write_buffer("b", "users")),
    )
    reading = judge_trace(create_trace(*told, *second, memory=USER_MEMORY, others=(OTHER_MEMORY,)))
    assert not reading.violations
    assert set(reading.met) == set(RULE_TEXTS)
    assert reading.met[runtime_rules.LAZY_ALLOCATION] == [0]
    assert reading.met[runtime_rules.TRANSFER] == [3]
    assert reading.met[runtime_rules.NOT_LINKED_BEFORE] == [3]
    assert reading.met[runtime_rules.SAME_OBJECT] == [4]


def test_memory_is_linkable_only_in_contexts_that_share_memory() -> None:
    image, pinned = TraceMemoryObject("i", 64, image=True), TraceMemoryObject("p", 64, pinned=True)
    for memory in (PLAIN_MEMORY, USER_MEMORY, image, pinned):
        assert is_linkable(memory, A)
        assert not is_linkable(memory, FAR_CONTEXT)
    assert is_linkable(pinned, FAR_CONTEXT, CURRENT_RUNTIME)
    assert not is_linkable(image, A, CURRENT_RUNTIME)
    assert is_linkable(PLAIN_MEMORY, A, CURRENT_RUNTIME)


def test_later_runtime_links_only_allocations_of_the_last_access() -> None:
    """The host's allocation is not part of the last access, so the new allocation is not linked with it."""
    told = (
        SEPARATE[0],
        access_from(FAR_CONTEXT, "write", create_buffer(FAR_CONTEXT, "f"), write_buffer("f", "area"), fill_buffer("f")),
        access_from(
            A, "read", create_buffer(A, "a"), read_buffer("f", "area"), write_buffer("a", "area"), fill_buffer("a")
        ),
    )
    assert find_violations(*told, dialect=NoteDialect(current_only=True)) == []
    assert find_violations(*told) == [(f"{COMMANDS}/5", 2, 0)]


def test_transfer_of_discarded_contents_violates_only_later_runtime() -> None:
    told = (*SEPARATE[:2], access_from_host("discard_write", read_buffer("f", "area"), write_host("area")))
    assert find_violations(*told, dialect=NOTE) == []
    assert find_violations(*told, dialect=NoteDialect(spares_discarded=True)) == [(TRANSFER, 2, 0)]


def test_map_at_another_address_than_the_host_memory_is_noted() -> None:
    """The note needs an allocation that uses host memory, and a map that begins at its first byte."""
    steps = [
        create_buffer(A, "a", on="area"),
        create_buffer(B, "b"),
        map_buffer("a", "area"),
        map_buffer("b", "p"),
        map_buffer("a", "q"),
        fill_buffer("a"),
    ]
    assert list(maps_elsewhere(steps)) == [steps[4].call]
