"""Coverage points for the contents of shared virtual memory, and untestable requirements (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.oracles.chapters.memory_model.triggers import BLAMED, coarse, fine, looks, of_the_system, sources
from clconform.oracles.chapters.svm.clauses import ATOMICS
from clconform.oracles.contents.waiting import awaited
from clconform.oracles.engine.gates import profile_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.pointed_memory import SvmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.order import LAUNCH
from clconform.oracles.recurring.reads import map_read, returns_first, there_at_once, told, written_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.maps import MappedRegion

    Seen = Callable[[Place, Command, MappedRegion | None], bool]

rules = Rules()

ALLOC, FREE, BUFFER_READ, IMAGE_READ = "clSVMAlloc", "clSVMFree", "clEnqueueReadBuffer", "clEnqueueReadImage"
COPY, FILL, MAP, UNMAP = (f"clEnqueueSVM{what}" for what in ("Memcpy", "MemFill", "Map", "Unmap"))
RUN = f"{LAUNCH}/success"
OWN = "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing"
CONSISTENCY = "OpenCL:memory-consistency-for-svm-allocations"
ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
NO_PLACE = "no query reports on which device a memory object is"
IMAGES = ("clCreateImage", "clCreateImageWithProperties")


# bytes that the host reads


def _any_grain(place: Place, writer: Command, through: MappedRegion | None) -> bool:
    return coarse(place, writer, through) or fine(place, writer, through)


def _by_a_kernel(seen: Seen) -> Seen:
    return lambda place, writer, through: writer.function == LAUNCH and seen(place, writer, through)


def _across_queues(place: Place, writer: Command, through: MappedRegion | None) -> bool:
    """Return whether a command of another queue wrote the input of the command."""
    handed_on = any(first.queue is not writer.queue for first in sources(writer))
    return handed_on and _any_grain(place, writer, through)


def _of_no_access(asked: AnsweredCall) -> bool:
    """Return whether the host reads bytes that a kernel wrote to memory without an access flag."""

    def seen(place: Place, writer: Command, through: MappedRegion | None) -> bool:
        memory = place.owner
        plain = isinstance(memory, SvmAllocation) and not any(memory.flags & asked.model.value(name) for name in ACCESS)
        return plain and _by_a_kernel(_any_grain)(place, writer, through)

    return looks(seen)(asked)


def _with_atomics(asked: AnsweredCall) -> bool:
    def seen(place: Place, writer: Command, through: MappedRegion | None) -> bool:
        memory = place.owner
        atomics = isinstance(memory, SvmAllocation) and bool(memory.flags & asked.model.value(ATOMICS))
        return atomics and fine(place, writer, through)

    return looks(seen)(asked)


_COARSE = "Checked on host reads of mapped coarse-grained memory that a command changed."
_FINE = "Checked on host reads of unmapped fine-grained memory that a command changed."
_ATOMICS = "Checked on host reads of unmapped memory for SVM atomics that a command changed."
_OWN = "Checked on host reads of the host's own memory that a command changed."
for _record, _words, _holds in (
    (
        f"{OWN}/4",
        "Checked on host reads of mapped coarse-grained memory that a kernel wrote.",
        looks(_by_a_kernel(coarse)),
    ),
    (f"{OWN}/5", _COARSE, looks(coarse)),
    (
        f"{OWN}/7",
        "Checked on host reads of the output of a command whose input a command of another queue wrote.",
        looks(_across_queues),
    ),
    (f"{OWN}/10", _ATOMICS, _with_atomics),
    (f"{OWN}/12", _FINE, looks(fine)),
    (f"{OWN}/13", _OWN, looks(of_the_system)),
    (
        f"{OWN}/14",
        "Checked on host reads of the host's own memory that a kernel wrote.",
        looks(_by_a_kernel(of_the_system)),
    ),
    (f"{CONSISTENCY}/1", "Checked on host reads of SVM allocations that a command changed.", looks(_any_grain)),
    ("CL_DEVICE_SVM_CAPABILITIES/effect/1", _FINE, looks(fine)),
    ("CL_DEVICE_SVM_CAPABILITIES/effect/2", _OWN, looks(of_the_system)),
    (
        f"{ALLOC}/effect/6",
        "Checked on host reads of SVM allocations without an access flag that a kernel wrote.",
        _of_no_access,
    ),
):
    rules.trigger(_record, READ, _words, *BLAMED, holds=_holds)


def _beside_another(asked: AnsweredCall) -> bool:
    """Return whether a kernel is enqueued while another kernel, unordered with it, reads the same SVM allocation."""
    if asked.code != SUCCESS:
        return False
    kernel = asked.model.known(asked.call.kernel)
    mine = asked.judged.effect.reads
    shared = {place.storage for place in mine if isinstance(place.owner, SvmAllocation) and not place.owner.fine}
    own = asked.model.known(asked.call.command_queue)
    if not isinstance(kernel, Kernel) or not isinstance(own, Queue):
        return False
    ordered = {before for each in awaited(asked.call, asked.model) for before in each.line()}
    pending = [each for each in asked.model.order.pending if each not in ordered]
    others = [(each, each.queue) for each in pending if each.function == LAUNCH]
    apart = [each for each, queue in others if queue is not None and queue is not own and queue.on is own.on]
    return any(not shared.isdisjoint(place.storage for place in each.reads) for each in apart)


rules.trigger(
    f"{OWN}/6",
    LAUNCH,
    (
        "Checked on kernels that are enqueued while another kernel of the device may read the same memory: the enqueue "
        "succeeds."
    ),
    RUN,
    holds=_beside_another,
    by_success=True,
)


# allocations


def _default(*profiles: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: memory of the default alignment is allocated for devices of these profiles."""

    def holds(asked: AnsweredCall) -> bool:
        context = asked.model.known(asked.call.context)
        if asked.code != SUCCESS or asked.call.alignment or not isinstance(context, Context) or not context.devices:
            return False
        return all(profile_of(device.platform, device) in profiles for device in context.devices)

    return holds


FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
for _number, _words, _parent, _holds in (
    (
        2,
        "Checked on calls with an alignment other than 0.",
        f"{ALLOC}/alignment/1",
        lambda asked: asked.code == SUCCESS and asked.call.alignment > 0,
    ),
    (
        3,
        "Checked on calls with an alignment of 0 in contexts of full profile devices.",
        f"{ALLOC}/size/2",
        _default(FULL),
    ),
    (
        4,
        "Checked on calls with an alignment of 0 in contexts of embedded profile devices.",
        f"{ALLOC}/size/2",
        _default(EMBEDDED),
    ),
    (5, "Checked on calls with an alignment of 0.", f"{ALLOC}/size/2", _default(FULL, EMBEDDED)),
):
    rules.trigger(f"{ALLOC}/effect/{_number}", ALLOC, _words, _parent, f"{ALLOC}/success", holds=_holds)


def _lies_in_shared_memory(thing: object) -> bool:
    return isinstance(thing, Buffer) and thing.host is not None and thing.host.shared is True


def _on_a_shared_buffer(asked: AnsweredCall) -> bool:
    """Return whether an image on a buffer in an SVM allocation is read."""
    image = asked.model.known(asked.call.image)
    return isinstance(image, Image) and _lies_in_shared_memory(image.source) and bool(told(asked))


def _made_of_a_shared_buffer(asked: AnsweredCall) -> bool:
    source = asked.model.known(getattr(asked.call.image_desc, "mem_object", None))
    return asked.code == SUCCESS and _lies_in_shared_memory(source)


rules.trigger(
    f"{ALLOC}/effect/8",
    IMAGE_READ,
    "Checked on reads of an image on a buffer in an SVM allocation.",
    f"{IMAGE_READ}/success",
    holds=_on_a_shared_buffer,
)
rules.trigger(
    f"{ALLOC}/effect/7",
    IMAGE_READ,
    "Checked on reads of an image on a buffer in an SVM allocation.",
    f"{IMAGE_READ}/success",
    holds=_on_a_shared_buffer,
)
for _maker in ("clCreateBuffer", "clCreateBufferWithProperties"):
    rules.trigger(
        f"{CONSISTENCY}/2",
        _maker,
        "Checked on buffers that are created with an SVM pointer as host_ptr: the call succeeds.",
        f"{_maker}/success",
        holds=lambda asked: (
            isinstance(asked.model.known(asked.call.host_ptr), SvmAllocation)
            and bool(asked.call.flags & asked.model.value("CL_MEM_USE_HOST_PTR"))
        ),
        by_success=True,
    )
