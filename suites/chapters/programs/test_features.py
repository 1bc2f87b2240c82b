"""Feature macros of OpenCL C: sources that require the macros of features, whether the device lists these or not.

First, one program contains the sources of all listed features, because its build is almost as fast as that of a single
source. If this build fails, each source is built on its own. Sources of unlisted features are always built on their
own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Text
from clconform.oracles.chapters.programs.coverage_points.features import FEATURE_REQUIREMENTS, IMPLIED_FEATURES
from clconform.oracles.model.feature_sources import (
    EXTENSION_FEATURES,
    FEATURES,
    IMPLIED,
    macro_of,
    part_needing_both,
    part_needing_feature,
)
from clconform.oracles.model.program_sources import PARTS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import has_version, is_available, is_success, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "programs.features"
FUNCTIONS = ("clBuildProgram", "clCompileProgram")
BUILT, COMPILED = (f"{name}/success" for name in FUNCTIONS)
LIST, OPTION = "CL_DEVICE_OPENCL_C_FEATURES", "-cl-std=CL3.0"
FAILURES = ("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1")
ALL_FEATURES = (*FEATURES, *EXTENSION_FEATURES)
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_listed_features_define_their_macros = TableTest(cases)


@cases.declare_family
def feature_macros() -> Iterator[TableCase]:
    """Yield a build for each macro, for each pair of related macros, and for all macros."""
    for requirement, feature in FEATURE_REQUIREMENTS.items():
        yield cases.create_case(
            requirement,
            macro_of(feature),
            build_feature,
            part_needing_feature(feature),
            feature,
            others=(BUILT, COMPILED),
        )
    for requirement, pair in IMPLIED_FEATURES.items():
        yield cases.create_case(
            requirement,
            " and ".join(map(macro_of, pair)),
            build_feature,
            part_needing_both(*pair),
            others=(BUILT, COMPILED),
        )
    yield cases.create_case(
        BUILT, "all macros together", build_all_features, others=(COMPILED, *FEATURE_REQUIREMENTS, *IMPLIED_FEATURES)
    )
    yield cases.create_case(BUILT, "macros of extensions", build_extension_features, others=(COMPILED,))
    yield cases.create_case(
        FAILURES[0], "macros that the device does not list", build_unlisted_features, others=FAILURES[1:]
    )


def build_feature(kit: Kit, part: str, feature: str = "") -> None:
    """Build and compile a source part for OpenCL C 3.0.

    ``feature``: the optional feature that the part needs; without this feature, the item is skipped.
    """
    listed = _get_listed_features(kit)
    skip_unless(not feature or feature in listed, f"the device does not list {macro_of(feature)}")
    for function in FUNCTIONS:
        if is_available(kit.cl, function):
            _builds(kit, function, part)


def build_all_features(kit: Kit) -> None:
    """Build and compile the sources of all listed features and of all pairs of related features, as one program.

    If this fails, each source is built on its own.
    """
    listed = _get_listed_features(kit)
    parts = [
        *(part_needing_feature(each) for each in FEATURE_REQUIREMENTS.values() if each in listed),
        *(part_needing_both(*each) for each in IMPLIED),
    ]
    for function in FUNCTIONS:
        if is_available(kit.cl, function) and not _builds(kit, function, *parts):
            for part in parts:
                _builds(kit, function, part)


def build_extension_features(kit: Kit) -> None:
    """Build and compile a source for each listed feature of an extension."""
    listed = _get_listed_features(kit)
    skip_unless(listed.intersection(EXTENSION_FEATURES), "the device does not list a feature of an extension")
    for feature in EXTENSION_FEATURES:
        if feature in listed:
            build_feature(kit, part_needing_feature(feature), feature)


def build_unlisted_features(kit: Kit) -> None:
    """Build and compile a source that requires a macro, for each macro that the device does not list."""
    listed = _get_listed_features(kit)
    for feature in ALL_FEATURES:
        if feature not in listed:
            kit.cl.at_value(macro_of(feature))
            build_feature(kit, part_needing_feature(feature))


def _get_listed_features(kit: Kit) -> set[str]:
    """Return the features that the device lists; skip before OpenCL 3.0."""
    skip_unless(has_version(kit.cl, (3, 0)), "requires OpenCL 3.0 (features of OpenCL C)")
    named = {str(each).rstrip("\0") for each in kit.cl.fact(LIST) or ()}
    return {feature for feature in ALL_FEATURES if macro_of(feature) in named}


def _builds(kit: Kit, function: str, *parts: str) -> bool:
    """Build or compile a program of these parts for OpenCL C 3.0, and return whether that succeeded."""
    program, devices = kit.program_from_source(*(PARTS[part] for part in parts)), (1, ElementList((kit.cl.device,)))
    headers = (0, None, None) if function == "clCompileProgram" else ()
    return is_success(getattr(kit.cl, function)(program, *devices, Text(OPTION), *headers, None, None))
