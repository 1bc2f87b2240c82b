"""Unified shared memory allocated, freed and asked about: right calls and wrong ones.

Where a device lacks a type, the right call to allocate it is one more wrong one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Inside, Items, Room
from clconform.oracles.contents.unified import CAPABILITIES, DEVICE, HOST, SHARED
from clconform.suites.errors.changes import change
from clconform.suites.errors.contexts import of_type_of
from clconform.suites.errors.controls import control
from clconform.suites.errors.recurring import NOBODYS_BITS
from clconform.suites.errors.svm import LARGEST, PATTERNS, TOP, larger_than_most
from clconform.suites.partition.cases import part
from clconform.suites.partition.entries import CORE_ENTRY
from clconform.suites.queries.allocations import ALLOCATING, COMBINED, FLAGS, PLACEMENTS, SIZE, allocate
from clconform.suites.queries.allocations import FUNCTION as ASK
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

FREE, WAIT_AND_FREE = "clMemFreeINTEL", "clMemBlockingFreeINTEL"
FIRST_DEVICE, FIRST_HOST = PLACEMENTS
NOBODYS_NAME = 0x7FFF0000
"""A name that no registry gives out."""
NAMES_OF_OTHERS = (0x1101, 0x419E)
"""Names that properties of buffers have, or have in other extensions: flags, and one device's number."""


def unified(bench: Bench, *sorts: str, context: Handle | None = None) -> Handle:
    """Allocate memory of the first of some types that the device has, by default of any, aligned for all data types."""
    return allocate(bench.cl, context or bench.context, *(sorts or (DEVICE, SHARED, HOST)), alignment=LARGEST)


@control(ALLOCATING[HOST])
def allocate_host(bench: Bench) -> Arguments:
    """Allocate memory of the host, aligned as the implementation does it."""
    return {"context": bench.context, "size": SIZE, "alignment": 0}


@control(ALLOCATING[DEVICE], ALLOCATING[SHARED])
def allocate_for_a_device(bench: Bench) -> Arguments:
    """Allocate memory of the device, or shared with it, aligned as the implementation does it."""
    return {"context": bench.context, "device": bench.cl.device, "size": SIZE, "alignment": 0}


@control(FREE, WAIT_AND_FREE)
def free(bench: Bench) -> Arguments:
    """Free an allocation."""
    return {"context": bench.context, "ptr": unified(bench)}


@control(ASK)
def ask(bench: Bench) -> Arguments:
    """Ask for an allocation's type."""
    return {
        "context": bench.context,
        "ptr": unified(bench),
        "param_name": bench.value("CL_MEM_ALLOC_TYPE_INTEL"),
        "param_value_size": 4,
        "param_value": Room(4),
        "param_value_size_ret": Room(1),
    }


# allocations


def listed(*elements: str | int) -> Difference:
    """Return the change to a list of properties; names stand for their values, and zero is put behind them."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        values = [bench.value(each) if isinstance(each, str) else each for each in elements]
        return {"properties": Items((*values, 0))}

    return difference


def flagged(*flags: str | int) -> Difference:
    """Return the change to a list that holds these flags; names stand for their values."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        bits = sum(bench.value(each) if isinstance(each, str) else each for each in flags)
        return {"properties": Items((bench.value(FLAGS), bits, 0))}

    return difference


def _with_all_devices(**others: Value) -> Difference:
    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        needs(len(bench.cl.devices) > 1, "the platform has one device only")
        return {"context": bench.new_context(*bench.cl.devices), **others}

    return difference


def _another_device(*, in_the_context: bool) -> Difference:
    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        others = [device for device in bench.cl.devices if device != bench.cl.device]
        needs(others, "the platform has one device only")
        return {"device": others[0], **({"context": bench.new_context(*bench.cl.devices)} if in_the_context else {})}

    return difference


for _function in ALLOCATING.values():
    _success, _value = f"{_function}/success", f"{_function}/CL_INVALID_VALUE"
    change(_success, "for all devices", _with_all_devices())
    for _alignment in (3, 5, 6, 7, 12, 24, 48, 96, 127, 129, 192, 1000, TOP & 0xFFFFFFFF):
        change(f"{_value}/1", f"alignment={_alignment}", {"alignment": _alignment})
    for _exponent in range(8, 32):
        change(f"{_value}/2", f"alignment=2^{_exponent}", {"alignment": 1 << _exponent})
    for _alignment in PATTERNS:
        change(_success, f"alignment={_alignment}", {"alignment": _alignment})
        change(_success, f"alignment={_alignment}, size=1", {"alignment": _alignment, "size": 1})
    change(_success, "size=1", {"size": 1})
    change(_success, "size=largest", larger_than_most(0))
    _size = f"{_function}/CL_INVALID_BUFFER_SIZE/1"
    change(_size, "size=0", {"size": 0})
    change(_size, "size=largest+1", larger_than_most(1))
    change(_size, "size=the largest number", {"size": TOP})
    change(_size, "size=more than half of all numbers", {"size": (TOP >> 1) + 2})
    for _near in (1, 15, 63, 127, 4095):
        change(_size, f"size=the largest number-{_near}", {"size": TOP - _near})
    change(_success, "an empty list", listed())
    change(f"{_function}/CL_INVALID_PROPERTY/1", "no flags", flagged())
    change(_success, COMBINED, flagged(COMBINED))
    _listed = f"{_function}/CL_INVALID_PROPERTY"
    change(f"{_listed}/1", "a name of nobody", listed(NOBODYS_NAME, 1))
    change(f"{_listed}/1", "a name of nobody behind flags", listed(FLAGS, COMBINED, NOBODYS_NAME, 1))
    change(f"{_listed}/1", "no flags, twice", listed(FLAGS, 0, FLAGS, 0))
    change(f"{_listed}/1", f"{COMBINED}, twice", listed(FLAGS, COMBINED, FLAGS, COMBINED))
    for _bit in NOBODYS_BITS:
        change(f"{_listed}/1", f"bit {_bit.bit_length() - 1}", flagged(_bit))
        change(f"{_listed}/1", f"{COMBINED} and bit {_bit.bit_length() - 1}", flagged(COMBINED, _bit))
    for _known in NAMES_OF_OTHERS:
        change(f"{_listed}/1", f"the property {_known:#x} of other memory", listed(_known, 1))
    change(f"{_listed}/2", f"{FIRST_DEVICE} and {FIRST_HOST}", flagged(FIRST_DEVICE, FIRST_HOST))
    change(f"{_listed}/2", "all flags", flagged(COMBINED, FIRST_DEVICE, FIRST_HOST))
    for _place in (FIRST_DEVICE, FIRST_HOST):
        _record = _success if _function == ALLOCATING[SHARED] else f"{_listed}/2"
        change(_record, _place, flagged(_place))
        change(_record, f"{COMBINED} and {_place}", flagged(COMBINED, _place))


