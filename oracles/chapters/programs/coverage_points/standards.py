"""Coverage points for versions of OpenCL C and unsupported options, checked on builds (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.error_conditions.building import parse_options
from clconform.oracles.chapters.programs.error_conditions.devices import build_devices
from clconform.oracles.chapters.programs.languages import is_own_module
from clconform.oracles.chapters.programs.options import is_accepted_by_compilers, is_accepted_by_linkers
from clconform.oracles.chapters.programs.standards import (
    CORRECTLY_ROUNDED,
    NEWEST_OF_1,
    STANDARD_OPTION,
    option_failing_everywhere,
    supports_parts,
    version_of_build,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.program_sources import MINIMUM_VERSIONS
from clconform.oracles.model.programs import Program, SourceProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.devices import Device

rules = Rules()

REJECTION_CODES = {
    "clBuildProgram": ("clBuildProgram/CL_INVALID_BUILD_OPTIONS/1", "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1"),
    "clCompileProgram": (
        "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1",
        "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1",
    ),
}
"""Maps each function to the error conditions that allow an error for an unsupported option."""
VERSION_REQUIREMENTS = {
    f"{STANDARD_OPTION}CL1.1": "OpenCL:options-controlling-the-opencl-c-version/6",
    f"{STANDARD_OPTION}CL1.2": "OpenCL:options-controlling-the-opencl-c-version/7",
    f"{STANDARD_OPTION}CL2.0": "OpenCL:options-controlling-the-opencl-c-version/8",
    f"{STANDARD_OPTION}CL3.0": "OpenCL:options-controlling-the-opencl-c-version/9",
}
"""Maps each option with a version of OpenCL C to the requirement about features of this version."""


def _build_devices(asked: CompletedCall) -> list[Device]:
    return build_devices(asked.call, asked.model.get(Program, asked.call.program).devices, asked.model)


def _source_parts(asked: CompletedCall) -> tuple[str, ...]:
    """Return the known parts that the source of a program consists of; empty for any other source."""
    program = asked.subject
    return program.parts or () if isinstance(program, SourceProgram) else ()


def _must_reject(option: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a build must fail because of ``option``."""

    def holds(asked: CompletedCall) -> bool:
        of_source = isinstance(asked.subject, SourceProgram) and asked.call.pfn_notify is None
        return of_source and option_failing_everywhere(parse_options(asked.call), _build_devices(asked)) == option

    return holds


