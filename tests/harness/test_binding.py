"""The binding of calls: C functions receive converted arguments, and their outputs are decoded."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import UNTOUCHED, Call, Output
from clconform.calls.values import (
    ArgumentUpdate,
    BusAddresses,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    InfoUpdate,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.harness.binding import CallBinding
from clconform.harness.callbacks import CallbackFunctions
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.errors import BadCall
from clconform.harness.machine_memory import ProcessMemory
from clconform.harness.names import ObjectNames
from clconform.harness.process_types import ProcessTypes
from clconform.harness.raw_messages import CALL
from clconform.harness.signatures import type_letter
from clconform.harness.targets import Target
from clconform.harness.worker_process import WorkerProcess
from clconform.spec_tables.requirements import Effect, Enumerant, Function, Parameter, Query, Section, Type

from .scripted_driver import CALL_SECONDS, START_SECONDS, ScriptedFunctions, list_signatures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.spec_tables import Tables

NO_SECTION = Section("", "")
TYPES = {
    "cl_uint": Type("cl_uint", "scalar", "uint32"),
    "cl_int": Type("cl_int", "scalar", "int32"),
    "cl_ulong": Type("cl_ulong", "scalar", "uint64"),
    "cl_bitfield": Type("cl_bitfield", "scalar", "cl_ulong"),
    "cl_flags": Type("cl_flags", "bitfield", "cl_bitfield"),
    "cl_list_properties": Type("cl_list_properties", "scalar", "intptr_t"),
    "cl_device_id": Type("cl_device_id", "handle"),
    "cl_mem": Type("cl_mem", "handle"),
    "cl_long": Type("cl_long", "scalar", "int64"),
    "cl_bus_address_amd": Type(
        "cl_bus_address_amd", "struct", fields=(("surfbusaddress", "cl_long"), ("signalbusaddress", "cl_long"))
    ),
    "cl_pair": Type(
        "cl_pair", "struct", fields=(("version", "cl_uint"), ("name", "char[LENGTH]"), ("last", "cl_ulong"))
    ),
}
STRUCTURES = ("cl_mutable_dispatch_arg_khr", "cl_mutable_dispatch_exec_info_khr", "cl_mutable_dispatch_config_khr")
ENUMERANTS = {
    "LENGTH": Enumerant("LENGTH", 8, ""),
    "CL_TEXT": Enumerant("CL_TEXT", 1, ""),
    "CL_LIST": Enumerant("CL_LIST", 2, ""),
    "CL_PAIRS": Enumerant("CL_PAIRS", 3, ""),
    "CL_BYTES": Enumerant("CL_BYTES", 4, ""),
    "CL_STRINGS": Enumerant("CL_STRINGS", 5, ""),
}
QUERIES = {
    name: Query(name, "", NO_SECTION, "", function="clGetInfo", name=name, type=kind, shape=shape)
    for name, kind, shape in (
        ("CL_TEXT", "char", "string"),
        ("CL_LIST", "cl_list_properties", "array"),
        ("CL_PAIRS", "cl_pair", "array"),
        ("CL_BYTES", "unsigned char", "array"),
        ("CL_STRINGS", "const char*", "array"),
    )
}


def _create_parameter(name: str, spelling: str) -> Parameter:
    base = spelling.replace("const ", "").rstrip("*")
    const = "const" in spelling
    return Parameter(name, spelling, base, spelling.count("*"), const, "in" if const or "*" not in spelling else "out")


_PADDING_TYPES = {"p": "void*", "u": "cl_uint", "i": "cl_int", "w": "cl_ulong"}
"""Maps the letters of a signature to types of parameters that are not under test."""


class BindingBench:
    """A binding with test functions, whose C code follows a script."""

    def __init__(self, process: WorkerProcess, library: Path, tables: Tables) -> None:
        self.names = ObjectNames()
        self.functions: dict[str, Function] = {}
        self.topics: tuple[str, ...] = ()
        """Topics of the fake tables: each function has one effect for each topic, with all its parameters."""
        self.connection = DriverConnection(process, START_SECONDS)
        self.script = ScriptedFunctions(self.connection, library)
        self._signatures = list_signatures(tables)
        self._types = TYPES | {name: tables.types[name] for name in (*STRUCTURES, *_types_of_structures(tables))}
        fake: Any = SimpleNamespace(
            functions=self.functions,
            types=self._types,
            enumerants=ENUMERANTS,
            requirements=QUERIES,
            callbacks={},
            dispatch=(),
            requirements_of=self._requirements_of,
        )
        types = ProcessTypes(fake, self.connection.machine, self.connection.signatures)
        callbacks = CallbackFunctions(fake, types.layouts, self.names, self.connection.callback_signatures)
        self.binding = CallBinding(types, self.names, ProcessMemory(self.connection), callbacks)
        self._positions: list[int] = []

    def _requirements_of(self, name: str) -> tuple[Effect, ...]:
        names = tuple(parameter.name for parameter in self.functions[name].parameters)
        return tuple(
            Effect(f"{name}/effect/{number}", "", NO_SECTION, "", parameters=names, function=name, topic=topic)
            for number, topic in enumerate(self.topics, 1)
        )

    def define_function(self, spellings: list[str], *, name: str = "clTest", returns: str = "cl_int") -> list[str]:
        """Define a function whose parameters have the types ``spellings``; return the names of its parameters.

        The worker calls only functions with the signatures of the tables, so other parameters may follow or precede.
        """
        wanted = iter(enumerate(spellings))
        letters = [type_letter(*_split_pointers(each), self._types) for each in (returns, *spellings)]
        signature = next(each for each in self._signatures if _is_extension(each, letters))
        at, spelling = next(wanted, (-1, ""))
        parameters = []
        self._positions = []
        for position, letter in enumerate(signature[1:]):
            if spelling and letter == letters[1 + at]:
                parameters.append(_create_parameter(f"p{at}" if at else "param_name", spelling))
                self._positions.append(position)
                at, spelling = next(wanted, (-1, ""))
            else:
                parameters.append(_create_parameter(f"unused{position}", _PADDING_TYPES[letter]))
        queries = name == "clGetInfo"
        self.functions[name] = Function(name, returns, tuple(parameters), "", NO_SECTION, queries=queries)
        self.address = self.script.address_of(signature)
        return [each.name for each in parameters if not each.name.startswith("unused")]

    def position(self, argument: int) -> int:
        """Return the position of one of the ``spellings`` among all parameters of the last function."""
        return self._positions[argument]

    def prepare(self, names: list[str], values: list[Value], name: str = "clTest") -> Any:
        """Convert a call of a function."""
        given: dict[str, Value] = {each.name: None if each.pointers else 0 for each in self.functions[name].parameters}
        given |= dict(zip(names, values, strict=True))
        return self.binding.prepare(Call(name, given), self.address)

    def call_function(
        self,
        spellings: list[str],
        values: list[Value],
        *,
        name: str = "clTest",
        returns: str = "cl_int",
        writes: tuple[tuple[int, bytes, int], ...] = (),
        result: int = 0,
    ) -> Any:
        """Call a function whose parameters have the types ``spellings``.

        ``writes``: an argument, the bytes that the function writes there, and their offset. ``result``: what the
        function returns.
        """
        names = self.define_function(spellings, name=name, returns=returns)
        for argument, content, offset in writes:
            self.script.write(self.position(argument), content, offset)
        self.script.set_result(result)
        prepared = self.prepare(names, values, name)
        self.connection.seconds = CALL_SECONDS
        return self.binding.finish(prepared, self.connection.call([CALL, *prepared.request]))

    @property
    def words(self) -> list[int]:
        """The arguments that the last function has received, as machine words."""
        words = self.script.words
        return [words[position] for position in self._positions]

    def peek(self, address: int, size: int) -> bytes:
        """Return the bytes at an address."""
        content = self.connection.peek(address, size)
        assert content is not None
        return content


def _types_of_structures(tables: Tables) -> set[str]:
    """Return the types of the structures' fields."""
    spellings = (spelling for name in STRUCTURES for _, spelling in tables.types[name].fields)
    bases = {spelling.replace("const ", "").rstrip("* ") for spelling in spellings}
    return {base for base in bases if base in tables.types and base not in TYPES}


