"""Memory effects of the suites' kernels over ranges: ids, sizes, and data exchange within work-groups."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.chapters.execution.error_conditions.ranges import needs_uniform_groups
from clconform.oracles.chapters.execution.nd_range import TASK, read_range
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, MemoryPlace
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES, MASK, Elements
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.range_kernels import ALL_TRUE, AXES, FACTOR, SHARED_ELEMENTS, WorkItemOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.chapters.execution.nd_range import NDRange, Sizes
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.range_kernels import RangeKernel
    from clconform.oracles.model.state import Model

ELEMENT_BITS = 32
"""Number of bits of an element of the buffer."""
ZERO_OFFSET, NON_ZERO_OFFSET = "global ids from 0", "global ids from an offset"
GIVEN_GROUP_SIZE, CHOSEN_UNIFORM_GROUP_SIZE = "groups of a given size", "uniform groups of a chosen size"
NON_UNIFORM_GROUPS, ENQUEUED_AS_TASK = "groups of a given size, and smaller ones", "a task"
EXCHANGED_IN_GROUP = "what work-items of a group had left for each other"
"""Evidence tags of memory: properties of the kernel enqueue that wrote the memory."""
Number = int | None
"""The value of an element; None if it is unspecified."""
AttributedNumber = tuple[Number, str]
"""The value of an element, and the requirement to which the value is attributed."""


class WorkItem(NamedTuple):
    """A work-item of a kernel enqueue; each tuple has one number per axis.

    ``at``: its position in the range, without the offset. ``local``: the given work-group size; None if the
    implementation chooses the size.
    """

    at: Sizes
    offset: Sizes
    sizes: Sizes
    local: Sizes | None

    @property
    def position(self) -> int:
        """Return the linear index of the position ``at`` in a range of ``sizes``."""
        x, y, z = self.at
        return (z * self.sizes[1] + y) * self.sizes[0] + x

    @property
    def global_id(self) -> Sizes:
        """Return the global id of the work-item."""
        return tuple(map(sum, zip(self.at, self.offset, strict=True)))

    @property
    def group_id(self) -> Sizes | None:
        """Return the id of the work-item's work-group, None if the work-group size is not known."""
        return tuple(at // size for at, size in zip(self.at, self.local, strict=True)) if self.local else None

    @property
    def group_size(self) -> Sizes | None:
        """Return the size of the work-item's work-group, None if it is not known.

        The last work-group along an axis is smaller if the range is not a multiple of ``local``.
        """
        if self.local is None or self.group_id is None:
            return None
        rest = (size - at * local for size, at, local in zip(self.sizes, self.group_id, self.local, strict=True))
        return tuple(map(min, self.local, rest))

    @property
    def local_id(self) -> Sizes | None:
        """Return the local id of the work-item, None if the work-group size is not known."""
        return tuple(at % size for at, size in zip(self.at, self.local, strict=True)) if self.local else None

    @property
    def group_counts(self) -> Sizes | None:
        """Return the number of work-groups along each axis, None if the work-group size is not known."""
        return (
            tuple(-(-size // local) for size, local in zip(self.sizes, self.local, strict=True)) if self.local else None
        )


def run_range_kernel(call: Call, kernel: Kernel, known: RangeKernel, model: Model) -> MemoryEffect:
    """Return the effect of a kernel over a range; raise UnknownFactError if the first argument is not a buffer.

    Raise UndefinedBehaviourError if the kernel exceeds the buffer or its local memory.
    """
    launch = read_range(call)
    if launch.dimensions > len(AXES):
        raise UnknownFactError("dimensions")
    data = _argument_place(kernel, known, launch)
    if known.local:
        _require_local_memory(kernel, launch)
    uniform = _is_uniform_required(kernel, call, model)

    said = _WorkItemValues(call.function, launch, uniform=launch.uniform if launch.local is not None else uniform)

    def carry_out(_value: Element, _command: Command | None) -> None:
        data.write_lazily(lambda: _to_content(_expected_numbers(known, launch, Elements(data.read()), said)))
        data.storage.used_capabilities = frozenset(_evidence_tags(call, known, launch, uniform=uniform))

    return MemoryEffect((data,), (data,), apply=carry_out)


def _argument_place(kernel: Kernel, known: RangeKernel, launch: NDRange) -> MemoryPlace:
    argument = kernel.arguments.get(0)
    buffer = argument.object if argument is not None else None
    if not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownFactError("argument")
    size = ELEMENT_BYTES * (known.elements * launch.work_items or SHARED_ELEMENTS)
    if size > buffer.memory.size:
        raise UndefinedBehaviourError("the kernel goes beyond the buffer")
    return MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer)


def _require_local_memory(kernel: Kernel, launch: NDRange) -> None:
    """Raise UndefinedBehaviourError if a work-group may be larger than the local memory argument."""
    argument = kernel.arguments.get(1)
    if argument is None or argument.value is not None or argument.size is None:
        raise UnknownFactError("argument")
    items = launch.work_items
    if launch.local is not None:
        items = min(items, math.prod(launch.local))
    if ELEMENT_BYTES * items > argument.size:
        raise UndefinedBehaviourError("the kernel goes beyond its local memory")


def _is_uniform_required(kernel: Kernel, call: Call, model: Model) -> bool:
    try:
        return needs_uniform_groups(kernel, executing_device(call, model))
    except UnknownFactError:
        return False


def _evidence_tags(call: Call, known: RangeKernel, launch: NDRange, *, uniform: bool) -> Iterator[str]:
    """Yield the evidence tags of the memory that a kernel enqueue writes."""
    if call.function == TASK:
        yield ENQUEUED_AS_TASK
    if known.output is WorkItemOutput.TURNED and launch.local is not None and math.prod(launch.local) > 1:
        yield EXCHANGED_IN_GROUP
    if known.output in (WorkItemOutput.IDS, WorkItemOutput.GROUPS):
        yield NON_ZERO_OFFSET if any(launch.offset) else ZERO_OFFSET
        if launch.local is not None:
            yield GIVEN_GROUP_SIZE if launch.uniform else NON_UNIFORM_GROUPS
        elif uniform and known.output is WorkItemOutput.IDS:
            yield CHOSEN_UNIFORM_GROUP_SIZE


# written values


@dataclass(frozen=True)
class _WorkItemValues:
    """The expected values that work-items write, each with the requirement to which it is attributed.

    ``uniform``: all work-groups certainly have one size.
    """

    function: str
    launch: NDRange
    uniform: bool = field(kw_only=True)

    @property
    def success(self) -> str:
        """Return the requirement for values to which a more specific requirement does not apply."""
        return f"{self.function}/success"

    def requirement_of(self, requirement: str) -> str:
        """Return ``requirement`` for clEnqueueNDRangeKernel.

        For clEnqueueTask, return the requirement that a task is equivalent to a kernel enqueue with one work-item.
        """
        return "clEnqueueTask/effect/6" if self.function == TASK else requirement

    @property
    def global_id_requirement(self) -> str:
        """Return the requirement for global ids."""
        offset = any(self.launch.offset)
        return self.requirement_of("clEnqueueNDRangeKernel/effect/17" if offset else "clEnqueueNDRangeKernel/effect/3")

    @property
    def count_requirement(self) -> str:
        """Return the requirement for the number of work-items."""
        return self.requirement_of("clEnqueueNDRangeKernel/effect/4")

    def id_values(self, item: WorkItem) -> Iterator[AttributedNumber]:
        """Yield the values that a work-item of the kernel ``tell_ids`` writes after its first element."""
        yield self.launch.dimensions, self.success
        yield from self._attribute_all(item.global_id, self.global_id_requirement)
        yield from self._attribute_all(item.offset, self.success)
        yield from self._attribute_all(item.sizes, self.success)
        yield from self._attribute_all(
            tuple(number >> ELEMENT_BITS for number in item.global_id), self.global_id_requirement
        )
        yield from self._attribute_all(tuple(number >> ELEMENT_BITS for number in item.offset), self.success)
        chosen = self.launch.local is None
        fitting = "clEnqueueNDRangeKernel/effect/1" if chosen else "clEnqueueNDRangeKernel/effect/6"
        yield ALL_TRUE if self.uniform else None, self.requirement_of(fitting)
        yield from self._group_values(item)

    def group_values(self, item: WorkItem) -> Iterator[AttributedNumber]:
        """Yield the values that a work-item of the kernel ``tell_groups`` writes after its first element."""
        yield item.position, self.requirement_of("clEnqueueNDRangeKernel/effect/16")
        yield _local_index(item), self.requirement_of("clEnqueueNDRangeKernel/effect/18")
        yield from self._attribute_all(item.local, self.success)
        yield from self._group_values(item)

    def _group_values(self, item: WorkItem) -> Iterator[AttributedNumber]:
        """Yield the local id, group id, group size and group count of a work-item, with their requirements."""
        for at in item.local_id or (None,) * len(AXES):
            requirement = "clEnqueueNDRangeKernel/effect/19" if at else "clEnqueueNDRangeKernel/effect/20"
            yield at, self.requirement_of(requirement)
        regions = [self._region_requirements(item, axis) for axis in AXES]
        for numbers, requirements in (
            (item.group_id, [where for where, _ in regions]),
            (item.group_size, [size for _, size in regions]),
        ):
            yield from zip(numbers or (None,) * len(AXES), map(self.requirement_of, requirements), strict=True)
        whole = self.launch.local is None or self.launch.uniform
        count = "clEnqueueNDRangeKernel/effect/5" if whole else "clEnqueueNDRangeKernel/effect/12"
        yield from self._attribute_all(item.group_counts, self.requirement_of(count))

    def _region_requirements(self, item: WorkItem, axis: int) -> tuple[str, str]:
        """Return the requirements for the group id of a work-item along an axis, and for the size of its work-group."""
        split = item.local is not None and item.sizes[axis] % item.local[axis] > 0
        if not split or item.local is None or item.group_size is None:
            return "clEnqueueNDRangeKernel/effect/6", "clEnqueueNDRangeKernel/effect/5"
        smaller = item.group_size[axis] < item.local[axis]
        size = "clEnqueueNDRangeKernel/effect/14" if smaller else "clEnqueueNDRangeKernel/effect/13"
        return "clEnqueueNDRangeKernel/effect/15", size

    @staticmethod
    def _attribute_all(numbers: Sizes | None, requirement: str) -> Iterator[AttributedNumber]:
        return ((number, requirement) for number in numbers or (None,) * len(AXES))


def _expected_numbers(
    known: RangeKernel, launch: NDRange, before: Elements, says: _WorkItemValues
) -> list[AttributedNumber]:
    if known.output is WorkItemOutput.COUNTED:
        return [(number, says.success) for number in _atomic_results(launch, before)]
    items = list(iterate_work_items(launch))
    if known.output is WorkItemOutput.TURNED:
        return [(_mirrored_value(item, before), says.success) for item in items]
    tell = says.id_values if known.output is WorkItemOutput.IDS else says.group_values
    return [
        said
        for item in items
        for said in ((_incremented(before, known.elements * item.position), says.count_requirement), *tell(item))
    ]


def iterate_work_items(launch: NDRange) -> Iterator[WorkItem]:
    """Yield the work-items in the order of their elements in the buffer."""
    offset, sizes = _pad(launch.offset, 0), _pad(launch.sizes, 1)
    local = _pad(launch.local, 1) if launch.local is not None else None
    for z, y, x in itertools.product(*(range(size) for size in reversed(sizes))):
        yield WorkItem((x, y, z), offset, sizes, local)


def _pad(sizes: Sizes, beyond: int) -> Sizes:
    return (*sizes, *[beyond] * (len(AXES) - len(sizes)))


def _local_index(item: WorkItem) -> Number:
    """Return a work-item's index in its work-group, None if that is not known."""
    if item.local_id is None or item.group_size is None:
        return None
    return item._replace(at=item.local_id, sizes=item.group_size).position


def _mirrored_value(item: WorkItem, before: Elements) -> Number:
    """Return the value that a work-item computes from the element of its mirror image in the work-group."""
    if item.local_id is None or item.group_size is None or item.local is None or item.group_id is None:
        return None
    mirrored = (size - 1 - at for size, at in zip(item.group_size, item.local_id, strict=True))
    starts = (at * size for at, size in zip(item.group_id, item.local, strict=True))
    found = _read_element(before, item._replace(at=tuple(map(sum, zip(starts, mirrored, strict=True)))).position)
    linear = _local_index(item)
    return None if found is None or linear is None else found * 3 + linear


def _atomic_results(launch: NDRange, before: Elements) -> list[Number]:
    items = launch.work_items
    count, most, total = (_read_element(before, index) for index in range(SHARED_ELEMENTS))
    return [
        None if count is None else count + items,
        None if most is None else max(most, items - 1),
        None if total is None else total + FACTOR * (items * (items + 1) // 2),
    ]


def _incremented(before: Elements, index: int) -> Number:
    held = _read_element(before, index)
    return None if held is None else held + 1


def _read_element(before: Elements, index: int) -> Number:
    try:
        return before[index]
    except UnknownFactError:
        return None


def _to_content(said: list[AttributedNumber]) -> Content:
    held = b"".join((0 if each is None else each & MASK).to_bytes(ELEMENT_BYTES, "little") for each, _ in said)
    defined = b"".join(bytes([each is not None]) * ELEMENT_BYTES for each, _ in said)
    return Content(held, defined, [requirement for _, requirement in said for _ in range(ELEMENT_BYTES)])
