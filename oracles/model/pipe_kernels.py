"""Kernels with one work-item that write packets to a pipe, or read packets from a pipe, in order."""

from __future__ import annotations

from dataclasses import dataclass

from clconform.oracles.model.parameters import KernelParameter

PACKET_BYTES, PACKETS = 4, 8
"""The number of bytes of a packet, and the number of packets that each kernel writes or reads."""
GLOBAL = "CL_KERNEL_ARG_ADDRESS_GLOBAL"
NO_PACKET = 0xEEEEEEEE
"""The value that a kernel stores for a packet that it could not read."""


@dataclass(frozen=True)
class PipeKernel:
    """A kernel with two arguments: a pipe, and a buffer of ``PACKETS`` packets.

    ``writes``: the kernel writes packets to the pipe; otherwise it reads packets from the pipe.
    """

    name: str
    source: str
    writes: bool

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """Return the arguments of the kernel as the source declares them."""
        access, const = ("WRITE", ("CL_KERNEL_ARG_TYPE_CONST",)) if self.writes else ("READ", ())
        name = "to" if self.writes else "from"
        told = ("CL_KERNEL_ARG_TYPE_PIPE",)
        pipe = KernelParameter(name, "uint", GLOBAL, f"CL_KERNEL_ARG_ACCESS_{access}_ONLY", told, PACKET_BYTES)
        return pipe, KernelParameter("data", "uint*", GLOBAL, qualifiers=const, bytes=PACKET_BYTES)


def _source(name: str, parameters: str, body: str) -> str:
    return f"__kernel void {name}({parameters})\n{{\n{body}}}\n"


_TO = "__write_only pipe uint to, __global const uint *data"
_FROM = "__read_only pipe uint from, __global uint *data"
PIPE_KERNELS: dict[str, PipeKernel] = {
    kernel.name: kernel
    for kernel in (
        PipeKernel(
            "pour",
            _source(
                "pour",
                _TO,
                f"    for (uint i = 0; i < {PACKETS}u; i++) {{\n"
                "        uint packet = data[i];\n"
                "        write_pipe(to, &packet);\n"
                "    }\n",
            ),
            writes=True,
        ),
        PipeKernel(
            "drain",
            _source(
                "drain",
                _FROM,
                f"    for (uint i = 0; i < {PACKETS}u; i++) {{\n"
                "        uint packet = 0;\n"
                f"        data[i] = read_pipe(from, &packet) == 0 ? packet : {NO_PACKET:#x}u;\n"
                "    }\n",
            ),
            writes=False,
        ),
        PipeKernel(
            "pour_reserved",
            _source(
                "pour_reserved",
                _TO,
                f"    reserve_id_t place = reserve_write_pipe(to, {PACKETS}u);\n"
                "    if (is_valid_reserve_id(place)) {\n"
                f"        for (uint i = {PACKETS}u; i-- > 0u;) {{\n"
                "            uint packet = data[i];\n"
                "            write_pipe(to, place, i, &packet);\n"
                "        }\n"
                "        commit_write_pipe(to, place);\n"
                "    }\n",
            ),
            writes=True,
        ),
        PipeKernel(
            "drain_reserved",
            _source(
                "drain_reserved",
                _FROM,
                f"    reserve_id_t place = reserve_read_pipe(from, {PACKETS}u);\n"
                f"    for (uint i = {PACKETS}u; i-- > 0u;)\n"
                f"        data[i] = {NO_PACKET:#x}u;\n"
                "    if (is_valid_reserve_id(place)) {\n"
                f"        for (uint i = {PACKETS}u; i-- > 0u;) {{\n"
                "            uint packet = 0;\n"
                "            if (read_pipe(from, place, i, &packet) == 0)\n"
                "                data[i] = packet;\n"
                "        }\n"
                "        commit_read_pipe(from, place);\n"
                "    }\n",
            ),
            writes=False,
        ),
    )
}
"""Maps names to kernels in OpenCL C 2.0, or in 3.0 with pipes; some kernels use reservations."""