def _split_pointers(spelling: str) -> tuple[str, int]:
    return spelling.replace("const ", "").rstrip("*"), spelling.count("*")


def _is_extension(signature: str, letters: list[str]) -> bool:
    """Return whether a signature has these letters in order, and the same result."""
    rest = iter(signature[1:])
    return signature[0] == letters[0] and all(letter in rest for letter in letters[1:])


@pytest.fixture
def bench(tables: Tables, scripted_library: Path) -> Iterator[BindingBench]:
    process = WorkerProcess(Target.null())
    try:
        yield BindingBench(process, scripted_library, tables)
    finally:
        process.close()


@pytest.mark.parametrize(
    ("spelling", "given", "seen"),
    [
        ("cl_uint", -1, 0xFFFFFFFF),
        ("cl_uint", 0xFFFFFFFF, 0xFFFFFFFF),
        ("cl_int", 0xFFFFFFFF, -1),
        ("cl_int", -(1 << 31), -(1 << 31)),
        ("cl_flags", -1, (1 << 64) - 1),
        ("size_t", 1 << 63, 1 << 63),
        ("cl_list_properties", (1 << 64) - 1, -1),
    ],
)
def test_integer_arguments_are_converted_as_in_c(bench: BindingBench, spelling: str, given: int, seen: int) -> None:
    bench.call_function([spelling], [given])
    assert bench.words == [seen & (1 << 64) - 1]


