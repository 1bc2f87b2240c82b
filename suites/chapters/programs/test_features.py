"""Feature macros of OpenCL C: sources that require the macros of the features that the device lists.

All macros are also tested in one build, which is almost as fast as a single one. If it fails, they are built one by
one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, Text
from clconform.oracles.chapters.programs.triggers.features import RECORDS, TOGETHER
from clconform.oracles.model.feature_sources import IMPLIED, macro, with_both, with_feature
from clconform.oracles.model.sources import PARTS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import at_least, needs, promised, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "programs.features"
FUNCTIONS = ("clBuildProgram", "clCompileProgram")
BUILT, COMPILED = (f"{name}/success" for name in FUNCTIONS)
FEATURES, OPTION = "CL_DEVICE_OPENCL_C_FEATURES", "-cl-std=CL3.0"
cases: Cases[Kit] = Cases(Kit)


@cases.family
def features() -> Iterator[Case]:
    """Yield a build for each macro, for each pair of related macros, and for all macros."""
    for record, feature in RECORDS.items():
        yield cases.case(record, macro(feature), built, with_feature(feature), feature, others=(BUILT, COMPILED))
    for record, pair in TOGETHER.items():
        yield cases.case(record, " and ".join(map(macro, pair)), built, with_both(*pair), others=(BUILT, COMPILED))
    yield cases.case(BUILT, "all macros at once", all_built, others=(COMPILED, *RECORDS, *TOGETHER))


def built(kit: Kit, part: str, feature: str = "") -> None:
    """Build and compile a source for OpenCL C 3.0 if the device lists the feature that it needs."""
    listed = _listed(kit)
    needs(not feature or feature in listed, f"the device does not list {macro(feature)}")
    for function in FUNCTIONS:
        if promised(kit.cl, function):
            _makes(kit, function, part)


def all_built(kit: Kit) -> None:
    """Build and compile the sources of all features that the device lists, and of all pairs, as one program."""
    listed = _listed(kit)
    parts = [
        *(with_feature(each) for each in RECORDS.values() if each in listed),
        *(with_both(*each) for each in IMPLIED),
    ]
    for function in FUNCTIONS:
        if promised(kit.cl, function) and not _makes(kit, function, *parts):
            for part in parts:
                _makes(kit, function, part)


def _listed(kit: Kit) -> set[str]:
    """Return the features that the device lists; skip before OpenCL 3.0."""
    needs(at_least(kit.cl, (3, 0)), "requires OpenCL 3.0 (features of OpenCL C)")
    named = {str(each).rstrip("\0") for each in kit.cl.fact(FEATURES) or ()}
    return {feature for feature in RECORDS.values() if macro(feature) in named}


def _makes(kit: Kit, function: str, *parts: str) -> bool:
    """Build or compile a program of these parts for OpenCL C 3.0, and return whether that succeeded."""
    program, devices = kit.program_of(*(PARTS[part] for part in parts)), (1, Items((kit.cl.device,)))
    headers = (0, None, None) if function == "clCompileProgram" else ()
    return succeeded(getattr(kit.cl, function)(program, *devices, Text(OPTION), *headers, None, None))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_features(cl: Session, case: Case) -> None:
    case.act(cl)
