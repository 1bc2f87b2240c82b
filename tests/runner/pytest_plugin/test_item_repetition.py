"""An item of a finished run runs again in a new process, with the options of the run."""

from __future__ import annotations

from argparse import Namespace

import pytest

from clconform.runner.pytest_plugin.item_repetition import ItemRepeater

ITEM = (
    "errors.error_conditions::test_invalid_call_is_rejected[clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3[alone]]"
)
OPTIONS = {
    "cl_platform": "",
    "cl_driver": "",
    "cl_simulated": "everything",
    "cl_fault": "",
    "cl_result_seed": None,
    "cl_device": [],
    "cl_device_env": [],
    "cl_device_index": 0,
    "cl_device_target": "",
    "cl_device_wait": 60.0,
    "cl_reboot": "",
    "cl_tables": "",
    "cl_seed": 1,
    "cl_tier": "tables",
    "cl_examples": 0,
    "cl_own_seconds": 60.0,
    "cl_deadline_scale": 1.0,
    "cl_program_binaries": "",
    "cl_direct": False,
    "cl_embedded": False,
    "robustness": False,
}


@pytest.mark.parametrize(
    ("fault", "item", "shown"),
    [
        ("larger-work-groups-accepted", ITEM, True),
        ("", ITEM, False),
        ("larger-work-groups-accepted", "no.such::test_item", False),
        ("larger-work-groups-accepted", "errors.error_conditions::test_invalid_call_is_rejected[no such item]", False),
    ],
)
def test_item_shows_its_deviations_in_a_new_process(fault: str, item: str, *, shown: bool) -> None:
    repeater = ItemRepeater(Namespace(**{**OPTIONS, "cl_fault": fault}))
    keys = repeater.repeat(item)
    assert bool(keys) is shown
    assert all(key.startswith("clEnqueueNDRangeKernel | ") for key in keys)
