"""FunctionBinding: C functions, implemented in Python, receive converted arguments, and their outputs are decoded."""

from __future__ import annotations

import ctypes
import struct
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

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
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.harness.addresses import ProcessMemory
from clconform.harness.binding import FunctionBinding
from clconform.harness.errors import BadCall
from clconform.harness.names import ObjectNames
from clconform.spec_tables.requirements import Effect, Enumerant, Function, Parameter, Query, Section, Type

if TYPE_CHECKING:
    from collections.abc import Callable

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


class BindingBench:
    """A binding with test functions, each implemented by a Python function."""

    def __init__(self) -> None:
        self.names = ObjectNames()
        self.functions: dict[str, Function] = {}
        self.topics: tuple[str, ...] = ()
        """Topics of the fake tables: each function has one effect for each topic, with all its parameters."""
        tables = SimpleNamespace(
            functions=self.functions,
            types=TYPES,
            enumerants=ENUMERANTS,
            requirements=QUERIES,
            callbacks={},
            dispatch=(),
            requirements_of=self._requirements_of,
        )
        self.binding = FunctionBinding(cast("Any", tables), self.names, ProcessMemory())

    def _requirements_of(self, name: str) -> tuple[Effect, ...]:
        names = tuple(parameter.name for parameter in self.functions[name].parameters)
        return tuple(
            Effect(f"{name}/effect/{number}", "", NO_SECTION, "", parameters=names, function=name, topic=topic)
            for number, topic in enumerate(self.topics, 1)
        )

    def call_function(
        self,
        spellings: list[str],
        values: list[Value],
        act: Callable[..., int],
        *,
        name: str = "clTest",
        returns: str = "cl_int",
    ) -> Any:
        """Call a function whose parameters have the types ``spellings``; ``act`` implements it."""
        names = ["param_name", *(f"p{i}" for i in range(1, len(spellings)))]
        parameters = tuple(_create_parameter(*one) for one in zip(names, spellings, strict=True))
        self.functions[name] = Function(name, returns, parameters, "", NO_SECTION, queries=name == "clGetInfo")
        prototype = self.binding.prototype(name)
        kinds = [slot.scalar.ctypes_class if slot.scalar else ctypes.c_void_p for slot in prototype.slots]
        function = ctypes.CFUNCTYPE(ctypes.c_void_p if prototype.returns else ctypes.c_int32, *kinds)(act)
        address = ctypes.cast(function, ctypes.c_void_p).value
        assert address is not None
        return self.binding.invoke(Call(name, dict(zip(names, values, strict=True))), address)


@pytest.fixture
def bench() -> BindingBench:
    return BindingBench()


def _write(address: int, content: bytes) -> int:
    ctypes.memmove(address, content, len(content))
    return 0


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
    noted = []
    bench.call_function([spelling], [given], lambda value: noted.append(value) or 5)  # type: ignore[func-returns-value]
    assert noted == [seen]


@pytest.mark.parametrize(("spelling", "given"), [("cl_uint", 1 << 32), ("cl_int", -(1 << 31) - 1), ("size_t", 1 << 64)])
def test_integers_outside_the_parameter_type_are_rejected(bench: BindingBench, spelling: str, given: int) -> None:
    with pytest.raises(BadCall, match=rf"clTest, param_name \({spelling}\): {given} does not fit into \d+ bits"):
        bench.call_function([spelling], [given], lambda _: 0)


def test_output_bus_addresses_are_replaced_by_names(bench: BindingBench) -> None:
    told = struct.pack("6q", 0x10000, 0x23000, 0x10000, 0x38000, 0, 0x44000)
    returned = bench.call_function(["cl_bus_address_amd*"], [OutputBuffer(4)], lambda at: _write(at, told))
    assert returned.outputs["param_name"].values == ["bus1", "bus2", "bus1", "bus3", None, "bus4", UNTOUCHED, UNTOUCHED]
    assert returned.alignment == 0x1000


@pytest.mark.parametrize(("address", "alignment"), [(0x20800, 0x800), (0x20001, 1), (0x7FFFFFFFF000, 0x1000)])
def test_outcome_contains_smallest_alignment_of_bus_addresses(
    bench: BindingBench, address: int, alignment: int
) -> None:
    told = struct.pack("2q", 0x10000, address)
    assert (
        bench.call_function(["cl_bus_address_amd*"], [OutputBuffer(1)], lambda at: _write(at, told)).alignment
        == alignment
    )


def test_named_bus_addresses_are_passed_as_numbers(bench: BindingBench) -> None:
    surface, signal = (Handle(bench.names.name_of("bus address", at)) for at in (0x10000, 0x23000))
    noted = []

    def act(at: int) -> int:
        noted.append(tuple((ctypes.c_int64 * 2).from_address(at)))
        return 0

    for value in (BusAddresses(surface, signal), BusAddresses(OffsetPointer(surface, 8), 0)):
        bench.call_function(["void*"], [value], act)
    assert noted == [(0x10000, 0x23000), (0x10008, 0)]