@pytest.mark.parametrize(("spelling", "given"), [("cl_uint", 1 << 32), ("cl_int", -(1 << 31) - 1), ("size_t", 1 << 64)])
def test_integers_outside_the_parameter_type_are_rejected(bench: BindingBench, spelling: str, given: int) -> None:
    with pytest.raises(BadCall, match=rf"clTest, param_name \({spelling}\): {given} does not fit into \d+ bits"):
        bench.call_function([spelling], [given])


@pytest.mark.parametrize(("word", "value"), [(0xFFFFFFFF, -1), (5, 5), (0xFFFFFFFF_00000007, 7), ((1 << 64) - 30, -30)])
def test_result_is_converted_to_its_type(bench: BindingBench, word: int, value: int) -> None:
    assert bench.call_function(["cl_uint*"], [None], result=word).value == value


def test_output_bus_addresses_are_replaced_by_names(bench: BindingBench) -> None:
    told = struct.pack("6q", 0x10000, 0x23000, 0x10000, 0x38000, 0, 0x44000)
    returned = bench.call_function(["cl_bus_address_amd*"], [OutputBuffer(4)], writes=((0, told, 0),))
    assert returned.outputs["param_name"].values == ["bus1", "bus2", "bus1", "bus3", None, "bus4", UNTOUCHED, UNTOUCHED]
    assert returned.alignment == 0x1000


@pytest.mark.parametrize(("address", "alignment"), [(0x20800, 0x800), (0x20001, 1), (0x7FFFFFFFF000, 0x1000)])
def test_outcome_contains_smallest_alignment_of_bus_addresses(
    bench: BindingBench, address: int, alignment: int
) -> None:
    told = struct.pack("2q", 0x10000, address)
    returned = bench.call_function(["cl_bus_address_amd*"], [OutputBuffer(1)], writes=((0, told, 0),))
    assert returned.alignment == alignment


