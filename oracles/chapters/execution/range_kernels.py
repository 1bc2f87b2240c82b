"""Effects of the known kernels over ranges: ids and sizes of work-items, and data exchange within work-groups."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.chapters.execution.clauses.launches import device_of
from clconform.oracles.chapters.execution.clauses.ranges import needs_uniform_groups
from clconform.oracles.chapters.execution.ranges import TASK, range_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Place
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, MASK, Elements
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.range_kernels import ALL_TRUE, AXES, FACTOR, LAST, Told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.chapters.execution.ranges import Range, Sizes
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.range_kernels import RangeKernel
    from clconform.oracles.model.world import Model

BITS = 32
"""Bits of an element."""
AT_ZERO, AT_AN_OFFSET = "global ids from 0", "global ids from an offset"
IN_GROUPS, IN_UNIFORM_GROUPS = "groups of a given size", "uniform groups of a chosen size"
WITH_A_REMAINDER, BY_A_TASK = "groups of a given size, and smaller ones", "a task"
PASSED_ON = "what work-items of a group had left for each other"
"""Evidence tags: the properties of a kernel enqueue that the memory which it wrote shows."""
Number = int | None
"""The value of an element; None if it is unspecified."""
Said = tuple[Number, str]
"""The value of an element, and the requirement that it is attributed to."""


class Item(NamedTuple):
    """A work-item: ``at`` is its position in the range without the offset; each tuple has one number per axis.

    ``local``: the given work-group size; None if the implementation chooses it.
    """

    at: Sizes
    offset: Sizes
    sizes: Sizes
    local: Sizes | None

    @property
    def position(self) -> int:
        """Return the index of the work-item in the buffer."""
        x, y, z = self.at
        return (z * self.sizes[1] + y) * self.sizes[0] + x

    @property
    def ids(self) -> Sizes:
        """Return the global id of the work-item."""
        return tuple(map(sum, zip(self.at, self.offset, strict=True)))

    @property
    def group(self) -> Sizes | None:
        """Return the id of its work-group, None if the size is not known."""
        return tuple(at // size for at, size in zip(self.at, self.local, strict=True)) if self.local else None

    @property
    def group_sizes(self) -> Sizes | None:
        """Return the size of its work-group; it is smaller at the end of a range that is not a multiple."""
        if self.local is None or self.group is None:
            return None
        rest = (size - at * local for size, at, local in zip(self.sizes, self.group, self.local, strict=True))
        return tuple(map(min, self.local, rest))

    @property
    def within(self) -> Sizes | None:
        """Return the local id of the work-item, None if the size of its work-group is not known."""
        return tuple(at % size for at, size in zip(self.at, self.local, strict=True)) if self.local else None

    @property
    def groups(self) -> Sizes | None:
        """Return the number of work-groups along each axis, None if their size is not known."""
        return (
            tuple(-(-size // local) for size, local in zip(self.sizes, self.local, strict=True)) if self.local else None
        )


def range_worked_on(call: Call, kernel: Kernel, known: RangeKernel, model: Model) -> MemoryEffect:
    """Return the effect of a kernel over a range; UnknownError if its argument is not a buffer.

    Raise ForbiddenError if it exceeds the buffer or its local memory.
    """
    launch = range_of(call)
    if launch.dimensions > len(AXES):
        raise UnknownError("dimensions")
    data = _data(kernel, known, launch)
    if known.local:
        _needs_local_memory(kernel, launch)
    uniform = _must_be_uniform(kernel, call, model)

    said = _Says(call.function, launch, uniform=launch.uniform if launch.local is not None else uniform)

    def carry_out(_value: Element, _command: Command | None) -> None:
        data.put(lambda: _content(_made(known, launch, Elements(data.read()), said)))
        data.storage.ways = frozenset(_ways(call, known, launch, uniform=uniform))

    return MemoryEffect((data,), (data,), carry_out=carry_out)


def _data(kernel: Kernel, known: RangeKernel, launch: Range) -> Place:
    argument = kernel.arguments.get(0)
    buffer = argument.object if argument is not None else None
    if not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownError("argument")
    size = ELEMENT_BYTES * (known.elements * launch.work_items or LAST)
    if size > buffer.memory.size:
        raise ForbiddenError("the kernel goes beyond the buffer")
    return Place(buffer.memory.storage, buffer.memory.spans(0, size), buffer)


def _needs_local_memory(kernel: Kernel, launch: Range) -> None:
    """Raise ForbiddenError if a work-group may be larger than the local memory argument."""
    argument = kernel.arguments.get(1)
    if argument is None or argument.value is not None or argument.size is None:
        raise UnknownError("argument")
    items = launch.work_items
    if launch.local is not None:
        items = min(items, math.prod(launch.local))
    if ELEMENT_BYTES * items > argument.size:
        raise ForbiddenError("the kernel goes beyond its local memory")


def _must_be_uniform(kernel: Kernel, call: Call, model: Model) -> bool:
    try:
        return needs_uniform_groups(kernel, device_of(call, model))
    except UnknownError:
        return False


def _ways(call: Call, known: RangeKernel, launch: Range, *, uniform: bool) -> Iterator[str]:
    """Yield the evidence tags of a kernel enqueue."""
    if call.function == TASK:
        yield BY_A_TASK
    if known.told is Told.TURNED and launch.local is not None and math.prod(launch.local) > 1:
        yield PASSED_ON
    if known.told in (Told.IDS, Told.GROUPS):
        yield AT_AN_OFFSET if any(launch.offset) else AT_ZERO
        if launch.local is not None:
            yield IN_GROUPS if launch.uniform else WITH_A_REMAINDER
        elif uniform and known.told is Told.IDS:
            yield IN_UNIFORM_GROUPS


# written values


@dataclass(frozen=True)
class _Says:
    """The values that work-items write, each with the requirement that it is attributed to.

    ``uniform``: all work-groups certainly have one size.
    """

    function: str
    launch: Range
    uniform: bool = field(kw_only=True)

    @property
    def success(self) -> str:
        """Return the requirement for values without a more specific one."""
        return f"{self.function}/success"

    def _by(self, record: str) -> str:
        """Return a requirement of clEnqueueNDRangeKernel, or for a task the one that makes it equivalent."""
        return "clEnqueueTask/effect/6" if self.function == TASK else record

    @property
    def ids(self) -> str:
        """Return the requirement for global ids."""
        offset = any(self.launch.offset)
        return self._by("clEnqueueNDRangeKernel/effect/17" if offset else "clEnqueueNDRangeKernel/effect/3")

    @property
    def count(self) -> str:
        """Return the requirement for the number of work-items."""
        return self._by("clEnqueueNDRangeKernel/effect/4")

    def of_ids(self, item: Item) -> Iterator[Said]:
        """Yield the values that ``tell_ids`` writes after its first element."""
        yield self.launch.dimensions, self.success
        yield from self._all(item.ids, self.ids)
        yield from self._all(item.offset, self.success)
        yield from self._all(item.sizes, self.success)
        yield from self._all(tuple(number >> BITS for number in item.ids), self.ids)
        yield from self._all(tuple(number >> BITS for number in item.offset), self.success)
        chosen = self.launch.local is None
        fitting = "clEnqueueNDRangeKernel/effect/1" if chosen else "clEnqueueNDRangeKernel/effect/6"
        yield ALL_TRUE if self.uniform else None, self._by(fitting)
        yield from self._of_its_group(item)

    def of_groups(self, item: Item) -> Iterator[Said]:
        """Yield the values that ``tell_groups`` writes after its first element."""
        yield item.position, self._by("clEnqueueNDRangeKernel/effect/16")
        yield _linear(item), self._by("clEnqueueNDRangeKernel/effect/18")
        yield from self._all(item.local, self.success)
        yield from self._of_its_group(item)

    def _of_its_group(self, item: Item) -> Iterator[Said]:
        """Yield local ids, and ids, sizes and numbers of work-groups, attributed by their region of the range."""
        for at in item.within or (None,) * len(AXES):
            record = "clEnqueueNDRangeKernel/effect/19" if at else "clEnqueueNDRangeKernel/effect/20"
            yield at, self._by(record)
        regions = [self._region(item, axis) for axis in AXES]
        for numbers, records in (
            (item.group, [where for where, _ in regions]),
            (item.group_sizes, [size for _, size in regions]),
        ):
            yield from zip(numbers or (None,) * len(AXES), map(self._by, records), strict=True)
        whole = self.launch.local is None or self.launch.uniform
        count = "clEnqueueNDRangeKernel/effect/5" if whole else "clEnqueueNDRangeKernel/effect/12"
        yield from self._all(item.groups, self._by(count))

    def _region(self, item: Item, axis: int) -> tuple[str, str]:
        """Return the requirements for the group id of a work-item along an axis, and for the size of its group."""
        split = item.local is not None and item.sizes[axis] % item.local[axis] > 0
        if not split or item.local is None or item.group_sizes is None:
            return "clEnqueueNDRangeKernel/effect/6", "clEnqueueNDRangeKernel/effect/5"
        smaller = item.group_sizes[axis] < item.local[axis]
        size = "clEnqueueNDRangeKernel/effect/14" if smaller else "clEnqueueNDRangeKernel/effect/13"
        return "clEnqueueNDRangeKernel/effect/15", size

    @staticmethod
    def _all(numbers: Sizes | None, record: str) -> Iterator[Said]:
        return ((number, record) for number in numbers or (None,) * len(AXES))


def _made(known: RangeKernel, launch: Range, before: Elements, says: _Says) -> list[Said]:
    if known.told is Told.COUNTED:
        return [(number, says.success) for number in _counted(launch, before)]
    items = list(items_of(launch))
    if known.told is Told.TURNED:
        return [(_turned(item, before), says.success) for item in items]
    tell = says.of_ids if known.told is Told.IDS else says.of_groups
    return [
        said for item in items for said in ((_more(before, known.elements * item.position), says.count), *tell(item))
    ]


def items_of(launch: Range) -> Iterator[Item]:
    """Yield the work-items in the order of their elements in the buffer."""
    offset, sizes = _wide(launch.offset, 0), _wide(launch.sizes, 1)
    local = _wide(launch.local, 1) if launch.local is not None else None
    for z, y, x in itertools.product(*(range(size) for size in reversed(sizes))):
        yield Item((x, y, z), offset, sizes, local)


def _wide(sizes: Sizes, beyond: int) -> Sizes:
    return (*sizes, *[beyond] * (len(AXES) - len(sizes)))


def _linear(item: Item) -> Number:
    """Return a work-item's index in its work-group, None if that is not known."""
    if item.within is None or item.group_sizes is None:
        return None
    return item._replace(at=item.within, sizes=item.group_sizes).position


