"""Selects the driver under test by pytest's options."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls import exit_codes
from clconform.harness import Target
from clconform.harness.remote.addresses import TOKEN_VARIABLE

if TYPE_CHECKING:
    from clconform.harness.remote.device import RemoteDevice


def target_from_options(options: Any) -> Target:
    """Return the target that the options select, with its deadlines; HarnessError if it does not exist."""
    return _select_target(options).with_deadlines(options.cl_deadline_scale)


def _select_target(options: Any) -> Target:
    named = {
        "--cl-platform": options.cl_platform,
        "--cl-driver": options.cl_driver,
        "--cl-simulated": options.cl_simulated,
        "--cl-embedded": options.cl_embedded,
    }
    given = [name for name, value in named.items() if value]
    if len(given) > 1:
        pytest.exit(
            f"clconform: {' and '.join(given)} each name a driver; give only one", returncode=exit_codes.BAD_USAGE
        )
    if options.cl_direct and (options.cl_platform or options.cl_simulated):
        message = "clconform: --cl-direct needs the driver's library: name it with --cl-driver"
        pytest.exit(message, returncode=exit_codes.BAD_USAGE)
    if options.cl_device:
        return _select_on_device(options)
    if options.cl_driver:
        return Target.driver(options.cl_driver, direct=options.cl_direct)
    if options.cl_platform:
        return Target.platform(options.cl_platform)
    if options.cl_simulated:
        fault = ("--fault", options.cl_fault) if options.cl_fault else ()
        choices = ("--result-seed", str(options.cl_result_seed)) if options.cl_result_seed is not None else ()
        return Target.simulated(options.cl_simulated, *fault, *choices)
    return Target.embedded(direct=options.cl_direct)


def describe_slow_machines(options: Any) -> str:
    """Return which of the machines that the options name are slowed down at present, and how; empty if none is."""
    if not options.cl_device:
        return ""
    from clconform.harness.remote.throttling import find_throttling

    found = {address: find_throttling(_create_device(options, address)) for address in options.cl_device}
    return "; ".join(f"{address}: {how}" for address, how in found.items() if how)


def _select_on_device(options: Any) -> Target:
    """Return the target on the machine of this process: several processes of a run use the machines in turn."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    addresses = options.cl_device
    device = _create_device(options, addresses[int(number) % len(addresses) if number.isdecimal() else 0])
    return Target.on_device(device, library=options.cl_driver, direct=options.cl_direct, name_part=options.cl_platform)


def _create_device(options: Any, address: str) -> RemoteDevice:
    """Return the device with this address and the other options for devices."""
    from clconform.harness.remote.device import create_device

    return create_device(
        address,
        token=os.environ.get(TOKEN_VARIABLE, ""),
        target=options.cl_device_target,
        environment=options.cl_device_env,
        reboot=options.cl_reboot,
        wait_seconds=options.cl_device_wait,
    )