class MutableUpdate(ctypes.Structure):
    """The C structure cl_mutable_dispatch_arg_khr or cl_mutable_dispatch_exec_info_khr."""

    _fields_ = (("key", ctypes.c_uint), ("size", ctypes.c_size_t), ("value", ctypes.c_void_p))


class MutableConfig(ctypes.Structure):
    """The C structure cl_mutable_dispatch_config_khr."""

    _fields_ = (
        ("command", ctypes.c_void_p),
        *((f"num_{name}", ctypes.c_uint) for name in ("args", "svm_args", "exec_infos")),
        ("work_dim", ctypes.c_uint),
        *((name, ctypes.POINTER(MutableUpdate)) for name in ("args", "svm_args", "exec_infos")),
        *((name, ctypes.POINTER(ctypes.c_size_t)) for name in ("offset", "sizes", "local")),
    )


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
    noted: list[object] = []

    def act(at: int) -> int:
        first, second = (ctypes.c_void_p * 2).from_address(at)
        assert second is None
        found = MutableConfig.from_address(first)
        noted.extend((found.command, found.num_args, found.num_svm_args, found.num_exec_infos, found.work_dim))
        noted.extend((found.args[0].key, found.args[0].size, ctypes.c_uint64.from_address(found.args[0].value).value))
        noted.extend((found.args[1].key, ctypes.string_at(found.args[1].value, 2)))
        noted.extend((found.svm_args[0].key, found.svm_args[0].value))
        noted.extend((found.exec_infos[0].key, list((ctypes.c_uint64 * 2).from_address(found.exec_infos[0].value))))
        noted.extend((found.offset[:2], bool(found.sizes), found.local[:2]))
        return 0

    bench.call_function(["const void**"], [DispatchConfigs((config, None))], act)
    assert noted == [
        *(0x4444, 2, 1, 1, 2),
        *(3, 8, 0x5555),
        *(4, b"xy"),
        *(5, 0x5565),
        *(0x11B6, [0x5555, 0]),
        *([1, 2], False, [7, 8]),
    ]


def test_array_arguments_contain_numbers_and_object_addresses(bench: BindingBench) -> None:
    device = bench.names.name_of("cl_device_id", 0x1234)
    noted = []

    def act(listed: int, devices: int) -> int:
        noted.append(list((ctypes.c_int64 * 4).from_address(listed)))
        noted.append(list((ctypes.c_uint64 * 2).from_address(devices)))
        return 0

    listed = ElementList((0x1086, -3, Handle(device), None))
    bench.call_function(
        ["const cl_list_properties*", "const cl_device_id*"], [listed, ElementList((Handle(device), None))], act
    )
    assert noted == [[0x1086, -3, 0x1234, 0], [0x1234, 0]]


def test_data_text_and_handle_arguments_are_passed_as_pointers_to_their_bytes(bench: BindingBench) -> None:
    memory = bench.names.name_of("cl_mem", 0x77)
    noted: list[Any] = []

    def act(data: int, text: int, texts: int, handle: int, user: int) -> int:
        noted.extend((ctypes.string_at(data, 3), ctypes.string_at(text)))
        noted.extend(ctypes.string_at(one) for one in (ctypes.c_void_p * 2).from_address(texts) if one)
        noted.extend((ctypes.c_uint64.from_address(handle).value, user))
        return 0

    bench.call_function(
        ["const void*", "const char*", "const char**", "const void*", "void*"],
        [Data(b"a\0b"), Text("grün"), Texts(("one", "")), HandleBytes(Handle(memory)), 42],
        act,
    )
    assert noted == [b"a\0b", "grün".encode(), b"one", b"", 0x77, 42]


def test_pointer_list_is_passed_as_array_of_addresses(bench: BindingBench) -> None:
    memory = bench.names.name_of("void*", 0x1000)
    noted: list[int] = []

    def act(pointers: int) -> int:
        noted.extend((ctypes.c_uint64 * 3).from_address(pointers))
        return 0

    bench.call_function(["const void*"], [Pointers((Handle(memory), OffsetPointer(Handle(memory), 24), None))], act)
    assert noted == [0x1000, 0x1018, 0]


def test_output_elements_that_were_not_written_are_marked_untouched(bench: BindingBench) -> None:
    answer = bench.call_function(
        ["cl_uint*", "cl_device_id*", "void*"],
        [OutputBuffer(3), OutputBuffer(3), OutputBuffer(8)],
        lambda numbers, devices, raw: (
            _write(numbers, (9).to_bytes(4, "little"))
            + _write(devices, (0x40).to_bytes(8, "little") + bytes(8))
            + _write(raw + 2, b"xy")
        ),
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
        ["cl_uint*", "cl_uint*"], [OutputBuffer(1), OutputBuffer(1)], lambda at, _: _write(at + offset, b"!")
    )
    assert answer.overrun == ["param_name"]
    assert answer.outputs["param_name"] == Output([UNTOUCHED], 0)


