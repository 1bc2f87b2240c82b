"""Macros of optional features of OpenCL C: sources that need those of the features that the device lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, Text
from clconform.oracles.chapters.programs.triggers.features import RECORDS, TOGETHER
from clconform.oracles.model.feature_sources import macro, with_both, with_feature
from clconform.oracles.model.sources import PARTS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import at_least, needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "programs.features"
BUILT, COMPILED = (f"{name}/success" for name in ("clBuildProgram", "clCompileProgram"))
FEATURES, OPTION = "CL_DEVICE_OPENCL_C_FEATURES", "-cl-std=CL3.0"
cases: Cases[Kit] = Cases(Kit)


@cases.family
def features() -> Iterator[Case]:
    """Yield a build for each macro, and one for each pair of them."""
    for record, feature in RECORDS.items():
        yield cases.case(record, macro(feature), built, with_feature(feature), feature, others=(BUILT, COMPILED))
    for record, pair in TOGETHER.items():
        yield cases.case(record, " and ".join(map(macro, pair)), built, with_both(*pair), others=(BUILT, COMPILED))


def built(kit: Kit, part: str, feature: str = "") -> None:
    """Build and compile a source for OpenCL C 3.0, if the device lists the feature that it needs."""
    needs(at_least(kit.cl, (3, 0)), "requires OpenCL 3.0 (features of OpenCL C)")
    listed = {str(each).rstrip("\0") for each in kit.cl.fact(FEATURES) or ()}
    needs(not feature or macro(feature) in listed, f"the device does not list {macro(feature)}")
    for function, headers in (("clBuildProgram", ()), ("clCompileProgram", (0, None, None))):
        if promised(kit.cl, function):
            program, devices = kit.program_of(PARTS[part]), (1, Items((kit.cl.device,)))
            getattr(kit.cl, function)(program, *devices, Text(OPTION), *headers, None, None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_features(cl: Session, case: Case) -> None:
    case.act(cl)
