"""Coverage points for versions of OpenCL C and unsupported options, by builds (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.clauses.building import options_given
from clconform.oracles.chapters.programs.clauses.devices import devices_of
from clconform.oracles.chapters.programs.languages import is_made_from_ours
from clconform.oracles.chapters.programs.options import taken_by_a_compiler, taken_by_a_linker
from clconform.oracles.chapters.programs.standards import (
    CORRECTLY_ROUNDED,
    NEWEST_OF_1,
    OPTION,
    compiled_as,
    fails_on_all,
    new_enough,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.programs import Program, SourceProgram
from clconform.oracles.model.sources import SINCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.devices import Device

rules = Rules()

VERSIONS = "OpenCL:options-controlling-the-opencl-c-version"
REFUSED_BY = {
    "clBuildProgram": ("clBuildProgram/CL_INVALID_BUILD_OPTIONS/1", "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1"),
    "clCompileProgram": (
        "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1",
        "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1",
    ),
}
"""Function to the errors that it may return for an option that no device supports."""
ACCEPTED = {f"{OPTION}CL1.1": 6, f"{OPTION}CL1.2": 7, f"{OPTION}CL2.0": 8, f"{OPTION}CL3.0": 9}
"""Option to the number of the requirement about the features that it enables."""


def _devices(asked: AnsweredCall) -> list[Device]:
    return devices_of(asked.call, asked.model.get(Program, asked.call.program).devices, asked.model)


def _parts(asked: AnsweredCall) -> tuple[str, ...]:
    """Return the parts of the source that is built; none if it is not known to consist of parts."""
    program = asked.subject
    return program.parts or () if isinstance(program, SourceProgram) else ()


def _refused(option: str) -> Callable[[AnsweredCall], bool]:
    """Return a condition: a build must fail because of an option."""

    def holds(asked: AnsweredCall) -> bool:
        of_source = isinstance(asked.subject, SourceProgram) and asked.call.pfn_notify is None
        return of_source and fails_on_all(options_given(asked.call), _devices(asked)) == option

    return holds


def _features_of(option: str) -> Callable[[AnsweredCall], bool]:
    """Return a condition: a build requests a version that all devices compile, for a source with its new features."""

    def holds(asked: AnsweredCall) -> bool:
        options, parts, devices = options_given(asked.call), _parts(asked), _devices(asked)
        newer = [part for part in parts if part in SINCE]
        wanted = option in options.split() and bool(newer)
        return wanted and taken_by_a_compiler(options, devices) and new_enough(parts, options, devices)

    return holds


def _by_default(asked: AnsweredCall) -> bool:
    """Return whether a build requests no version, and its source uses the newest 1.x features of the devices."""
    options, parts, devices = options_given(asked.call), _parts(asked), _devices(asked)
    since = max((SINCE.get(part, (1, 0)) for part in parts), default=(1, 0))
    same = all(compiled_as(options, device) == since for device in devices)
    return OPTION not in options and (1, 0) < since <= NEWEST_OF_1 and same


def _by_default_on(since: tuple[int, int]) -> Callable[[AnsweredCall], bool]:
    """Return a condition: ``_by_default`` on devices of a major version, 2 or 3."""
    return lambda asked: all(each.version[0] == since[0] for each in _devices(asked)) and _by_default(asked)


for _function, _clauses in REFUSED_BY.items():
    rules.trigger(
        f"{VERSIONS}/3",
        _function,
        "A build with -cl-std=CL2.0 fails for a device that does not support OpenCL C 2.0.",
        *_clauses,
        holds=_refused(f"{OPTION}CL2.0"),
    )
    rules.trigger(
        "OpenCL:math-intrinsics-options/1",
        _function,
        (
            f"A build with {CORRECTLY_ROUNDED} fails for a device that does not support correctly rounded division and "
            "square root."
        ),
        *_clauses,
        holds=_refused(CORRECTLY_ROUNDED),
    )
    for _option, _number in ACCEPTED.items():
        rules.trigger(
            f"{VERSIONS}/{_number}",
            _function,
            f"Checked on builds with {_option} of a source that uses features new in this version.",
            f"{_function}/success",
            holds=_features_of(_option),
            by_success=True,
        )
    for _record, _holds in (
        (f"{VERSIONS}/10", _by_default),
        ("OpenCL:backwards-compatibility/6", _by_default_on((3, 0))),
        ("OpenCL:backwards-compatibility/7", _by_default_on((2, 0))),
    ):
        rules.trigger(
            _record,
            _function,
            "Without -cl-std, a source that uses features of the newest OpenCL C 1.x of the device is compiled.",
            f"{_function}/success",
            holds=_holds,
            by_success=True,
        )
for _number, _version in ((1, "1.1"), (2, "1.2"), (4, "3.0"), (11, "3.1")):
    rules.untestable(
        f"{VERSIONS}/{_number}",
        f"A build with -cl-std=CL{_version} fails for a device that does not support this version of OpenCL C.",
        (
            "a device whose version has the option must support that OpenCL C, and for other devices the option may be "
            "a vendor's"
        ),
    )

# options that every compiler or linker accepts


def _standard(asked: AnsweredCall) -> bool:
    options = options_given(asked.call)
    return bool(options) and isinstance(asked.subject, SourceProgram) and taken_by_a_compiler(options, _devices(asked))


def _standard_of_linkers(asked: AnsweredCall) -> bool:
    options, devices = options_given(asked.call), asked.model.context(asked.call.context).devices
    return bool(options) and taken_by_a_linker(options, devices)


for _function in REFUSED_BY:
    _words = "Compilers accept the options of section 5.8.6."
    _success = f"{_function}/success"
    rules.trigger("OpenCL:compiler-options/1", _function, _words, _success, holds=_standard, by_success=True)
_words = "Linkers accept the options of section 5.8.7."
rules.trigger(
    "OpenCL:linker-options/1",
    "clLinkProgram",
    _words,
    "clLinkProgram/success",
    holds=_standard_of_linkers,
    by_success=True,
)

# options without effect


def _without_progress(asked: AnsweredCall) -> bool:
    """Return whether a build passes -cl-no-subgroup-ifp for devices without independent forward progress."""
    told = {device.facts.get("CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS") for device in _devices(asked)}
    return "-cl-no-subgroup-ifp" in options_given(asked.call).split() and told == {0} and _standard(asked)


for _function in REFUSED_BY:
    rules.trigger(
        "OpenCL:optimization-options/1",
        _function,
        "Checked on builds with -cl-no-subgroup-ifp for such devices: they succeed.",
        f"{_function}/success",
        holds=_without_progress,
        by_success=True,
    )


def _for_a_module(*options: str) -> Callable[[AnsweredCall], bool]:
    """Return a condition: one of our modules is built with one of these options, and only with standard options."""

    def holds(asked: AnsweredCall) -> bool:
        words = options_given(asked.call).split()
        given = any(word in options or (OPTION in options and word.startswith(OPTION)) for word in words)
        return _of_ours(asked) and given and taken_by_a_compiler(" ".join(words), _devices(asked))

    return holds


def _without_options(asked: AnsweredCall) -> bool:
    """Return whether one of our modules is built without options."""
    return _of_ours(asked) and not options_given(asked.call).split()


for _number in (8, 9):
    rules.trigger(
        f"OpenCL:backwards-compatibility/{_number}",
        "clBuildProgram",
        "Checked on builds of a module without options.",
        "clBuildProgram/success",
        holds=_without_options,
        by_success=True,
    )


def _with_headers(asked: AnsweredCall) -> bool:
    """Return whether one of our modules is compiled with headers, which apply only to sources."""
    return _of_ours(asked) and bool(asked.call.num_input_headers)


def _of_ours(asked: AnsweredCall) -> bool:
    """Return whether the call is about a program that was created from one of our modules."""
    program = asked.subject
    return isinstance(program, Program) and is_made_from_ours(program, program.devices)


rules.trigger(
    "clCompileProgram/effect/14",
    "clCompileProgram",
    "Checked on compilations of a module with headers: they succeed.",
    "clCompileProgram/success",
    holds=_with_headers,
    by_success=True,
)
for _record, _options, _words in (
    ("OpenCL:preprocessor-options/2", ("-D",), "Checked on builds of a module with -D: they succeed."),
    (
        "OpenCL:math-intrinsics-options/3",
        ("-cl-single-precision-constant",),
        "Checked on builds of a module with the option: they succeed.",
    ),
    (
        "OpenCL:options-to-request-or-suppress-warnings/1",
        ("-w", "-Werror"),
        "Checked on builds of a module with -w or -Werror: they succeed.",
    ),
    (f"{VERSIONS}/5", (OPTION,), "Checked on builds of a module with -cl-std: they succeed."),
):
    for _function in REFUSED_BY:
        _holds = _for_a_module(*_options)
        rules.trigger(_record, _function, _words, f"{_function}/success", holds=_holds, by_success=True)