def test_named_bus_addresses_are_passed_as_numbers(bench: BindingBench) -> None:
    surface, signal = (Handle(bench.names.name_of("bus address", at)) for at in (0x10000, 0x23000))
    noted = []
    for value in (BusAddresses(surface, signal), BusAddresses(OffsetPointer(surface, 8), 0)):
        bench.call_function(["void*"], [value], name="clEnqueueTest")
        noted.append(struct.unpack("2q", bench.peek(bench.words[0], 16)))
    assert noted == [(0x10000, 0x23000), (0x10008, 0)]


CONFIG = struct.Struct("P4I6P")
"""The C structure cl_mutable_dispatch_config_khr: the command, four counts, and the pointers to its arrays."""
UPDATE = struct.Struct("@IxxxxNP")
"""The C structure cl_mutable_dispatch_arg_khr or cl_mutable_dispatch_exec_info_khr: key, size, and value."""


def test_dispatch_configs_are_passed_as_c_structures_with_pointees(bench: BindingBench) -> None:
    command, memory = (Handle(bench.names.name_of("cl_mem", address)) for address in (0x4444, 0x5555))
    config = DispatchConfig(
        command,
        num_args=2,
        num_svm_args=1,
        num_exec_infos=1,
        work_dim=2,
        arg_list=(ArgumentUpdate(3, 8, HandleBytes(memory)), ArgumentUpdate(4, 2, Data(b"xy"))),
        arg_svm_list=(ArgumentUpdate(5, 0, OffsetPointer(memory, 16)),),
        exec_info_list=(InfoUpdate(0x11B6, 16, Pointers((memory, None))),),
        global_work_offset=(1, 2),
        local_work_size=(7, 8),
    )
    bench.call_function(["const void**"], [DispatchConfigs((config, None))], name="clEnqueueTest")
    first, second = struct.unpack("2P", bench.peek(bench.words[0], 16))
    assert second == 0
    fields = CONFIG.unpack(bench.peek(first, CONFIG.size))
    assert fields[:5] == (0x4444, 2, 1, 1, 2)
    arguments, svm_arguments, infos, offset, sizes, local = fields[5:]
    (key1, size1, value1), (key2, size2, value2) = UPDATE.iter_unpack(bench.peek(arguments, 2 * UPDATE.size))
    assert (key1, size1, bench.peek(value1, 8)) == (3, 8, struct.pack("P", 0x5555))
    assert (key2, size2, bench.peek(value2, 2)) == (4, 2, b"xy")
    assert UPDATE.unpack(bench.peek(svm_arguments, UPDATE.size)) == (5, 0, 0x5565)
    key, size, value = UPDATE.unpack(bench.peek(infos, UPDATE.size))
    assert (key, size, struct.unpack("2P", bench.peek(value, 16))) == (0x11B6, 16, (0x5555, 0))
    assert [struct.unpack("2N", bench.peek(each, 16)) for each in (offset, local)] == [(1, 2), (7, 8)]
    assert sizes == 0


def test_array_arguments_contain_numbers_and_object_addresses(bench: BindingBench) -> None:
    device = bench.names.name_of("cl_device_id", 0x1234)
    listed = ElementList((0x1086, -3, Handle(device), None))
    bench.call_function(
        ["const cl_list_properties*", "const cl_device_id*"],
        [listed, ElementList((Handle(device), None))],
        name="clEnqueueTest",
    )
    numbers, devices = bench.words
    assert struct.unpack("4q", bench.peek(numbers, 32)) == (0x1086, -3, 0x1234, 0)
    assert struct.unpack("2P", bench.peek(devices, 16)) == (0x1234, 0)