def _a_part_of_the_device(sort: str) -> Difference:
    def make(bench: Bench, _given: Arguments) -> Arguments:
        device = part(bench.cl, CORE_ENTRY)
        for name in (*CAPABILITIES[sort], "CL_DEVICE_MAX_MEM_ALLOC_SIZE"):
            if bench.cl.fact(name):  # what the device as a whole has
                bench.cl.query("clGetDeviceInfo", device, name)
        return {"device": device}

    return make


for _sort in (DEVICE, SHARED):
    change(f"{ALLOCATING[_sort]}/success", "another device", _another_device(in_the_context=True))
    change(f"{ALLOCATING[_sort]}/CL_INVALID_OPERATION/1", "another device", _another_device(in_the_context=True))
    change(
        f"{ALLOCATING[_sort]}/success",
        "in a context made by a type",
        lambda bench, _given: {"context": of_type_of(bench, bench.cl.device)},
    )
    change(
        f"{ALLOCATING[_sort]}/CL_INVALID_DEVICE/1",
        "a sub-device of the context's device",
        _a_part_of_the_device(_sort),
    )
change(f"{ALLOCATING[SHARED]}/CL_INVALID_DEVICE/1", "device not in context", _another_device(in_the_context=False))
change(f"{ALLOCATING[SHARED]}/success", "device=NULL", {"device": None})
for _alignment in (1, LARGEST):
    _changed: dict[str, Value] = {"device": None, "alignment": _alignment}
    change(f"{ALLOCATING[SHARED]}/success", f"device=NULL, alignment={_alignment}", _changed)
change(f"{ALLOCATING[SHARED]}/success", "device=NULL, for all devices", _with_all_devices(device=None))
change(
    f"{ALLOCATING[SHARED]}/success",
    "device=NULL, in a context made by a type",
    lambda bench, _given: {"device": None, "context": of_type_of(bench, bench.cl.device)},
)
change(f"{ALLOCATING[SHARED]}/CL_INVALID_CONTEXT/1", "context=NULL, device=NULL", {"context": None, "device": None})
change(f"{ALLOCATING[SHARED]}/CL_INVALID_VALUE/1", "device=NULL, alignment=3", {"device": None, "alignment": 3})
change(f"{ALLOCATING[SHARED]}/CL_INVALID_VALUE/2", "device=NULL, alignment=256", {"device": None, "alignment": 256})
change(f"{ALLOCATING[SHARED]}/CL_INVALID_BUFFER_SIZE/1", "device=NULL, size=0", {"device": None, "size": 0})

# clMemFreeINTEL, clMemBlockingFreeINTEL


def _inside(offset: int) -> Difference:
    return lambda bench, _given: {"ptr": Inside(unified(bench), offset)}


def _of_the_type(sort: str) -> Difference:
    return lambda bench, _given: {"ptr": unified(bench, sort)}


for _function in (FREE, WAIT_AND_FREE):
    change(f"{_function}/success", "ptr=NULL", {"ptr": None})
    for _sort in ALLOCATING:
        change(f"{_function}/success", _sort, _of_the_type(_sort))
    for _offset in (1, LARGEST, SIZE - 1):
        change(f"{_function}/CL_INVALID_VALUE/1", f"ptr {_offset} bytes into an allocation", _inside(_offset))
    change(
        f"{_function}/CL_INVALID_VALUE/1",
        "ptr=the host's own memory",
        lambda bench, _given: {"ptr": one(bench.cl.host_allocate(SIZE, LARGEST))},
    )
    change(
        f"{_function}/CL_INVALID_VALUE/1",
        "ptr of another context",
        lambda bench, _given: {"ptr": unified(bench, context=bench.foreign_context)},
    )

# clGetMemAllocInfoINTEL

for _name in (NOBODYS_NAME, 0xFFFFFFFF):
    change(f"{ASK}/CL_INVALID_VALUE/1", f"param_name={_name:#x}", {"param_name": _name})
change(
    f"{ASK}/CL_INVALID_VALUE/1",
    "param_name of a buffer",
    lambda bench, _given: {"param_name": bench.value("CL_MEM_SIZE")},
)
for _room in range(4):
    _less: dict[str, Value] = {"param_value_size": _room, "param_value": Room(_room)}
    change(f"{ASK}/CL_INVALID_VALUE/2", f"room of {_room} bytes", _less)
change(f"{ASK}/success", "the size only", {"param_value_size": 0, "param_value": None})
change(f"{ASK}/success", "ptr=NULL", {"ptr": None})
change(f"{ASK}/success", "ptr inside", lambda bench, _given: {"ptr": Inside(unified(bench), SIZE - 1)})
