"""What the known kernels over ranges leave behind: the ids and sizes of each work-item, and what groups pass on."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.chapters.execution.clauses import device_of
from clconform.oracles.chapters.execution.clauses_of_ranges import needs_uniform_groups
from clconform.oracles.chapters.execution.ranges import range_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Place, by
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
"""What can be seen of a launch in the memory that it wrote to."""
Number = int | None
"""What an element holds; None where that is open."""


class Item(NamedTuple):
    """A work-item: ``at``, its place in the range without the offset, and the range with an axis for each dimension.

    ``local``: the given size of a group; None where the implementation has chosen it.
    """

    at: Sizes
    offset: Sizes
    sizes: Sizes
    local: Sizes | None

    @property
    def index(self) -> int:
        """Return its place in the buffer."""
        x, y, z = self.at
        return (z * self.sizes[1] + y) * self.sizes[0] + x

    @property
    def ids(self) -> Sizes:
        """Return its global ids."""
        return tuple(map(sum, zip(self.at, self.offset, strict=True)))

    @property
    def group(self) -> Sizes | None:
        """Return the ids of its group."""
        return tuple(at // size for at, size in zip(self.at, self.local, strict=True)) if self.local else None

    @property
    def group_sizes(self) -> Sizes | None:
        """Return the size of its group, which is smaller at the end of a range that is no multiple."""
        if self.local is None or self.group is None:
            return None
        rest = (size - at * local for size, at, local in zip(self.sizes, self.group, self.local, strict=True))
        return tuple(map(min, self.local, rest))

    @property
    def within(self) -> Sizes | None:
        """Return its local ids."""
        return tuple(at % size for at, size in zip(self.at, self.local, strict=True)) if self.local else None

    @property
    def groups(self) -> Sizes | None:
        """Return how many groups there are."""
        return (
            tuple(-(-size // local) for size, local in zip(self.sizes, self.local, strict=True)) if self.local else None
        )


def range_worked_on(call: Call, kernel: Kernel, known: RangeKernel, model: Model) -> MemoryEffect:
    """Return what a launch of such a kernel does; UnknownError where its argument is no buffer.

    ForbiddenError where it would go beyond the buffer, or beyond its local memory.
    """
    launch = range_of(call)
    if launch.dimensions > len(AXES):
        raise UnknownError("dimensions")
    data = _data(kernel, known, launch)
    if known.local:
        _needs_local_memory(kernel, launch)
    uniform = _must_be_uniform(kernel, call, model)

    def carry_out(_value: Element, _command: Command | None) -> None:
        data.put(lambda: by(_made(known, launch, Elements(data.read()), uniform=uniform), f"{call.function}/success"))
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
    """Raise ForbiddenError where a group may be larger than the local memory that was set."""
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
    """Yield what there is to see of a launch in what it wrote."""
    if call.function == "clEnqueueTask":
        yield BY_A_TASK
    if known.told in (Told.IDS, Told.GROUPS):
        yield AT_AN_OFFSET if any(launch.offset) else AT_ZERO
        if launch.local is not None:
            yield IN_GROUPS if launch.uniform else WITH_A_REMAINDER
        elif uniform and known.told is Told.IDS:
            yield IN_UNIFORM_GROUPS


# what is written


def _made(known: RangeKernel, launch: Range, before: Elements, *, uniform: bool) -> Content:
    if known.told is Told.COUNTED:
        return _content(_counted(launch, before))
    items = list(_items(launch))
    if known.told is Told.TURNED:
        return _content([_turned(item, before) for item in items])
    tell = _of_ids if known.told is Told.IDS else _of_groups
    certain = launch.uniform if launch.local is not None else uniform
    return _content(
        [
            number
            for item in items
            for number in (_more(before, known.elements * item.index), *tell(item, launch.dimensions, uniform=certain))
        ]
    )


def _items(launch: Range) -> Iterator[Item]:
    """Yield the work-items in the order of their places in the buffer."""
    offset, sizes = _wide(launch.offset, 0), _wide(launch.sizes, 1)
    local = _wide(launch.local, 1) if launch.local is not None else None
    for z, y, x in itertools.product(*(range(size) for size in reversed(sizes))):
        yield Item((x, y, z), offset, sizes, local)


def _wide(sizes: Sizes, beyond: int) -> Sizes:
    return (*sizes, *[beyond] * (len(AXES) - len(sizes)))


def _of_ids(item: Item, dimensions: int, *, uniform: bool) -> Iterator[Number]:
    yield dimensions
    for numbers in (item.ids, item.offset, item.sizes):
        yield from numbers
    for numbers in (item.ids, item.offset):
        yield from (number >> BITS for number in numbers)
    yield ALL_TRUE if uniform else None
    yield from _of_its_group(item)


def _of_groups(item: Item, _dimensions: int, *, uniform: bool) -> Iterator[Number]:
    del uniform
    yield item.index
    yield _linear(item)
    yield from _or_open(item.local)
    yield from _of_its_group(item)


def _of_its_group(item: Item) -> Iterator[Number]:
    for numbers in (item.within, item.group, item.group_sizes, item.groups):
        yield from _or_open(numbers)


def _or_open(numbers: Sizes | None) -> tuple[Number, ...]:
    return numbers if numbers is not None else (None,) * len(AXES)


def _linear(item: Item) -> Number:
    """Return a work-item's index within its group."""
    if item.within is None or item.group_sizes is None:
        return None
    return item._replace(at=item.within, sizes=item.group_sizes).index


def _turned(item: Item, before: Elements) -> Number:
    """Return what a work-item finds that the one at the mirrored place of its group has left."""
    if item.within is None or item.group_sizes is None or item.local is None or item.group is None:
        return None
    mirrored = (size - 1 - at for size, at in zip(item.group_sizes, item.within, strict=True))
    starts = (at * size for at, size in zip(item.group, item.local, strict=True))
    found = _held(before, item._replace(at=tuple(map(sum, zip(starts, mirrored, strict=True)))).index)
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


def _content(numbers: list[Number]) -> Content:
    held = b"".join((0 if each is None else each & MASK).to_bytes(ELEMENT_BYTES, "little") for each in numbers)
    defined = b"".join(bytes([each is not None]) * ELEMENT_BYTES for each in numbers)
    return Content(held, defined, [""] * len(held))
