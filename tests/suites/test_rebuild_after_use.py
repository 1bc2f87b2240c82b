"""A build may be rejected while a command may need a released kernel, and not after the command is complete."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Text
from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.spec_tables import load
from clconform.suites.chapters.programs.build_kit import BuildKit
from clconform.suites.chapters.programs.test_rebuild_after_use import UsedProgram

from ..sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)


@pytest.mark.parametrize(("finished", "interpretations"), [(False, {"kernels-in-use"}), (True, set())])
def test_build_after_release_of_kernel(*, finished: bool, interpretations: set[str]) -> None:
    """Before, the model forgot the released kernel, and a shortened sequence without the wait deviated."""
    session = InProcessSession(Target.simulated("everything"), load(), Recorder(None))
    used = UsedProgram(BuildKit(session))
    used.bench.build(used.program, "-D FIRST=0")
    kernel = used.create_kernel()
    used.enqueue(kernel)
    used.release(kernel)
    if finished:
        used.bench.finish()
    arguments = {
        "program": used.program,
        "num_devices": 1,
        "device_list": ElementList((session.device,)),
        "options": Text("-D FIRST=1"),
        "pfn_notify": None,
        "user_data": None,
    }
    expectation = session.oracle.expect(Call("clBuildProgram", arguments))
    session.close()
    assert not expectation.required_errors
    assert {held.interpretation for held in expectation.optional_errors} == interpretations