def test_data_text_and_handle_arguments_are_passed_as_pointers_to_their_bytes(bench: BindingBench) -> None:
    memory = bench.names.name_of("cl_mem", 0x77)
    bench.call_function(
        ["const void*", "const char*", "const char**", "const void*", "void*"],
        [Data(b"a\0b"), Text("grün"), Texts(("one", "")), HandleBytes(Handle(memory)), 42],
        name="clEnqueueTest",
    )
    data, text, texts, handle, user = bench.words
    assert bench.peek(data, 3) == b"a\0b"
    assert bench.peek(text, 6) == "grün".encode() + b"\0"
    first, second = struct.unpack("2P", bench.peek(texts, 16))
    assert (bench.peek(first, 4), bench.peek(second, 1)) == (b"one\0", b"\0")
    assert (struct.unpack("P", bench.peek(handle, 8)), user) == ((0x77,), 42)


def test_memory_of_arguments_is_aligned_for_all_vector_types(bench: BindingBench) -> None:
    bench.call_function(["const void*", "const char*", "cl_uint*"], [Data(b"a"), Text("b"), OutputBuffer(1)])
    assert [word % 128 for word in bench.words] == [0, 0, 0]


def test_pointer_list_is_passed_as_array_of_addresses(bench: BindingBench) -> None:
    memory = bench.names.name_of("void*", 0x1000)
    pointers = Pointers((Handle(memory), OffsetPointer(Handle(memory), 24), None))
    bench.call_function(["const void*"], [pointers], name="clEnqueueTest")
    assert struct.unpack("3P", bench.peek(bench.words[0], 24)) == (0x1000, 0x1018, 0)


def test_output_elements_that_were_not_written_are_marked_untouched(bench: BindingBench) -> None:
    answer = bench.call_function(
        ["cl_uint*", "cl_device_id*", "void*"],
        [OutputBuffer(3), OutputBuffer(3), OutputBuffer(8)],
        writes=((0, (9).to_bytes(4, "little"), 0), (1, (0x40).to_bytes(8, "little") + bytes(8), 0), (2, b"xy", 2)),
    )
    assert answer.outputs == {
        "param_name": Output([9, UNTOUCHED, UNTOUCHED], 4),
        "p1": Output(["device1", None, UNTOUCHED], 16),
        "p2": Output([], 4, b"\xa5\xa5xy"),
    }
    assert answer.overrun == []


@pytest.mark.parametrize("offset", [-1, -64, 4, 67])
def test_write_outside_output_buffer_is_reported_as_overrun(bench: BindingBench, offset: int) -> None:
    answer = bench.call_function(
        ["cl_uint*", "cl_uint*"], [OutputBuffer(1), OutputBuffer(1)], writes=((0, b"!", offset),)
    )
    assert answer.overrun == ["param_name"]
    assert answer.outputs["param_name"] == Output([UNTOUCHED], 0)


def test_list_of_output_buffers_has_guard_bytes_around_each(bench: BindingBench) -> None:
    returned = bench.call_function(["void*"], [OutputBuffers((2, 3))], name="clEnqueueTest")
    assert (returned.outputs, returned.overrun) == ({"param_name": Output(["", ""], 0)}, [])
    first, second = struct.unpack("2P", bench.peek(bench.words[0], 16))
    assert bench.peek(first - 64, 130) == b"\xc3" * 64 + b"\xa5" * 2 + b"\xc3" * 64
    assert bench.peek(second - 64, 131) == b"\xc3" * 64 + b"\xa5" * 3 + b"\xc3" * 64


def test_output_buffer_of_zero_elements_is_passed_as_non_null_pointer(bench: BindingBench) -> None:
    answer = bench.call_function(["cl_uint*"], [OutputBuffer(0)])
    assert answer.outputs["param_name"] == Output([], 0)
    assert bench.words[0]


