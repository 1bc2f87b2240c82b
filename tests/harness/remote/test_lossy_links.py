"""A slow link changes no outcome. A link that stalls, cuts or changes data is lost; no crash or hang is invented."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died, Hung, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, Target, Worker
from clconform.harness.errors import ConnectionLostError
from clconform.harness.remote import links, server_link
from clconform.harness.remote.device import RemoteDevice, create_device
from clconform.harness.remote.losses import hold_losses

from .servers import LinkFault, listening_server, proxy, server_folders, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.calls.call import Call, Outcome

DEVICE = Handle("device1")
CALLS = 12
"""The number of calls in one round; a round sends about as many bytes as ``ROUND_BYTES``."""
ROUND_BYTES = 9000
FAULTS = 60


@pytest.fixture(autouse=True)
def _use_short_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(server_link, "LINK_SECONDS", 1.0)
    monkeypatch.setattr(server_link, "GREETING_SECONDS", 1.0)
    monkeypatch.setattr(links, "_PAUSE_SECONDS", 0.05)
    links.close_links()
    yield
    links.close_links()


@pytest.fixture
def query(create_call: Callable[..., Call]) -> Call:
    return create_call("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), None)


def run_round(device: RemoteDevice, driver: str, query: Call) -> list[Outcome]:
    """Start a driver and make calls."""
    with Worker(Target.on_device(device, library=driver, direct=True)) as worker:
        return [worker.call(query) for _ in range(CALLS)]


def run_rounds(device: RemoteDevice, driver: str, query: Call, count: int) -> None:
    """Run several rounds."""
    for _ in range(count):
        run_round(device, driver, query)


def list_faults(seed: int) -> list[LinkFault]:
    """Return faults at random places of a round."""
    draw = random.Random(seed)  # noqa: S311 (not for security)
    return [LinkFault(draw.choice(("cut", "garble", "stall")), draw.randrange(ROUND_BYTES)) for _ in range(FAULTS)]


def test_faults_at_random_places_are_losses_and_nothing_else(tmp_path: Path, fake_driver: str, query: Call) -> None:
    lost = complete = 0
    with listening_server(tmp_path) as server:
        for fault in list_faults(7):
            with proxy(server.port, [fault], stall=0.05 if lost % 2 else 1.5) as between:
                device = create_device(f"tcp:127.0.0.1:{between.port}", token=server.token)
                try:
                    outcomes = run_round(device, fake_driver, query)
                except ConnectionLostError:
                    lost += 1
                else:
                    complete += 1
                    assert all(isinstance(each, Returned) and each.value == 0 for each in outcomes)
            links.close_links()
        assert wait_until(lambda: server_folders(tmp_path) == set())
    assert lost > FAULTS // 3
    assert complete > FAULTS // 10


def test_machine_is_reached_again_after_a_loss(tmp_path: Path, fake_driver: str, query: Call) -> None:
    with (
        listening_server(tmp_path) as server,
        proxy(server.port, [LinkFault("nothing", 0), LinkFault("cut", 10)]) as between,
    ):
        device = create_device(f"tcp:127.0.0.1:{between.port}", token=server.token)
        first = run_round(device, fake_driver, query)
        links.close_links()
        assert [type(each) for each in run_round(device, fake_driver, query)] == [type(each) for each in first]


def test_held_loss_is_raised_again_until_the_test_ends(tmp_path: Path, fake_driver: str, query: Call) -> None:
    with listening_server(tmp_path) as server, proxy(server.port, [LinkFault("cut", 6000)]) as between:
        device = create_device(f"tcp:127.0.0.1:{between.port}", token=server.token)
        with hold_losses():
            with pytest.raises(ConnectionLostError) as first:
                run_rounds(device, fake_driver, query, 50)
            with pytest.raises(ConnectionLostError) as second:
                run_round(device, fake_driver, query)
            assert second.value is first.value
        assert len(run_round(device, fake_driver, query)) == CALLS


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.02])
def test_delay_changes_no_outcome(
    tmp_path: Path, fake_driver: str, create_call: Callable[..., Call], query: Call, delay: float
) -> None:
    with listening_server(tmp_path) as server, proxy(server.port, [], delay=delay) as between:
        device = create_device(f"tcp:127.0.0.1:{between.port}", token=server.token)
        target = Target.on_device(device, library=fake_driver, direct=True)
        with Worker(target, deadlines=Deadlines(others=0.5)) as worker:
            assert isinstance(worker.call(query), Returned)
            assert isinstance(worker.call(create_call("clRetainDevice", DEVICE)), Died)
        with Worker(target, deadlines=Deadlines(others=0.5)) as worker:
            assert worker.call(create_call("clReleaseDevice", DEVICE)) == Hung(0.5)
