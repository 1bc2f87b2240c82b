"""Addresses of devices and their options are checked, and errors show the value and what to write instead."""

from __future__ import annotations

import pytest

from clconform.harness import HarnessError, Target
from clconform.harness.remote.device import create_device
from clconform.tools.driver_options import DriverOptions, parse_stored_target
from clconform.tools.errors import CommandError

TOKEN = "secret"  # noqa: S105 (of no server)


@pytest.mark.parametrize(
    ("address", "token", "said"),
    [
        ("board", "", "'board' is not the address of a device; write ssh:HOST"),
        ("usb:1", "", "'usb:1' is not the address"),
        ("ssh:", "", "names no device after ssh:"),
        ("ssh:-oProxyCommand=x", "", "does not begin with a hyphen"),
        ("tcp:board", "x", "give a host and a port"),
        ("tcp:board:0", "x", "give a host and a port"),
        ("tcp:board:65536", "x", "give a host and a port"),
        ("tcp:board:seven", "x", "give a host and a port"),
        ("tcp:board:7000", "", "needs the token"),
        ("exec:qemu worker", "", r"needs the word \{arguments\}"),
        ("exec:qemu 'worker {arguments}", "", "check its quotes"),
    ],
)
def test_invalid_address_is_rejected(address: str, token: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        create_device(address, token=token)


def test_token_applies_to_tcp_addresses_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="--token applies to tcp: addresses only"):
        DriverOptions(devices=("ssh:board",), token=TOKEN)
    with pytest.raises(CommandError, match="--token applies to tcp: addresses only"):
        DriverOptions(embedded=True, token=TOKEN)
    monkeypatch.setenv("CLCONFORM_TOKEN", TOKEN)  # set for other devices
    target = DriverOptions(devices=("ssh:board",), token=TOKEN).target()
    assert target.device is not None
    assert target.device.address.token == ""
    mixed = DriverOptions(devices=("tcp:board:7000", "ssh:board"), token=f"{TOKEN} 2")
    assert mixed.target().device.address.token == f"{TOKEN} 2"


@pytest.mark.parametrize("variable", ["NAME", "=1", "1A=1", "A B=1"])
def test_invalid_variable_is_rejected(variable: str) -> None:
    with pytest.raises(HarnessError, match="write --device-env NAME=VALUE"):
        create_device("ssh:board", environment=[variable])


def test_unknown_target_is_rejected_with_the_known_ones() -> None:
    with pytest.raises(
        HarnessError, match=r"unknown target 'mips-elf'; known are x86_64-linux-gnu, .*aarch64-linux-gnu"
    ):
        create_device("ssh:board", target="mips-elf")


def test_stored_target_is_the_same_without_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLCONFORM_TOKEN", "secret")
    given = {"token": "secret", "target": "aarch64-linux-gnu", "reboot": "power cycle"}
    device = create_device("tcp:[::1]:7000", environment=["A=1=2", "B="], **given)
    target = Target.on_device(device, library="/vendor/lib64/libOpenCL.so", direct=True)
    assert device.address.host_and_port == ("::1", 7000)
    words = target.to_options()
    assert "secret" not in " ".join(words)
    assert parse_stored_target(words, 0).target() == target