def test_output_buffer_of_zero_elements_is_passed_as_non_null_pointer(bench: BindingBench) -> None:
    answer = bench.call_function(["cl_uint*"], [OutputBuffer(0)], lambda at: int(bool(at)))
    assert (answer.value, answer.outputs["param_name"]) == (1, Output([], 0))


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
        ["cl_uint", "void*"], [asked, OutputBuffer(64)], lambda _, at: _write(at, content), name="clGetInfo"
    )
    renamed = answer.outputs["p1"]
    assert (renamed.values, renamed.written, renamed.raw) == (values, len(content), content)


def test_query_of_string_pointers_returns_the_strings(bench: BindingBench) -> None:
    one, two = ctypes.create_string_buffer(b"one"), ctypes.create_string_buffer(b"x" * 5000)
    content = struct.pack("5N", ctypes.addressof(one), 0, ctypes.addressof(two), 64, 0)
    answer = bench.call_function(
        ["cl_uint", "void*"], [5, OutputBuffer(48)], lambda _, at: _write(at, content[:32]), name="clGetInfo"
    )
    assert answer.outputs["p1"] == Output(["one", None, "x" * 5000, "(not a readable string)"], 32)


def test_returned_object_has_one_name_and_null_is_none(bench: BindingBench) -> None:
    made = bench.call_function(["cl_uint"], [0x99], lambda value: value, returns="cl_mem")
    again = bench.call_function(["cl_uint"], [0x99], lambda value: value, returns="cl_mem")
    none = bench.call_function(["cl_uint"], [0], lambda value: value, returns="cl_mem")
    assert (made.value, again.value, none.value) == ("mem1", "mem1", None)


def test_offset_pointer_is_passed_as_base_address_plus_offset(bench: BindingBench) -> None:
    pointer = bench.names.name_of("void*", 0x4000)
    noted: list[int] = []
    bench.call_function(["void*"], [OffsetPointer(Handle(pointer), 24)], lambda at: noted.append(at) or 0)  # type: ignore[func-returns-value]
    assert noted == [0x4018]


@pytest.mark.parametrize(
    ("spelling", "value", "reason"),
    [
        ("cl_uint", None, "expected a number, not None"),
        ("cl_device_id", 5, "expected a handle or NULL, not 5"),
        ("cl_uint*", 5, "expected a pointer, not 5"),
        ("const cl_device_id*", ElementList((7,)), "an element must be a handle or NULL, not 7"),
        ("cl_uint*", OutputBuffer(-1), "cannot allocate"),
        ("const cl_unknown*", ElementList((1,)), "do not define the layout of an element"),
    ],
)
def test_value_of_a_kind_unsuitable_for_its_parameter_is_rejected(
    bench: BindingBench, spelling: str, value: Value, reason: str
) -> None:
    with pytest.raises(BadCall, match=reason):
        bench.call_function([spelling], [value], lambda _: 0)


def test_call_with_missing_or_unknown_argument_is_rejected(bench: BindingBench) -> None:
    bench.call_function(["cl_uint"], [1], lambda _: 0)
    with pytest.raises(BadCall, match="clTest: no argument param_name"):
        bench.binding.invoke(Call("clTest", {}), 1)
    with pytest.raises(BadCall, match="clTest has no parameter extra"):
        bench.binding.invoke(Call("clTest", {"param_name": 1, "extra": 2}), 1)
    with pytest.raises(BadCall, match="no function 'clNone'"):
        bench.binding.invoke(Call("clNone", {}), 1)


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
    kept: list[int] = []
    for name in ("clEnqueueTest", "clTest"):
        during: list[bytes] = []

        def act(at: int, during: list[bytes] = during) -> int:
            kept.append(at)
            during.append(ctypes.string_at(at, 4))
            return 0

        bench.call_function(["const void*"], [Data(b"\x01\x02\x03\xff")], act, name=name)
        assert during == [b"\x01\x02\x03\xff"]
        assert ctypes.string_at(kept[-1], 4) == after


def test_reusable_wait_list_is_overwritten_after_call(bench: BindingBench) -> None:
    bench.topics = ("wait-list-reusable",)
    listed = ElementList((Handle(bench.names.name_of("cl_mem", 0x4444)),))
    kept: list[int] = []

    def act(at: int) -> int:
        kept.append(at)
        return int(ctypes.c_uint64.from_address(at).value == 0x4444)

    assert bench.call_function(["const cl_mem*"], [listed], act, name="clEnqueueTest").value == 1
    assert ctypes.c_uint64.from_address(kept[0]).value == ~0x4444 & (1 << 64) - 1
