"""Layouts of types on machines of 32 and 64 bits and of both byte orders, and the structures of the C compiler."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.values import (
    ArgumentUpdate,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    OutputBuffers,
    Pointers,
)
from clconform.harness.argument_encoding import ArgumentEncoder
from clconform.harness.decoding import OutputDecoder, OutputType
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.errors import BadCall
from clconform.harness.machine_memory import ProcessMemory, UnreadableMemory
from clconform.harness.names import ObjectNames
from clconform.harness.prototypes import Slot
from clconform.harness.raw_messages import BLOCK, OUTPUT
from clconform.harness.targets import Target
from clconform.harness.type_layout import THIS_MACHINE, Machine, TypeLayouts
from clconform.harness.worker_process import WorkerProcess
from clconform.spec_tables.loading import REVISIONS, list_revisions, read_tables
from clconform.spec_tables.requirements import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.spec_tables import Tables

SMALL = Machine("<", 4, 4, {})
BIG_ENDIAN = Machine(">", 8, 8, {})
WINDOWS = Machine("<", 8, 4, {})
MACHINES = {"32-bit": SMALL, "big-endian": BIG_ENDIAN, "Windows": WINDOWS, "this": THIS_MACHINE}
SOURCES = Path(__file__).resolve().parents[2] / "harness" / "driver_worker"


@pytest.fixture
def create_layouts(tables: Tables) -> Callable[[Machine], TypeLayouts]:
    """Return a function that creates the layouts of the tables' types on a machine."""
    return lambda machine: TypeLayouts(tables.types, tables.enumerants, machine)


@pytest.mark.parametrize(
    ("base", "pointers", "small", "big_endian", "windows"),
    [
        ("size_t", 0, "<I", ">Q", "<Q"),
        ("intptr_t", 0, "<i", ">q", "<q"),
        ("cl_context_properties", 0, "<i", ">q", "<q"),
        ("cl_mem_properties", 0, "<Q", ">Q", "<Q"),
        ("cl_context", 0, "<I", ">Q", "<Q"),
        ("char", 1, "<I", ">Q", "<Q"),
        ("long", 0, "<i", ">q", "<i"),
        ("unsigned long", 0, "<I", ">Q", "<I"),
        ("cl_ulong", 0, "<Q", ">Q", "<Q"),
        ("cl_int", 0, "<i", ">i", "<i"),
        ("cl_ushort", 0, "<H", ">H", "<H"),
        ("cl_uchar", 0, "<B", ">B", "<B"),
        ("cl_double", 0, "<d", ">d", "<d"),
    ],
)
def test_basic_types_have_the_width_and_order_of_the_machine(
    create_layouts: Callable[[Machine], TypeLayouts],
    base: str,
    pointers: int,
    small: str,
    big_endian: str,
    windows: str,
) -> None:
    for machine, code in ((SMALL, small), (BIG_ENDIAN, big_endian), (WINDOWS, windows)):
        layout = create_layouts(machine).layout(base, pointers)
        assert layout is not None
        assert (layout.code, layout.size, layout.alignment) == (code, struct.calcsize(code), struct.calcsize(code))


@pytest.mark.parametrize(
    ("name", "machine", "size", "offsets"),
    [
        ("cl_image_desc", SMALL, 40, (0, 4, 8, 12, 16, 20, 24, 28, 32, 36)),
        ("cl_image_desc", BIG_ENDIAN, 72, (0, 8, 16, 24, 32, 40, 48, 56, 60, 64)),
        ("cl_buffer_region", SMALL, 8, (0, 4)),
        ("cl_buffer_region", BIG_ENDIAN, 16, (0, 8)),
        ("cl_bus_address_amd", SMALL, 16, (0, 8)),
        ("cl_name_version", SMALL, 68, (0, 4)),
        ("cl_mutable_dispatch_arg_khr", SMALL, 12, (0, 4, 8)),
        ("cl_mutable_dispatch_arg_khr", BIG_ENDIAN, 24, (0, 8, 16)),
    ],
)
def test_structures_are_laid_out_with_natural_alignment(
    create_layouts: Callable[[Machine], TypeLayouts],
    name: str,
    machine: Machine,
    size: int,
    offsets: tuple[int, ...],
) -> None:
    layout = create_layouts(machine).layout(name)
    assert layout is not None
    assert (layout.size, layout.offsets) == (size, offsets)
    assert struct.calcsize(layout.code) == size


