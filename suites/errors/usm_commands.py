"""Commands on unified shared memory, and kernels that are given it: right calls and wrong ones."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Pointers, Room
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS, SYSTEM
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.oracles.contents.unified import DEVICE, HOST, SHARED, TYPES
from clconform.oracles.model.kernels import Kernel
from clconform.suites.errors.changes import change
from clconform.suites.errors.controls import control
from clconform.suites.errors.recurring import NOBODYS_BITS
from clconform.suites.errors.svm import LARGEST, PATTERNS, with_flags
from clconform.suites.errors.svm_commands import HALF, copies, filled
from clconform.suites.errors.usm import NOBODYS_NAME, unified
from clconform.suites.queries.allocations import SIZE, has_type
from clconform.suites.queries.programs import a_kernel
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

FILL, COPY, MIGRATE, ADVISE = (f"clEnqueue{name}INTEL" for name in ("MemFill", "Memcpy", "MigrateMem", "MemAdvise"))
SET, TELL = "clSetKernelArgMemPointerINTEL", "clSetKernelExecInfo"
ARGUMENTS = {"data": 0, "other": 1, "scale": 2, "shared": 3, "offset": 4}
"""What the kernel with arguments of every sort calls them."""
LOST, TO_THE_HOST = "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED", "CL_MIGRATE_MEM_OBJECT_HOST"
TRUE, FALSE = (Data(struct.pack("I", truth)) for truth in (1, 0))


@control(COPY)
def copy(bench: Bench) -> Arguments:
    """Copy all of one allocation to another."""
    both = {"dst_ptr": unified(bench), "src_ptr": unified(bench)}
    return {"command_queue": bench.queue, "blocking": 1, **both, "size": SIZE}


@control(FILL)
def fill(bench: Bench) -> Arguments:
    """Fill all of an allocation."""
    pattern = Data(bytes(range(LARGEST)))
    where = {"command_queue": bench.queue, "dst_ptr": unified(bench)}
    return {**where, "pattern": pattern, "pattern_size": 4, "size": SIZE}


@control(MIGRATE)
def migrate(bench: Bench) -> Arguments:
    """Migrate the whole of an allocation of shared memory whose contents nobody needs."""
    return {**_all_of_one(bench), "flags": bench.value(LOST)}


@control(ADVISE)
def advise(bench: Bench) -> Arguments:
    """Give no advice about the whole of an allocation of shared memory."""
    return {**_all_of_one(bench), "advice": 0}


def _all_of_one(bench: Bench) -> Arguments:
    return {"command_queue": bench.queue, "ptr": unified(bench, SHARED, DEVICE, HOST), "size": SIZE}


def given(name: str, *sorts: str, offset: int = 0) -> Difference:
    """Return the change of a pointer to one into an allocation of the first of some types that there is."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        memory = unified(bench, *sorts)
        return {name: Inside(memory, offset) if offset else memory}

    return difference


@control(SET)
def set_argument(bench: Bench) -> Arguments:
    """Set an allocation of the kernel's context as its first argument."""
    kernel = _kernel(bench)
    return {"kernel": kernel, "arg_index": ARGUMENTS["data"], "arg_value": unified(bench)}


@control(TELL)
def tell(bench: Bench) -> Arguments:
    """Let a kernel reach an allocation that is no argument of it."""
    value = Pointers((unified(bench),))
    kernel = _kernel(bench)
    return {"kernel": kernel, "param_name": bench.value(POINTERS), "param_value_size": 8, "param_value": value}


def _kernel(bench: Bench) -> Handle:
    """Make a kernel with arguments of every sort, and take its context for the bench's."""
    kernel = a_kernel(bench.cl, "add_scaled")
    context = bench.cl.model.get(Kernel, kernel).context
    needs(context, "the kernel's context is not known")
    bench.context = Handle(context.name) if context else bench.context
    return kernel


# clEnqueueMemcpyINTEL

copies(COPY, unified, SIZE)
change(f"{COPY}/success", "not blocking", {"blocking": 0})
change(f"{COPY}/success", "from the host to the host", {"dst_ptr": Room(SIZE), "src_ptr": Data(bytes(SIZE))})


def _between(to: str, start: str) -> Difference:
    return lambda bench, _given: {"dst_ptr": unified(bench, to), "src_ptr": unified(bench, start)}


for _to in TYPES:
    for _start in TYPES:
        change(f"{COPY}/success", f"from {_start} to {_to}", _between(_to, _start))

# clEnqueueMemFillINTEL

