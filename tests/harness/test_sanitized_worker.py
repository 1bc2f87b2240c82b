"""The worker built with AddressSanitizer, UndefinedBehaviorSanitizer or ThreadSanitizer: all requests and arguments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Hung
from clconform.harness import BadCall, HarnessError
from clconform.harness.raw_messages import (
    ALLOCATE,
    ATOMICS,
    AWAIT,
    BEGIN_EXAMPLE,
    BEGIN_ON,
    BLOCK,
    BLOCK_CONTENT,
    CALL,
    CALLBACK,
    IN_CALLBACK,
    OUTPUT,
    POINTERS_CONTENT,
    READ,
    REUSED,
    REUSED_BLOCK,
    TEXT_CONTENT,
    TOGETHER,
    WAIT_FOR_CALLBACK,
    WRITE,
    RawBegun,
    RawGroup,
    RawPending,
    RawReturned,
)
from clconform.harness.worker_process import ProcessEndedError

from ..sanitized_worker import (  # noqa: TID252 (tests are not part of the installed package)
    ADDRESS,
    THREAD,
    compile_library,
    start_sanitized_worker,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.harness.driver_connection import DriverConnection
    from clconform.harness.raw_messages import Argument, RawInvocation

SIGNATURE = "ippp"
SECOND = 10**9
FILL = b"\xa5"


class RawDriver:
    """A worker that has loaded ``raw_driver.c``, and requests to it."""

    def __init__(self, connection: DriverConnection, library: Path) -> None:
        self.connection = connection
        self._library = connection.load_library(str(library))

    def request(self, name: str, *arguments: Argument, keeps: bool = False) -> list[Argument]:
        """Return the values of a request for a call, without the request's number."""
        words = [*arguments, *[0] * (3 - len(arguments))]
        address = self.connection.find_symbol(self._library, name)
        return [address, self.connection.signatures[SIGNATURE], int(keeps), *words]

    def call(self, name: str, *arguments: Argument, keeps: bool = False) -> RawReturned:
        """Call a function of the library, with up to three arguments."""
        return self.connection.call([CALL, *self.request(name, *arguments, keeps=keeps)])


@pytest.fixture(scope="module", params=[ADDRESS, THREAD])
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawDriver]:
    with start_sanitized_worker(request.param) as connection:
        library = compile_library(Path(__file__).with_name("raw_driver.c"), tmp_path_factory.mktemp("raw"))
        yield RawDriver(connection, library)
        assert connection.call_function(connection.null_function, "i").result == 0


@pytest.fixture(autouse=True)
def _begin_example(request: pytest.FixtureRequest) -> None:
    if "driver" in request.fixturenames:
        request.getfixturevalue("driver").connection.send_without_reply([BEGIN_EXAMPLE])


_numbers = iter(range(1000))


