"""A driver whose functions record their arguments, and do what a test has scripted.

Its functions are real C code in the process of ``Target.null()``, so that each word and byte takes the same way as with
a driver.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.harness.driver import Driver
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.null_driver import NullEntryPoints
from clconform.harness.signatures import function_signature

if TYPE_CHECKING:
    from clconform.calls.call import Absent, Call, Returned
    from clconform.calls.protocol import CallEnded
    from clconform.harness.entry_points import PlatformEntry
    from clconform.harness.worker_process import WorkerProcess
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

START_SECONDS = 60.0
CALL_SECONDS = 10.0
_C_TYPES = {"p": "void *", "i": "int32_t ", "u": "uint32_t ", "q": "int64_t ", "w": "uint64_t ", "v": "void "}
_WORD_BYTES = 8
_MAX_WORDS = 16
_SAME_THREAD = -1


def list_signatures(tables: Tables) -> list[str]:
    """Return the signatures of all functions of the tables, from the shortest to the longest."""
    found = {function_signature(each, tables.types) for each in tables.functions.values()}
    return sorted(found - {""}, key=lambda signature: (len(signature), signature))


def generate_source(tables: Tables) -> str:
    """Return the C source, with a function for each signature of the tables."""
    source = Path(__file__).with_name("scripted_driver.c").read_text(encoding="utf-8")
    return source + "".join(map(_define_function, list_signatures(tables)))


def _define_function(signature: str) -> str:
    passed = signature[1:]
    parameters = ", ".join(f"{_C_TYPES[letter]}x{at}" for at, letter in enumerate(passed)) or "void"
    converted = ", ".join(f"(uint64_t)x{at}" for at in range(len(passed))) or "0"
    returned = "" if signature[0] == "v" else f"return ({_C_TYPES[signature[0]]})"
    return (
        f"{_C_TYPES[signature[0]]}call_{signature}({parameters}) {{\n"
        f"  const uint64_t passed[] = {{{converted}}};\n  {returned}perform({len(passed)}, passed);\n}}\n"
    )


class ScriptedFunctions:
    """The functions in a driver's process, and the script that they follow.

    ``library``: the path of the compiled source. Arguments are numbered from 0.
    """

    def __init__(self, connection: DriverConnection, library: Path) -> None:
        self._connection = connection
        self._library = connection.load_library(str(library))

    def address_of(self, signature: str) -> int:
        """Return the address of the function with this signature."""
        return self._find_symbol(f"call_{signature}")

    def reset(self) -> None:
        """Forget the script: functions return 0."""
        self._control("reset", "ip", 0)

    def set_result(self, word: int) -> None:
        """Let functions return a machine word."""
        self._control("set_result", "ip", word)

    def hold(self) -> None:
        """Let functions wait in the driver, until ``release``."""
        self._control("hold", "ip", 1)

    def release(self) -> None:
        """Let functions return."""
        self._control("hold", "ip", 0)

    def watch(self, argument: int, size: int) -> None:
        """Copy ``size`` bytes at an argument to ``seen`` during the next call."""
        self._control("watch", "ipp", argument, size)

    def write(self, argument: int, content: bytes, offset: int = 0) -> None:
        """Let functions write bytes at an offset from an argument."""
        self._control("add_writing", "ppppp", argument, offset & ((1 << 64) - 1), content, len(content))

    def invoke(self, target: int, signature: str, *words: int, times: int = 1, delay: int = _SAME_THREAD) -> None:
        """Let functions invoke a callback: an argument, or an address that an earlier call has received.

        ``delay``: invoke it on another thread, after that many microseconds; functions do not wait for this.
        """
        passed = struct.pack("4Q", *[*words, 0, 0, 0, 0][:4])
        numbers = struct.pack("2q", times, delay)
        self._control("add_invocation", "ppppp", target, signature.encode() + b"\0", passed, numbers)

    @property
    def words(self) -> list[int]:
        """The arguments of the last call, as machine words."""
        return list(struct.unpack(f"{_MAX_WORDS}Q", self._peek_symbol("words", _WORD_BYTES * _MAX_WORDS)))

    @property
    def call_count(self) -> int:
        """The number of calls since ``reset``."""
        return int.from_bytes(self._peek_symbol("call_count", _WORD_BYTES), "little")

    @property
    def threads(self) -> list[int]:
        """The threads of all calls since ``reset``."""
        count = self.call_count
        return list(struct.unpack(f"{count}Q", self._peek_symbol("threads", _WORD_BYTES * count)))

    def seen(self, size: int) -> bytes:
        """Return the first of the bytes that ``watch`` has selected."""
        return self._peek_symbol("seen", size)

    def _control(self, name: str, signature: str, *arguments: int | bytes) -> None:
        self._connection.seconds = CALL_SECONDS
        self._connection.call_function(self._find_symbol(name), signature, *arguments)

    def _find_symbol(self, name: str) -> int:
        found = self._connection.find_symbol(self._library, name)
        assert found, name
        return found

    def _peek_symbol(self, name: str, size: int) -> bytes:
        content = self._connection.peek(self._find_symbol(name), size)
        assert content is not None
        return content


class _ScriptedEntryPoints(NullEntryPoints):
    """One platform, whose functions are those of a script."""

    def __init__(self, connection: DriverConnection, functions: ScriptedFunctions, tables: Tables) -> None:
        super().__init__(connection.null_function)
        self._functions = functions
        self._types = tables.types

    def find_entry(self, function: Function, _platform: PlatformEntry) -> int | Absent:
        """Return the address of the function with this signature."""
        return self._functions.address_of(function_signature(function, self._types))


class ScriptedDriver:
    """A driver with scripted functions in a process of ``Target.null()``."""

    def __init__(self, process: WorkerProcess, library: Path, tables: Tables) -> None:
        self.process = process
        self.connection = DriverConnection(process, START_SECONDS)
        self.functions = ScriptedFunctions(self.connection, library)
        self.driver = Driver(tables, self.connection, _ScriptedEntryPoints(self.connection, self.functions, tables))
        self.driver.open()
        self.names = self.driver.names
        self.functions.reset()

    def call(self, call: Call) -> Returned | Absent | CallEnded:
        """Make a call."""
        return self.driver.make_call(call, CALL_SECONDS)

    def peek(self, address: int, size: int) -> bytes:
        """Return the bytes at an address of the process."""
        content = self.connection.peek(address, size)
        assert content is not None
        return content