def test_layout_of_the_compiler_precedes_natural_alignment(tables: Tables) -> None:
    machine = Machine("<", 4, 4, {"cl_image_format": (16, (4, 12))})
    layout = TypeLayouts(tables.types, tables.enumerants, machine).layout("cl_image_format")
    assert layout is not None
    assert (layout.size, layout.offsets, layout.code) == (16, (4, 12), "<4xI4xI")
    assert layout.unpack(layout.pack([5, 6])) == [5, 6]


def test_structures_of_the_worker_have_natural_alignment() -> None:
    process = WorkerProcess(Target.null())
    machine = DriverConnection(process, 60).machine
    process.close()
    assert machine[:3] == THIS_MACHINE[:3]
    found = {}
    for revision in list_revisions():
        tables = read_tables(REVISIONS / revision)
        natural = TypeLayouts(tables.types, tables.enumerants, machine._replace(structures={}))
        compiled = TypeLayouts(tables.types, tables.enumerants, machine)
        for name in set(machine.structures) & tables.types.keys():
            found[name] = natural.layout(name)
            assert compiled.layout(name) == found[name]
    assert found.keys() == machine.structures.keys()
    assert {name: (each.size, list(each.offsets)) for name, each in found.items() if each} == machine.structures


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_structures_of_a_32_bit_compiler_have_natural_alignment(compiler: str, tmp_path: Path) -> None:
    command = [compiler, "-m32", "-std=c11", "-ffreestanding", "-fsyntax-only", f"-I{SOURCES}", "-x", "c", "-"]
    if shutil.which(compiler) is None or subprocess.run(command, input=b"", check=False, cwd=tmp_path).returncode:
        pytest.skip(f"{compiler} does not compile for 32 bits here")
    checks = ['_Static_assert(sizeof(void *) == 4, "");']
    for revision in list_revisions():
        tables = read_tables(REVISIONS / revision)
        layouts = TypeLayouts(tables.types, tables.enumerants, SMALL)
        source = (SOURCES / "prototypes.c").read_text(encoding="utf-8")
        for name, known in tables.types.items():
            layout = layouts.layout(name)
            if layout is None or f"struct {name} {{" not in source:
                continue
            checks.append(f'_Static_assert(sizeof(struct {name}) == {layout.size}, "{name}");')
            checks += [
                f'_Static_assert(offsetof(struct {name}, {field}) == {offset}, "{name}.{field}");'
                for (field, _), offset in zip(known.fields, layout.offsets, strict=True)
            ]
    assert len(checks) > 50
    source = "\n".join(['#include "prototypes.c"', *checks, ""])
    subprocess.run(command, input=source.encode(), check=True, cwd=tmp_path)


@pytest.mark.parametrize(
    ("machine", "base", "value", "content"),
    [
        (SMALL, "size_t", 0x12345678, b"\x78\x56\x34\x12"),
        (BIG_ENDIAN, "size_t", 0x12345678, b"\0\0\0\0\x12\x34\x56\x78"),
        (SMALL, "cl_context_properties", 0xF7001234, b"\x34\x12\x00\xf7"),
        (BIG_ENDIAN, "cl_int", -2, b"\xff\xff\xff\xfe"),
    ],
)
def test_numbers_are_written_in_the_order_of_the_machine(
    create_layouts: Callable[[Machine], TypeLayouts], machine: Machine, base: str, value: int, content: bytes
) -> None:
    layout = create_layouts(machine).layout(base)
    assert layout is not None
    assert layout.to_bytes(value) == content
    bits = 8 * layout.size
    assert [each & (1 << bits) - 1 for each in layout.unpack(content)] == [value & (1 << bits) - 1]


def test_numbers_wider_than_a_32_bit_word_are_rejected(create_layouts: Callable[[Machine], TypeLayouts]) -> None:
    layouts = create_layouts(SMALL)
    size = layouts.layout("size_t")
    assert size is not None
    with pytest.raises(BadCall, match="4294967296 does not fit into 32 bits"):
        size.to_c_integer(1 << 32)
    with pytest.raises(BadCall, match="does not fit into 32 bits"):
        layouts.pack_pointers([1 << 32])


def create_slot(layouts: TypeLayouts, base: str, pointers: int) -> Slot:
    """Return a parameter that is a pointer."""
    element = OutputType(layouts.layout(base, pointers - 1))
    width = 1 if base == "void" and pointers == 1 else layouts.pointer.size
    return Slot("p", Parameter("p", "", base, pointers, const=True, direction="in"), None, element, width, False)