def _turned(item: Item, before: Elements) -> Number:
    """Return the value that a work-item reads from its mirrored counterpart in the work-group."""
    if item.within is None or item.group_sizes is None or item.local is None or item.group is None:
        return None
    mirrored = (size - 1 - at for size, at in zip(item.group_sizes, item.within, strict=True))
    starts = (at * size for at, size in zip(item.group, item.local, strict=True))
    found = _held(before, item._replace(at=tuple(map(sum, zip(starts, mirrored, strict=True)))).position)
    linear = _linear(item)
    return None if found is None or linear is None else found * 3 + linear


def _counted(launch: Range, before: Elements) -> list[Number]:
    items = launch.work_items
    count, most, total = (_held(before, index) for index in range(LAST))
    return [
        None if count is None else count + items,
        None if most is None else max(most, items - 1),
        None if total is None else total + FACTOR * (items * (items + 1) // 2),
    ]


def _more(before: Elements, index: int) -> Number:
    held = _held(before, index)
    return None if held is None else held + 1


def _held(before: Elements, index: int) -> Number:
    try:
        return before[index]
    except UnknownError:
        return None


def _content(said: list[Said]) -> Content:
    held = b"".join((0 if each is None else each & MASK).to_bytes(ELEMENT_BYTES, "little") for each, _ in said)
    defined = b"".join(bytes([each is not None]) * ELEMENT_BYTES for each, _ in said)
    return Content(held, defined, [record for _, record in said for _ in range(ELEMENT_BYTES)])
