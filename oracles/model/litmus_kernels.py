"""Litmus kernels: two sides access the same atomic objects and record the values that they observe.

The sides are two halves of the work-groups of a kernel: work-item n of the first half and work-item n of the second
half form instance n. Or the sides are a kernel and the host, which performs its steps on instance n. Each side performs
its steps once and does not wait, because a work-item need not make progress while another work-item waits (3.2.2).
Each instance has ``WORDS`` elements: two atomic objects, which must initially be 0; the outcome, with the first number
in the lower half of its element and the second number in the upper half; and a 0 for each side, which is the result of
a long computation. Compilers without these atomic operations reject the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from clconform.calls.atomics import ADD, INSTANCE_BYTES, LOAD, NUMBERS_AT, STORE, AtomicOperation, format_operations
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.parameters import KernelParameter

WORDS, OUTCOME = INSTANCE_BYTES // ELEMENT_BYTES, NUMBERS_AT // ELEMENT_BYTES
"""The number of elements of an instance, and the index of the outcome."""
HALF_BITS, DELAY_ROUNDS = 16, 2000
"""The bits of a number; the rounds that a work-item computes before its steps, so that both sides run concurrently."""
DEVICE, ALL_DEVICES = "device", "all_svm_devices"
SEQUENTIAL, ORDERED, RELAXED = "seq_cst", "acq_rel", "relaxed"
NumberPair = tuple[int, int]


@dataclass(frozen=True)
class AtomicStep:
    """One atomic operation on the object ``object_index``.

    ``value``: the stored or added value, or None for a load. ``is_addition``: the value is added. ``outcome_index``:
    the position in the outcome where the step records the loaded or previous value, or None.
    """

    object_index: int
    order: str
    value: int | None = None
    outcome_index: int | None = None
    is_addition: bool = False

    def source(self, scope: str) -> str:
        """Return the step in OpenCL C, for a memory scope."""
        place, how = f"own + {self.object_index}", f"memory_order_{self.order}, memory_scope_{scope}"
        if self.value is None:
            did = f"atomic_load_explicit({place}, {how})"
        else:
            did = f"atomic_{'fetch_add' if self.is_addition else 'store'}_explicit({place}, {self.value}, {how})"
        return f"{did};" if self.outcome_index is None else f"seen[{self.outcome_index}] = (ushort){did};"

    @property
    def host_operation(self) -> AtomicOperation:
        """Return the step as an atomic operation of the host."""
        what = ADD if self.is_addition else LOAD if self.value is None else STORE
        number = self.value if what == STORE else self.outcome_index
        return AtomicOperation(what, self.object_index, number or 0, self.order)


@dataclass(frozen=True)
class LitmusKernel:
    """A litmus test: the steps of both sides, and the allowed outcomes.

    ``strongest_order``: the strongest memory order of the steps. ``requirement``: the requirement that excludes all
    further outcomes; empty if every outcome is allowed and only the frequencies are of interest. ``has_host_side``: the
    second side is the host.
    """

    name: str
    sides: tuple[tuple[AtomicStep, ...], tuple[AtomicStep, ...]]
    outcomes: tuple[NumberPair, ...]
    strongest_order: str
    requirement: str = ""
    has_host_side: bool = False

    @property
    def host_operations(self) -> str:
        """Return the operations of the host in the encoding of the harness action."""
        return format_operations(tuple(step.host_operation for step in self.sides[1]))

    @property
    def outcome_words(self) -> tuple[int, ...]:
        """Return the allowed outcomes as elements in memory."""
        return tuple(first | second << HALF_BITS for first, second in self.outcomes)

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """Return the arguments of the kernel as the source declares them."""
        return (KernelParameter("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", bytes=ELEMENT_BYTES),)

    @property
    def source(self) -> str:
        """Return the kernel's source in OpenCL C 2.0, or in 3.0 with the required optional features."""
        scope, feature = (ALL_DEVICES, "all_devices") if self.has_host_side else (DEVICE, DEVICE)
        needed = [
            f"atomic_scope_{feature}",
            *([f"atomic_order_{self.strongest_order}"] if self.strongest_order != RELAXED else []),
        ]
        known = " && ".join(f"defined(__opencl_c_{name})" for name in needed)
        first, second = (" ".join(step.source(scope) for step in steps) for steps in self.sides)
        halves = 1 if self.has_host_side else 2
        does = first if self.has_host_side else f"if (side == 0) {{ {first} }} else {{ {second} }}"
        return (
            f"__kernel void {self.name}(__global uint *data)\n"
            "{\n"
            f"    size_t instances = get_global_size(0) / {halves}, side = get_global_id(0) / instances;\n"
            f"    __global uint *words = data + get_global_id(0) % instances * {WORDS}u;\n"
            f"#if __OPENCL_C_VERSION__ == 200 || ({known})\n"
            "    volatile __global atomic_int *own = (volatile __global atomic_int *)words;\n"
            f"    __global ushort *seen = (__global ushort *)(words + {OUTCOME});\n"
            "    uint turned = (uint)get_global_id(0) + 1u;\n"
            f"    for (int turn = 0; turn < {DELAY_ROUNDS}; turn++) {{\n"
            "        turned ^= turned << 13;\n"
            "        turned ^= turned >> 17;\n"
            "        turned ^= turned << 5;\n"
            "    }\n"
            "    seen[2 + side] = turned == 0u;\n"
            f"    {does}\n"
            "#else\n"
            "#error there are no atomic operations of this order and scope\n"
            "#endif\n"
            "}\n"
        )