@pytest.mark.parametrize(
    ("asked", "content", "values"),
    [
        (1, b"caf\xc3\xa9\xff\0", ["café\\xff\0"]),
        (2, (5).to_bytes(8, "little") + (0x1234).to_bytes(8, "little"), [5, "device1"]),
        (2, (5).to_bytes(8, "little") + b"\0", [5, int.from_bytes(b"\0" + b"\xa5" * 7, "little", signed=True)]),
        (3, b"\1\0\0\0name\0\0\0\0".ljust(16, b"\0") + bytes(8), [1, "name", 0]),
        (4, b"\1\xa5\2", [1, 0xA5, 2]),
        (9, b"unknown", []),
    ],
)
def test_query_value_is_decoded_by_its_type_in_the_tables(
    bench: BindingBench, asked: int, content: bytes, values: list[Any]
) -> None:
    bench.names.name_of("cl_device_id", 0x1234)
    answer = bench.call_function(
        ["cl_uint", "void*"], [asked, OutputBuffer(64)], name="clGetInfo", writes=((1, content, 0),)
    )
    renamed = answer.outputs["p1"]
    assert (renamed.values, renamed.written, renamed.raw) == (values, len(content), content)


def test_query_of_string_pointers_returns_the_strings(bench: BindingBench) -> None:
    texts = [Data(b"one\0"), Data(b"x" * 5000 + b"\0")]
    bench.call_function(["const void*", "const void*"], texts, name="clEnqueueTest")
    one, two = bench.words
    content = struct.pack("4N", one, 0, two, 64)
    answer = bench.call_function(
        ["cl_uint", "void*"], [5, OutputBuffer(48)], name="clGetInfo", writes=((1, content, 0),)
    )
    assert answer.outputs["p1"] == Output(["one", None, "x" * 5000, "(not a readable string)"], 32)


def test_returned_object_has_one_name_and_null_is_none(bench: BindingBench) -> None:
    found = [bench.call_function(["cl_uint"], [0], returns="cl_mem", result=word).value for word in (0x99, 0x99, 0)]
    assert found == ["mem1", "mem1", None]


def test_offset_pointer_is_passed_as_base_address_plus_offset(bench: BindingBench) -> None:
    pointer = bench.names.name_of("void*", 0x4000)
    bench.call_function(["void*"], [OffsetPointer(Handle(pointer), 24)])
    assert bench.words == [0x4018]


@pytest.mark.parametrize(
    ("spelling", "value", "reason"),
    [
        ("cl_uint", None, "expected a number, not None"),
        ("cl_device_id", 5, "expected a handle or NULL, not 5"),
        ("cl_uint*", 5, "expected a pointer, not 5"),
        ("const cl_device_id*", ElementList((7,)), "an element must be a handle or NULL, not 7"),
        ("cl_uint*", OutputBuffer(-1), "cannot allocate"),
        ("cl_uint*", OutputBuffer(1 << 40), "cannot allocate"),
        ("void*", OutputBuffers((1, 1 << 40)), "cannot allocate"),
        ("const cl_unknown*", ElementList((1,)), "do not define the layout of an element"),
        ("cl_unknown*", OutputBuffer(1), "do not define the size of an element"),
    ],
)
def test_value_of_a_kind_unsuitable_for_its_parameter_is_rejected(
    bench: BindingBench, spelling: str, value: Value, reason: str
) -> None:
    with pytest.raises(BadCall, match=reason):
        bench.call_function([spelling], [value])


def test_call_with_missing_or_unknown_argument_is_rejected(bench: BindingBench) -> None:
    bench.call_function(["cl_device_id"], [None])
    with pytest.raises(BadCall, match="clTest: no argument param_name"):
        bench.binding.prepare(Call("clTest", {}), 1)
    with pytest.raises(BadCall, match="clTest has no parameter extra"):
        bench.binding.prepare(Call("clTest", {"param_name": None, "extra": 2}), 1)
    with pytest.raises(BadCall, match="no function 'clNone'"):
        bench.binding.prepare(Call("clNone", {}), 1)