def test_arguments_of_a_32_bit_driver_have_pointers_of_4_bytes(
    create_layouts: Callable[[Machine], TypeLayouts],
) -> None:
    layouts, names = create_layouts(SMALL), ObjectNames()
    encoder = ArgumentEncoder(layouts, names)
    memory = Handle(names.name_of("void*", 0xF7001234))

    def encode(base: str, pointers: int, value: Any) -> Any:
        return encoder.encode_pointer(create_slot(layouts, base, pointers), value, reusable=False)

    address = b"\x34\x12\x00\xf7"
    assert encode("void", 1, HandleBytes(memory)) == address
    assert encode("void", 1, Pointers((memory, None))) == address + bytes(4)
    assert encode("cl_context_properties", 1, ElementList((0x1084, memory, 0))) == b"\x84\x10\0\0" + address + bytes(4)
    assert encode("void", 1, OutputBuffers((2, 3))) == [BLOCK, bytes(8), 0, [OUTPUT, 2], 4, [OUTPUT, 3]]
    assert encode("void", 1, -1) == (1 << 32) - 1


@pytest.mark.parametrize(
    ("machine", "config", "update"),
    [(SMALL, "<I4I6I", "<III"), (BIG_ENDIAN, ">Q4I6Q", ">I4xQQ")],
    ids=["32-bit", "big-endian"],
)
def test_dispatch_configs_have_the_layout_of_the_machine(
    create_layouts: Callable[[Machine], TypeLayouts], machine: Machine, config: str, update: str
) -> None:
    layouts, names = create_layouts(machine), ObjectNames()
    command = Handle(names.name_of("cl_mutable_command_khr", 0x4444))
    given = DispatchConfig(command, 2, 0, 0, 1, arg_list=(ArgumentUpdate(3, 8, Data(b"x")),), global_work_size=(5,))
    found: Any = ArgumentEncoder(layouts, names).encode_pointer(
        create_slot(layouts, "void", 2), DispatchConfigs((given,)), reusable=False
    )
    pointer = layouts.pointer.size
    form, content, place, block = found
    assert (form, content, place) == (BLOCK, bytes(pointer), 0)
    form, content, *pairs = block
    assert content == struct.pack(config, 0x4444, 2, 0, 0, 1, *[0] * 6)
    first = struct.calcsize(config) - 6 * pointer
    assert pairs[::2] == [first + pointer * at for at in range(6)]
    size = struct.calcsize(update)
    assert pairs[1] == [BLOCK, struct.pack(update, 3, 8, 0), size - pointer, b"x"]
    assert pairs[3::2] == [None, None, None, (5).to_bytes(pointer, machine.integer_order), None]


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
@pytest.mark.parametrize("base", ["cl_context_properties", "cl_mem_properties"])
def test_object_in_property_list_is_named_on_every_machine(tables: Tables, machine: Machine, base: str) -> None:
    """An address in the upper half of the memory is a negative number on 32-bit machines."""
    layouts, names = TypeLayouts(tables.types, tables.enumerants, machine), ObjectNames()
    address = 0xF7001234 if machine.pointer_bytes == 4 else 0x7F0000001234
    name = names.name_of("cl_platform_id", address)
    layout = layouts.layout(base)
    assert layout is not None
    known = OutputType(layout, has_addresses=True)
    content = b"".join(map(layout.to_bytes, (0x1084, address, 0)))
    assert OutputDecoder(layouts, names, UnreadableMemory()).decode_typed(content, known).values == [
        0x1084,
        name,
        0,
    ]


class _Memory:
    """A connection to a process with these bytes at an address."""

    def __init__(self, machine: Machine, address: int, content: bytes) -> None:
        self.machine = machine
        self._address, self._content = address, content

    def peek(self, address: int, size: int) -> bytes | None:
        start = address - self._address
        found = self._content[start : start + size] if start >= 0 else b""
        return found if len(found) == size else None


@pytest.mark.parametrize(("machine", "pointer"), [(SMALL, 0x03020100), (BIG_ENDIAN, 0x0001020304050607)])
def test_dispatch_table_is_read_with_pointers_of_the_machine(machine: Machine, pointer: int) -> None:
    connection: Any = _Memory(machine, 0x1000, bytes(range(32)))
    memory = ProcessMemory(connection)
    assert memory.read_pointer(0x1000) == pointer
    size = machine.pointer_bytes
    assert memory.read_pointers(0x1000, 2)[1] == int.from_bytes(bytes(range(size, 2 * size)), machine.integer_order)
    assert memory.read_pointer(0x1000 + 32 - size + 1) is None
    assert memory.read_pointer((1 << 8 * size) - 1) is None
    assert memory.read_pointer(0) is None