rules.trigger(
    f"{CONSISTENCY}/3",
    BUFFER_READ,
    "Checked on reads of a sub-buffer in an SVM allocation that a command changed.",
    f"{BUFFER_READ}/success",
    *BLAMED,
    holds=lambda asked: (
        isinstance(region := asked.model.known(asked.call.buffer), SubBuffer)
        and _lies_in_shared_memory(region.buffer)
        and any(told(asked))
    ),
)
rules.trigger(
    f"{FREE}/effect/1",
    FREE,
    "Checked on calls in contexts whose devices do not support SVM: they succeed.",
    f"{FREE}/success",
    holds=lambda asked: (
        isinstance(context := asked.model.known(asked.call.context), Context)
        and bool(context.devices)
        and all(device.number("CL_DEVICE_SVM_CAPABILITIES") == 0 for device in context.devices)
    ),
)
rules.trigger(
    f"{FREE}/effect/2",
    FREE,
    "Checked on calls with svm_pointer NULL: they succeed.",
    f"{FREE}/success",
    holds=lambda asked: asked.call.svm_pointer is None,
)
rules.untestable(
    f"{FREE}/effect/3",
    "",
    "the suites never make calls with undefined behaviour",
)


# commands


def _through(asked: AnsweredCall, *, blocking: bool) -> bool:
    """Return whether the host reads known bytes through a map of shared memory; ``blocking``: kind of the map."""
    region = map_read(asked)
    return region is not None and region.function == MAP and region.blocking is blocking


def _used_while_mapped(asked: AnsweredCall) -> bool:
    """Return whether a command uses fine-grained memory while it is mapped."""
    if asked.code != SUCCESS:
        return False
    try:
        places = (*asked.judged.effect.reads, *asked.judged.effect.writes)
    except ForbiddenError:
        return False
    used = {place.storage for place in places if isinstance(place.owner, SvmAllocation) and place.owner.fine}
    return any(each.region.storage in used for each in asked.model.maps)


rules.trigger(
    f"{COPY}/effect/1",
    COPY,
    "Checked on blocking copies.",
    f"{COPY}/success",
    holds=there_at_once,
)
rules.trigger(
    f"{COPY}/effect/7",
    COPY,
    "Checked on non-blocking copies that wait for a user event.",
    f"{COPY}/success",
    holds=returns_first,
)
for _looking in (READ, COPY):
    for _record, _words, _writer in (
        (f"{COPY}/effect/8", "Checked on reads of bytes that a command copied.", COPY),
        (f"{FILL}/effect/1", "Checked on reads of bytes that a command filled.", FILL),
        (
            f"{FILL}/effect/2",
            "Checked on reads of filled bytes whose pattern was changed after the call.",
            FILL,
        ),
        (f"{UNMAP}/effect/6", "Checked on reads of bytes that the host wrote through a map.", UNMAP),
    ):
        parents = (f"{_writer}/success", *([] if _looking == READ else [f"{_looking}/success"]))
        rules.trigger(_record, _looking, _words, *parents, holds=written_by(_writer))
for _number, _words, _blocking in (
    (6, "Checked on host reads through a blocking map.", True),
    (7, "Checked on host reads through a non-blocking map after its command is complete.", False),
):
    rules.trigger(
        f"{MAP}/effect/{_number}",
        READ,
        _words,
        f"{MAP}/success",
        holds=lambda asked, blocking=_blocking: _through(asked, blocking=blocking),  # type: ignore[misc]
    )
for _function in (COPY, FILL, LAUNCH):
    rules.trigger(
        f"{UNMAP}/effect/7",
        _function,
        "Checked on commands that use fine-grained memory while it is mapped: they succeed.",
        f"{_function}/success",
        holds=_used_while_mapped,
        by_success=True,
    )
for _number, _words in (
    (1, ""),
    (2, ""),
    (8, ""),
):
    rules.untestable(f"clEnqueueSVMMigrateMem/effect/{_number}", _words, NO_PLACE)