_filled = functools.partial(filled, "dst_ptr")
change(f"{FILL}/CL_INVALID_VALUE/1", "dst_ptr=NULL, no byte", {"dst_ptr": None, "size": 0})
change(f"{FILL}/CL_INVALID_VALUE/1", "dst_ptr=NULL", {"dst_ptr": None})
for _sort in TYPES:
    change(f"{FILL}/success", _sort, given("dst_ptr", _sort))
for _size in PATTERNS:
    change(f"{FILL}/success", f"a pattern of {_size}", _filled(0, _size, SIZE))
    change(f"{FILL}/success", f"a pattern of {_size}, once, at the second place", _filled(_size, _size, _size))
    change(f"{FILL}/success", f"a pattern of {_size}, no byte", _filled(0, _size, 0))
for _size in PATTERNS[1:]:
    change(f"{FILL}/CL_INVALID_VALUE/1", f"a pattern of {_size}, 1 byte on", _filled(1, _size, _size))
    change(f"{FILL}/CL_INVALID_VALUE/1", f"a pattern of {_size}, half of it on", _filled(_size // 2, _size, _size))
    change(f"{FILL}/CL_INVALID_VALUE/4", f"a pattern of {_size}, a byte too much", _filled(0, _size, _size + 1))
    change(f"{FILL}/CL_INVALID_VALUE/4", f"a pattern of {_size}, a byte short of two", _filled(0, _size, 2 * _size - 1))
    change(f"{FILL}/CL_INVALID_VALUE/4", f"a pattern of {_size}, half of it", _filled(0, _size, _size // 2))
change(f"{FILL}/CL_INVALID_VALUE/3", "pattern_size=0", {"pattern_size": 0})
for _size in (*range(1, 260), 512, 1024):
    if _size not in PATTERNS:
        change(f"{FILL}/CL_INVALID_VALUE/3", f"a pattern of {_size}", _filled(0, _size, _size))

# clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL


def _inside(offset: int, size: int) -> Difference:
    def difference(_bench: Bench, given: Arguments) -> dict[str, Value]:
        memory = given["ptr"]
        return {"ptr": Inside(memory, offset) if isinstance(memory, Handle) else memory, "size": size}

    return difference


for _function in (MIGRATE, ADVISE):
    _open = f"{_function}/CL_INVALID_VALUE/1"
    change(f"{_function}/success", "the first byte", {"size": 1})
    change(f"{_function}/success", "the last byte", _inside(SIZE - 1, 1))
    change(f"{_function}/success", "the second half", _inside(HALF, HALF))
    change(_open, "ptr=NULL", {"ptr": None})
    change(_open, "ptr=NULL, no byte", {"ptr": None, "size": 0})
    change(_open, "no byte", {"size": 0})
    change(_open, "the host's own memory", lambda bench, _given: {"ptr": one(bench.cl.host_allocate(SIZE, LARGEST))})
    for _sort in (HOST, DEVICE):
        change(_open, _sort, given("ptr", _sort))
change(f"{MIGRATE}/CL_INVALID_VALUE/2", "flags=0", {"flags": 0})
for _bit in (1 << 32, *NOBODYS_BITS):
    change(f"{MIGRATE}/CL_INVALID_VALUE/2", f"flags=bit {_bit.bit_length() - 1}", {"flags": _bit})
    change(f"{MIGRATE}/CL_INVALID_VALUE/2", f"flags and bit {_bit.bit_length() - 1}", {"flags": 2 | _bit})
for _names in ((TO_THE_HOST,), (TO_THE_HOST, LOST)):
    change(f"{MIGRATE}/CL_INVALID_VALUE/2", " and ".join(_names), with_flags(*_names))
for _advice in (1, NOBODYS_NAME, 0xFFFFFFFF, *range(0x4208, 0x4210)):
    change(f"{ADVISE}/CL_INVALID_VALUE/2", f"advice={_advice:#x}", {"advice": _advice})

# clSetKernelArgMemPointerINTEL


change(f"{SET}/CL_INVALID_ARG_INDEX/1", "arg_index=number", {"arg_index": len(ARGUMENTS)})
change(f"{SET}/CL_INVALID_ARG_INDEX/1", "arg_index=largest", {"arg_index": 0xFFFFFFFF})
change(f"{SET}/success", "arg_value=NULL", {"arg_value": None})
change(f"{SET}/success", "to constant memory", {"arg_index": ARGUMENTS["scale"]})
for _sort in TYPES:
    change(f"{SET}/success", _sort, given("arg_value", _sort))
for _offset in (1, 4, SIZE - 1):
    change(f"{SET}/success", f"{_offset} bytes into an allocation", given("arg_value", offset=_offset))
change(f"{SET}/CL_INVALID_ARG_VALUE/1", "the end of an allocation", given("arg_value", offset=SIZE))
for _name in ("shared", "offset"):
    change(f"{SET}/CL_INVALID_ARG_VALUE/1", f"a pointer as {_name}", {"arg_index": ARGUMENTS[_name]})
    change(f"{SET}/CL_INVALID_ARG_VALUE/1", f"NULL as {_name}", {"arg_index": ARGUMENTS[_name], "arg_value": None})
change(
    f"{SET}/CL_INVALID_ARG_VALUE/1",
    "the host's own memory",
    lambda bench, _given: {"arg_value": one(bench.cl.host_allocate(SIZE, LARGEST))},
)
change(
    f"{SET}/CL_INVALID_ARG_VALUE/1",
    "of another context",
    lambda bench, _given: {"arg_value": unified(bench, context=bench.foreign_context)},
)

# clSetKernelExecInfo


def _told(name: str, size: int, value: Value) -> Difference:
    return lambda bench, _given: {"param_name": bench.value(name), "param_value_size": size, "param_value": value}


for _name, _sort in ((name, kind.title) for name, kind in INDIRECT.items()):
    change(f"{TELL}/success", f"may reach {_sort}", _told(_name, 4, TRUE))
    change(f"{TELL}/success", f"may not reach {_sort}", _told(_name, 4, FALSE))
    change(f"{TELL}/CL_INVALID_VALUE/1", f"{_sort}, NULL", _told(_name, 4, None))
    for _size in (0, 1, 3):
        change(f"{TELL}/CL_INVALID_VALUE/1", f"{_sort}, {_size} bytes", _told(_name, _size, TRUE))
    change(f"{TELL}/CL_INVALID_VALUE/1", f"{_sort}, 5 bytes", _told(_name, 5, Data(bytes(5))))
change(f"{TELL}/success", "no pointers", {"param_value_size": 0, "param_value": None})
change(f"{TELL}/CL_INVALID_VALUE/1", "pointers, NULL", {"param_value": None})
for _size in (1, 4, 7):
    change(f"{TELL}/CL_INVALID_VALUE/1", f"pointers, {_size} bytes", {"param_value_size": _size})


def _listing(*offsets: int | None, size: int | None = None) -> Difference:
    """Return the change to a list of pointers into as many allocations, or of NULL; ``size``: bytes, if not all."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        pointers = Pointers(tuple(None if offset is None else _pointer(bench, offset) for offset in offsets))
        whole = POINTER_BYTES * len(offsets)
        return {"param_value": pointers, "param_value_size": whole if size is None else size}

    return difference


def _pointer(bench: Bench, offset: int) -> Handle | Inside:
    memory = unified(bench)
    return Inside(memory, offset) if offset else memory


for _count in (2, 3, 17):
    _zeros, _whole = (0,) * _count, POINTER_BYTES * _count
    change(f"{TELL}/success", f"{_count} pointers", _listing(*_zeros))
    for _less in (1, 4, 7):
        change(
            f"{TELL}/CL_INVALID_VALUE/1",
            f"{_count} pointers less {_less} bytes",
            _listing(*_zeros, size=_whole - _less),
        )
    _nowhere: dict[str, Value] = {"param_value": None, "param_value_size": _whole}
    change(f"{TELL}/CL_INVALID_VALUE/1", f"{_count} pointers, NULL", _nowhere)
change(f"{TELL}/success", "the first of two pointers", _listing(0, 0, size=8))
for _words, _offsets in (("NULL", (None,)), ("NULL behind a pointer", (0, None)), ("an inner pointer", (LARGEST,))):
    change(f"{TELL}/CL_INVALID_VALUE/1", f"a list of {_words}", _listing(*_offsets))
change(
    f"{TELL}/CL_INVALID_VALUE/1",
    "a list with the host's own memory",
    lambda bench, _given: {"param_value": Pointers((one(bench.cl.host_allocate(SIZE, LARGEST)),))},
)
change(
    f"{TELL}/CL_INVALID_VALUE/1",
    "a list with memory of another context",
    lambda bench, _given: {"param_value": Pointers((unified(bench, context=bench.foreign_context),))},
)
for _value in (NOBODYS_NAME, 0xFFFFFFFF):
    change(f"{TELL}/CL_INVALID_VALUE/1", f"param_name={_value:#x}", {"param_name": _value})


def _all_of_the_hosts(bench: Bench, _given: Arguments) -> dict[str, Value]:
    needs(has_type(bench.cl, DEVICE), "the device has no unified shared memory")
    return {"param_name": bench.value(SYSTEM), "param_value_size": 4, "param_value": TRUE}


change(f"{TELL}/CL_INVALID_OPERATION/2", "all memory of the host's", _all_of_the_hosts)