@pytest.fixture
def new_callback(driver: RawDriver) -> Callable[..., list[Argument]]:
    """Return a function that returns a new callback of a signature, with a counter and steps."""

    def make(signature: str, counter: int, *steps: Argument) -> list[Argument]:
        number = driver.connection.callback_signatures[signature]
        return [CALLBACK, number, next(_numbers), counter, list(steps)]

    return make


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 4096, 1 << 18, (1 << 24) + 1, 1 << 25])
def test_output_has_the_written_bytes(driver: RawDriver, size: int) -> None:
    returned = driver.call("fill", [OUTPUT, size], size // 2)
    assert (returned.result, returned.outputs, returned.overrun) == (3, [b"\1" * (size // 2)], [])


@pytest.mark.parametrize("distance", [1, 64])
def test_guard_bytes_around_an_output_are_checked(driver: RawDriver, distance: int) -> None:
    assert driver.call("fill", [OUTPUT, 100], 100 + distance).overrun == [0]
    assert driver.call("write_before", [OUTPUT, 100], distance).overrun == [0]
    assert driver.call("fill", [OUTPUT, 100], 100).overrun == []


@pytest.mark.parametrize("form", [None, REUSED])
@pytest.mark.parametrize("size", [0, 1, 300, 1 << 19])
def test_bytes_are_passed_by_address(driver: RawDriver, form: int | None, size: int) -> None:
    content = b"\2" * size
    argument: Argument = content if form is None else [form, content]
    assert driver.call("sum", argument, size).result == 2 * size


@pytest.mark.parametrize("form", [BLOCK, REUSED_BLOCK])
def test_nested_blocks_have_pointers(driver: RawDriver, form: int) -> None:
    block: Argument = b"\7"
    for depth in range(1, 8):
        block = [form, bytes(24), 0, block, 16, [OUTPUT, 9]]
        returned = driver.call("follow", block, depth)
        assert (returned.result, len(returned.outputs)) == (7, depth)
    with pytest.raises(BadCall):
        driver.call("follow", [form, bytes(8), 0, [form, bytes(8), 0, block]], 1)


def test_kept_memory_can_be_written_after_the_call(driver: RawDriver) -> None:
    for size in (1, 1000, 1 << 19):
        driver.call("keep", [OUTPUT, size], size, keeps=True)
        for _ in range(200):
            driver.call("sum", b"\1" * size, size, keeps=size < 1 << 10)
        assert driver.call("write_kept", 0, size).result == 2


def check_invocation(invocations: list[RawInvocation], words: list[int], contents: object) -> None:
    assert [(each.words, each.contents) for each in invocations] == [(words, contents)]


def test_callbacks_of_each_signature_are_recorded(
    driver: RawDriver, new_callback: Callable[..., list[Argument]]
) -> None:
    area = driver.connection.call([ALLOCATE, 64, 8]).result
    driver.connection.call([WRITE, area, b"text\0".ljust(8, b"-") + bytes(56)])
    found = [
        driver.call("invoke", new_callback(name, 0, *steps), at, area).invocations
        for at, (name, steps) in enumerate(
            {
                "vp": ([BLOCK_CONTENT, 0, 64, [0, 56]],),
                "vpp": ([TEXT_CONTENT, 1],),
                "vpip": (),
                "vpupp": ([POINTERS_CONTENT, 2, 1],),
                "vpppp": ([TEXT_CONTENT, 0], [BLOCK_CONTENT, 3, 4, []]),
            }.items()
        )
    ]
    content = b"text\0---" + bytes(56)
    check_invocation(found[0], [area], [[content, None, b""]])
    check_invocation(found[1], [area, area], [b"text"])
    check_invocation(found[2], [area, (1 << 64) - 7, area], [])
    check_invocation(found[3], [area, 2, area, area], [content[:16]])
    check_invocation(found[4], [area, area, 3, area], [b"text", [b"text"]])


def test_unreadable_pointers_of_callbacks_are_nil(
    driver: RawDriver, new_callback: Callable[..., list[Argument]]
) -> None:
    for address in (8, 1 << 47, (1 << 64) - 1, (1 << 64) - 4096):
        steps = ([TEXT_CONTENT, 0], [POINTERS_CONTENT, 0, 2])
        check_invocation(
            driver.call("invoke", new_callback("vpppp", 0, *steps), 4, address).invocations,
            [address, address, 3, address],
            [None, None],
        )


def test_concurrent_invocations_are_counted(driver: RawDriver, new_callback: Callable[..., list[Argument]]) -> None:
    callback = new_callback("vpip", 3, [TEXT_CONTENT, 0])
    assert len(driver.call("invoke_on_threads", callback, 10).invocations) == 256
    assert driver.connection.call([WAIT_FOR_CALLBACK, 3, 500, SECOND]).result == 500
    driver.call("invoke_later", callback)
    waited = driver.connection.call([WAIT_FOR_CALLBACK, 3, 501, 10 * SECOND])
    assert (waited.result, [each.contents for each in waited.invocations]) == (501, [[b"late"]])
    assert waited.invocations[0].driver_thread
    assert driver.connection.call([WAIT_FOR_CALLBACK, 3, 502, SECOND // 100]).result == 501


def test_call_is_made_in_a_callback(driver: RawDriver, new_callback: Callable[..., list[Argument]]) -> None:
    connection = driver.connection
    callback = new_callback("vpip", 9)
    connection.call([IN_CALLBACK, 40, 9])
    assert connection.request([BEGIN_ON, 40, *driver.request("fill", [OUTPUT, 8], 8)]) == RawBegun(0)
    assert isinstance(connection.request([AWAIT, 40, SECOND // 100]), RawPending)
    driver.call("invoke_later", callback)
    ended = connection.request([AWAIT, 40, 10 * SECOND])
    assert isinstance(ended, RawReturned)
    assert ended.outputs == [b"\1" * 8]
    connection.call([IN_CALLBACK, 41, 9])
    connection.request([BEGIN_ON, 41, *driver.request("wait_some")])
    connection.send_without_reply([BEGIN_EXAMPLE])
    with pytest.raises(BadCall, match="no call in flight"):
        connection.request([AWAIT, 41, 0])


def test_host_threads_make_calls_concurrently(driver: RawDriver) -> None:
    connection = driver.connection
    for _ in range(3):
        for lane in range(20):
            begun = connection.request([BEGIN_ON, lane, *driver.request("wait_some", [OUTPUT, 8], 1000 * (lane % 5))])
            assert isinstance(begun, RawBegun)
        assert connection.request([CALL, *driver.request("fill", [OUTPUT, 8], 4)]).entered  # type: ignore[union-attr]
        for lane in range(20):
            assert isinstance(connection.request([AWAIT, lane, (1 << 64) - 1]), RawReturned)
    with pytest.raises(BadCall, match="no call in flight"):
        connection.request([AWAIT, 0, 0])


def test_group_makes_calls_concurrently(driver: RawDriver) -> None:
    for count in (1, 2, 60):
        calls = [driver.request("fill", [OUTPUT, 100], number, keeps=number % 2 == 1) for number in range(count)]
        group = driver.connection.request([TOGETHER, *calls])
        assert isinstance(group, RawGroup)
        assert [each.outputs for each in group.results] == [[b"\1" * number] for number in range(count)]
    with pytest.raises(BadCall):
        driver.connection.request([TOGETHER])


def test_areas_are_read_written_and_checked(driver: RawDriver) -> None:
    connection = driver.connection
    for round_number in range(300):
        area = connection.call([ALLOCATE, 1 + round_number, 1 << round_number % 13]).result
        assert area % (1 << round_number % 13) == 0
        connection.call([WRITE, area, b"\3" * round_number])
        assert connection.call([READ, area, round_number]).outputs == [b"\3" * round_number]
        connection.send_without_reply([BEGIN_EXAMPLE])
    area = connection.call([ALLOCATE, 16, 4]).result
    driver.call("fill", area, 17)
    assert connection.call([READ, area, 16]).overrun == [0]


def test_atomic_operations_are_performed(driver: RawDriver) -> None:
    connection = driver.connection
    area = connection.call([ALLOCATE, 64, 8]).result
    connection.call([WRITE, area, bytes(64)])
    operations = [[1, 0, 5, 3], [2, 0, 0, 4], [0, 0, 1, 2]]
    assert connection.call([ATOMICS, area, 4, *operations]).result == 1
    instance = b"\6\0\0\0" + bytes(4) + b"\5\0\6\0" + bytes(4)
    assert connection.call([READ, area, 64]).outputs == [(instance * 4).rstrip(FILL)]


def test_process_is_described(driver: RawDriver) -> None:
    connection = driver.connection
    area = connection.call([ALLOCATE, 10000, 4096]).result
    connection.call([WRITE, area, b"x" * 9000 + bytes(1000)])
    assert connection.peek(area, 9001) == b"x" * 9000 + b"\0"
    assert connection.peek_text(area + 8000) == b"x" * 1000
    for address in (0, 8, 1 << 47, (1 << 64) - 1, (1 << 63) + 5):
        assert connection.peek(address, 16) is None
        assert connection.peek_text(address) is None
    mappings = connection.mappings()
    assert any(b"libraw_driver" in path and executable for _, _, executable, path in mappings)
    assert any(start <= area < end for start, end, _, _ in mappings)
    with pytest.raises(OSError, match="nowhere"):
        connection.load_library("/nowhere.so")
    connection.limit_data(0)


def test_many_examples_begin_without_a_reply(driver: RawDriver) -> None:
    for _ in range(2000):
        driver.connection.send_without_reply([BEGIN_EXAMPLE])
    assert driver.call("fill", [OUTPUT, 3], 3).outputs == [b"\1" * 3]


def test_reply_that_is_too_long_is_no_end_of_the_driver(tmp_path: Path) -> None:
    """The session would otherwise attribute an invalid message to the driver."""
    with start_sanitized_worker("undefined") as connection:
        driver = RawDriver(connection, compile_library(Path(__file__).with_name("raw_driver.c"), tmp_path))
        assert len(driver.call("fill", [OUTPUT, 1 << 27], 1 << 27).outputs[0]) == 1 << 27
        with pytest.raises(HarnessError, match="a reply of more than 256 MiB"):
            driver.call("fill", [OUTPUT, 1 << 28], 1 << 28)
    with start_sanitized_worker("undefined") as connection, pytest.raises(BadCall, match="256 MiB of arguments"):
        connection.call_function(connection.null_function, "ip", bytes(1 << 28))


def test_group_with_an_ended_thread_hangs(tmp_path: Path) -> None:
    """A stale outcome would otherwise be reported for its call."""
    with start_sanitized_worker("undefined") as connection:
        driver = RawDriver(connection, compile_library(Path(__file__).with_name("raw_driver.c"), tmp_path))
        connection.request([TOGETHER, driver.request("wait_some"), driver.request("fill", [OUTPUT, 1], 1)])
        connection.seconds = 1.0
        with pytest.raises(ProcessEndedError) as ended:
            connection.request([TOGETHER, driver.request("wait_some"), driver.request("end_thread")])
        assert isinstance(ended.value.outcome, Hung)