def _uses_features_of(option: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a build with ``option`` compiles a source with features that OpenCL C 1.0 lacks.

    All devices of the build must support the option and the features.
    """

    def holds(asked: CompletedCall) -> bool:
        options, parts, devices = parse_options(asked.call), _source_parts(asked), _build_devices(asked)
        newer = [part for part in parts if part in MINIMUM_VERSIONS]
        wanted = option in options.split() and bool(newer)
        return wanted and is_accepted_by_compilers(options, devices) and supports_parts(parts, options, devices)

    return holds


def _uses_default_version(asked: CompletedCall) -> bool:
    """Return whether a build without -cl-std compiles a source that uses features of the newest supported OpenCL C 1.x.

    This newest version must be the same for all devices of the build.
    """
    options, parts, devices = parse_options(asked.call), _source_parts(asked), _build_devices(asked)
    since = max((MINIMUM_VERSIONS.get(part, (1, 0)) for part in parts), default=(1, 0))
    same = all(version_of_build(options, device) == since for device in devices)
    return STANDARD_OPTION not in options and (1, 0) < since <= NEWEST_OF_1 and same


def _uses_default_version_on(since: tuple[int, int]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: ``_uses_default_version`` holds on devices with the major version of ``since``."""
    return lambda asked: (
        all(each.version[0] == since[0] for each in _build_devices(asked)) and _uses_default_version(asked)
    )


for _function, _clauses in REJECTION_CODES.items():
    rules.coverage_point(
        "OpenCL:options-controlling-the-opencl-c-version/3",
        _function,
        "A build with -cl-std=CL2.0 fails for a device that does not support OpenCL C 2.0.",
        *_clauses,
        holds=_must_reject(f"{STANDARD_OPTION}CL2.0"),
    )
    rules.coverage_point(
        "OpenCL:math-intrinsics-options/1",
        _function,
        (
            f"A build with {CORRECTLY_ROUNDED} fails for a device that does not support correctly rounded division and "
            "square root."
        ),
        *_clauses,
        holds=_must_reject(CORRECTLY_ROUNDED),
    )
    for _option, _record in VERSION_REQUIREMENTS.items():
        rules.coverage_point(
            _record,
            _function,
            f"Checked on builds with {_option} of a source that uses new features of this OpenCL C version.",
            f"{_function}/success",
            holds=_uses_features_of(_option),
            requires_success=True,
        )
    for _record, _holds in (
        ("OpenCL:options-controlling-the-opencl-c-version/10", _uses_default_version),
        ("OpenCL:backwards-compatibility/6", _uses_default_version_on((3, 0))),
        ("OpenCL:backwards-compatibility/7", _uses_default_version_on((2, 0))),
    ):
        rules.coverage_point(
            _record,
            _function,
            "A build without -cl-std accepts the newest OpenCL C 1.x version that the device supports.",
            f"{_function}/success",
            holds=_holds,
            requires_success=True,
        )
for _record, _version in (
    ("OpenCL:options-controlling-the-opencl-c-version/1", "1.1"),
    ("OpenCL:options-controlling-the-opencl-c-version/2", "1.2"),
    ("OpenCL:options-controlling-the-opencl-c-version/4", "3.0"),
    ("OpenCL:options-controlling-the-opencl-c-version/11", "3.1"),
):
    rules.untestable(
        _record,
        f"A build with -cl-std=CL{_version} fails for a device that does not support this version of OpenCL C.",
        (
            "a device whose version defines the option must support that OpenCL C version, and on "
            "other devices the option may be a vendor's"
        ),
    )

# options that every compiler or linker accepts


def _has_standard_compiler_options(asked: CompletedCall) -> bool:
    options = parse_options(asked.call)
    return (
        bool(options)
        and isinstance(asked.subject, SourceProgram)
        and is_accepted_by_compilers(options, _build_devices(asked))
    )


def _has_standard_linker_options(asked: CompletedCall) -> bool:
    options, devices = parse_options(asked.call), asked.model.context(asked.call.context).devices
    return bool(options) and is_accepted_by_linkers(options, devices)


for _function in REJECTION_CODES:
    rules.coverage_point(
        "OpenCL:compiler-options/1",
        _function,
        "The compilers of devices accept the compiler options in section 5.8.6 of the specification.",
        f"{_function}/success",
        holds=_has_standard_compiler_options,
        requires_success=True,
    )
rules.coverage_point(
    "OpenCL:linker-options/1",
    "clLinkProgram",
    "clLinkProgram accepts the linker options in section 5.8.7 of the specification.",
    "clLinkProgram/success",
    holds=_has_standard_linker_options,
    requires_success=True,
)

# options without effect


def _lacks_forward_progress(asked: CompletedCall) -> bool:
    """Return whether a build passes -cl-no-subgroup-ifp for devices without independent forward progress."""
    told = {device.facts.get("CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS") for device in _build_devices(asked)}
    return (
        "-cl-no-subgroup-ifp" in parse_options(asked.call).split()
        and told == {0}
        and _has_standard_compiler_options(asked)
    )


for _function in REJECTION_CODES:
    rules.coverage_point(
        "OpenCL:optimization-options/1",
        _function,
        "Checked on builds with -cl-no-subgroup-ifp for devices without independent forward progress: they succeed.",
        f"{_function}/success",
        holds=_lacks_forward_progress,
        requires_success=True,
    )


def _builds_module_with(*options: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call builds one of our IL modules with at least one of these options.

    The condition also requires that the compiler of each device of the build accepts all its options.
    """

    def holds(asked: CompletedCall) -> bool:
        words = parse_options(asked.call).split()
        given = any(
            word in options or (STANDARD_OPTION in options and word.startswith(STANDARD_OPTION)) for word in words
        )
        return _uses_own_module(asked) and given and is_accepted_by_compilers(" ".join(words), _build_devices(asked))

    return holds


def _builds_module_without_options(asked: CompletedCall) -> bool:
    """Return whether a call builds one of our IL modules without options."""
    return _uses_own_module(asked) and not parse_options(asked.call).split()


for _record in ("OpenCL:backwards-compatibility/8", "OpenCL:backwards-compatibility/9"):
    rules.coverage_point(
        _record,
        "clBuildProgram",
        "Checked on builds of an IL module without options.",
        "clBuildProgram/success",
        holds=_builds_module_without_options,
        requires_success=True,
    )


def _compiles_module_with_headers(asked: CompletedCall) -> bool:
    """Return whether a call compiles one of our IL modules with headers, which apply only to sources."""
    return _uses_own_module(asked) and bool(asked.call.num_input_headers)


def _uses_own_module(asked: CompletedCall) -> bool:
    """Return whether the program of a call was created from one of our IL modules."""
    program = asked.subject
    return isinstance(program, Program) and is_own_module(program, program.devices)


rules.coverage_point(
    "clCompileProgram/effect/14",
    "clCompileProgram",
    "Checked on compilations of an IL module with headers: they succeed.",
    "clCompileProgram/success",
    holds=_compiles_module_with_headers,
    requires_success=True,
)
for _record, _options, _words in (
    ("OpenCL:preprocessor-options/2", ("-D",), "Checked on builds of an IL module with -D: they succeed."),
    (
        "OpenCL:math-intrinsics-options/3",
        ("-cl-single-precision-constant",),
        "Checked on builds of an IL module with -cl-single-precision-constant: they succeed.",
    ),
    (
        "OpenCL:options-to-request-or-suppress-warnings/1",
        ("-w", "-Werror"),
        "Checked on builds of an IL module with -w or -Werror: they succeed.",
    ),
    (
        "OpenCL:options-controlling-the-opencl-c-version/5",
        (STANDARD_OPTION,),
        "Checked on builds of an IL module with -cl-std: they succeed.",
    ),
):
    for _function in REJECTION_CODES:
        _holds = _builds_module_with(*_options)
        rules.coverage_point(_record, _function, _words, f"{_function}/success", holds=_holds, requires_success=True)