def test_function_without_a_thunk_is_rejected(bench: BindingBench) -> None:
    parameters = tuple(_create_parameter(f"p{at}", "cl_int") for at in range(9))
    bench.functions["clTest"] = Function("clTest", "cl_int", parameters, "", NO_SECTION)
    with pytest.raises(BadCall, match="clTest: the program that runs drivers has no function of its signature, iiiiii"):
        bench.binding.prepare(Call("clTest", {each.name: 0 for each in parameters}), 1)


@pytest.mark.parametrize(
    ("topic", "after"),
    [
        ("pattern-reusable-on-return", b"\xfe\xfd\xfc\x00"),
        ("wait-list-reusable", b"\xfe\xfd\xfc\x00"),
        ("device-reuses-host-memory", b"\x01\x02\x03\xff"),
    ],
)
def test_only_reusable_memory_is_overwritten_after_call(bench: BindingBench, topic: str, after: bytes) -> None:
    """Functions with and without commands are tested. Memory that the application may not reuse keeps its content."""
    bench.topics = (topic,)
    for name in ("clEnqueueTest", "clTest"):
        bench.define_function(["const void*"], name=name)
        bench.script.watch(bench.position(0), 4)
        bench.call_function(["const void*"], [Data(b"\x01\x02\x03\xff")], name=name)
        assert bench.script.seen(4) == b"\x01\x02\x03\xff"
        assert bench.peek(bench.words[0], 4) == after


def test_reusable_wait_list_is_overwritten_after_call(bench: BindingBench) -> None:
    bench.topics = ("wait-list-reusable",)
    listed = ElementList((Handle(bench.names.name_of("cl_mem", 0x4444)),))
    bench.define_function(["const cl_mem*"], name="clEnqueueTest")
    bench.script.watch(bench.position(0), 8)
    bench.call_function(["const cl_mem*"], [listed], name="clEnqueueTest")
    assert bench.script.seen(8) == struct.pack("P", 0x4444)
    assert bench.peek(bench.words[0], 8) == struct.pack("Q", ~0x4444 & (1 << 64) - 1)


def test_reusable_pointer_is_overwritten_and_its_memory_is_not(bench: BindingBench) -> None:
    bench.topics = ("pattern-reusable-on-return",)
    bench.define_function(["const void**"], name="clEnqueueTest")
    bench.script.watch(bench.position(0), 8)
    bench.call_function(["const void**"], [Data(b"one")], name="clEnqueueTest")
    (during,) = struct.unpack("Q", bench.script.seen(8))
    assert bench.peek(during, 3) == b"one"
    assert struct.unpack("Q", bench.peek(bench.words[0], 8)) == (~during & (1 << 64) - 1,)


def test_memory_of_commands_is_kept_after_later_calls(bench: BindingBench) -> None:
    bench.call_function(["const void*"], [Data(b"first")], name="clEnqueueTest")
    (first,) = bench.words
    for _ in range(20):
        bench.call_function(["const void*"], [Data(b"other")], name="clEnqueueTest")
        bench.call_function(["const void*"], [Data(b"other")])
    assert bench.peek(first, 5) == b"first"


def test_host_pointer_keeps_memory_of_its_call(bench: BindingBench) -> None:
    """Without a host pointer, the memory is used again by the next call."""
    addresses = []
    for value in (Data(b"kept"), None, None):
        bench.functions["clTest"] = Function(
            "clTest",
            "cl_mem",
            (_create_parameter("host_ptr", "void*"), _create_parameter("errcode", "cl_uint*")),
            "",
            NO_SECTION,
        )
        bench.address = bench.script.address_of("ppp")
        bench.binding._prototypes.clear()
        prepared = bench.binding.prepare(Call("clTest", {"host_ptr": value, "errcode": OutputBuffer(1)}), bench.address)
        bench.binding.finish(prepared, bench.connection.call([CALL, *prepared.request]))
        addresses.append(bench.script.words[:2])
    assert bench.peek(addresses[0][0], 4) == b"kept"
    assert addresses[0][1] != addresses[1][1] == addresses[2][1]