def _store(at: int, order: str, value: int = 1) -> AtomicStep:
    return AtomicStep(at, order, value)


def _load(at: int, order: str, number: int) -> AtomicStep:
    return AtomicStep(at, order, outcome_index=number)


X, Y = 0, 1
ATOMICS_VISIBLE_TO_BOTH, ALL_DEVICES_SCOPE = "OpenCL:atomic-operations/3", "OpenCL:atomic-operations/4"
_ADD = (AtomicStep(X, RELAXED, 1, 0, is_addition=True),), (AtomicStep(X, RELAXED, 1, 1, is_addition=True),)
LITMUS_KERNELS: dict[str, LitmusKernel] = {
    kernel.name: kernel
    for kernel in (
        LitmusKernel(
            "store_buffering",
            (
                (_store(X, SEQUENTIAL), _load(Y, SEQUENTIAL, 0)),
                (_store(Y, SEQUENTIAL), _load(X, SEQUENTIAL, 1)),
            ),
            ((1, 1), (0, 1), (1, 0)),
            SEQUENTIAL,
            "OpenCL:atomic-operations/2",
        ),
        LitmusKernel(
            "store_buffering_relaxed",
            ((_store(X, RELAXED), _load(Y, RELAXED, 0)), (_store(Y, RELAXED), _load(X, RELAXED, 1))),
            ((1, 1), (0, 1), (1, 0), (0, 0)),
            RELAXED,
        ),
        LitmusKernel(
            "message_passing",
            ((_store(X, RELAXED), _store(Y, "release")), (_load(Y, "acquire", 0), _load(X, RELAXED, 1))),
            ((1, 1), (0, 1), (0, 0)),
            ORDERED,
            "OpenCL:memory-ordering-rules/10",
        ),
        LitmusKernel(
            "coherent_reads",
            ((_store(X, RELAXED),), (_load(X, RELAXED, 0), _load(X, RELAXED, 1))),
            ((1, 1), (0, 1), (0, 0)),
            RELAXED,
            "OpenCL:memory-ordering-rules/8",
        ),
        LitmusKernel(
            "coherent_writes",
            (
                (_store(X, RELAXED, 1), _load(X, RELAXED, 0)),
                (_store(X, RELAXED, 2), _load(X, RELAXED, 1)),
            ),
            ((1, 2), (1, 1), (2, 2)),
            RELAXED,
            "OpenCL:memory-ordering-rules/2",
        ),
        LitmusKernel(
            "own_stores",
            ((_store(X, RELAXED), _load(X, RELAXED, 0)), (_store(Y, RELAXED), _load(Y, RELAXED, 1))),
            ((1, 1),),
            RELAXED,
            "OpenCL:memory-ordering-rules/1",
        ),
        LitmusKernel(
            "load_buffering",
            (
                (_load(X, "acquire", 0), _store(Y, "release")),
                (_load(Y, "acquire", 1), _store(X, "release")),
            ),
            ((0, 0), (0, 1), (1, 0)),
            ORDERED,
            "OpenCL:memory-ordering-rules/3",
        ),
        LitmusKernel(
            "two_stores",
            (
                (_store(X, RELAXED, 1), _store(X, RELAXED, 2)),
                (_load(X, RELAXED, 0), _load(X, RELAXED, 1)),
            ),
            ((2, 2), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2)),
            RELAXED,
            "OpenCL:memory-ordering-rules/7",
        ),
        LitmusKernel(
            "loads_before_stores",
            (
                (_load(X, RELAXED, 0), _store(X, RELAXED, 1)),
                (_store(X, RELAXED, 2), _load(X, RELAXED, 1)),
            ),
            ((0, 2), (0, 1), (2, 2), (2, 1)),
            RELAXED,
            "OpenCL:memory-ordering-rules/9",
        ),
        LitmusKernel("added_at_once", _ADD, ((0, 1), (1, 0)), RELAXED, "OpenCL:atomic-operations/1"),
        LitmusKernel(
            "store_buffering_with_the_host",
            (
                (_store(X, SEQUENTIAL), _load(Y, SEQUENTIAL, 0)),
                (_store(Y, SEQUENTIAL), _load(X, SEQUENTIAL, 1)),
            ),
            ((1, 1), (0, 1), (1, 0)),
            SEQUENTIAL,
            ALL_DEVICES_SCOPE,
            has_host_side=True,
        ),
        LitmusKernel(
            "message_to_the_host",
            ((_store(X, RELAXED), _store(Y, "release")), (_load(Y, "acquire", 0), _load(X, RELAXED, 1))),
            ((1, 1), (0, 1), (0, 0)),
            ORDERED,
            ATOMICS_VISIBLE_TO_BOTH,
            has_host_side=True,
        ),
        LitmusKernel(
            "message_from_the_host",
            ((_load(Y, "acquire", 0), _load(X, RELAXED, 1)), (_store(X, RELAXED), _store(Y, "release"))),
            ((1, 1), (0, 1), (0, 0)),
            ORDERED,
            ATOMICS_VISIBLE_TO_BOTH,
            has_host_side=True,
        ),
        LitmusKernel(
            "added_at_once_with_the_host",
            _ADD,
            ((0, 1), (1, 0)),
            RELAXED,
            ALL_DEVICES_SCOPE,
            has_host_side=True,
        ),
    )
}
