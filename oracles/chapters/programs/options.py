"""Build options that compilers and linkers must accept (sections 5.8.6 and 5.8.7)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.standards import CORRECTLY_ROUNDED, ROUNDED, STANDARD_VERSIONS, compiles
from clconform.oracles.model.option_kernels import ECHO_OPTIONS, is_predictable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.oracles.model.devices import Device

ARGUMENT_INFO = "-cl-kernel-arg-info"
CREATE_LIBRARY = "-create-library"
COMPILER_OPTIONS: dict[str, tuple[int, int]] = {
    "-cl-single-precision-constant": (1, 0),
    "-cl-denorms-are-zero": (1, 0),
    "-cl-fast-relaxed-math": (1, 0),
    "-cl-finite-math-only": (1, 0),
    "-cl-mad-enable": (1, 0),
    "-cl-no-signed-zeros": (1, 0),
    "-cl-opt-disable": (1, 0),
    "-cl-unsafe-math-optimizations": (1, 0),
    "-w": (1, 0),
    "-Werror": (1, 0),
    ARGUMENT_INFO: (1, 2),
    CORRECTLY_ROUNDED: (1, 2),
    "-cl-uniform-work-group-size": (2, 0),
    "-g": (2, 0),
    "-cl-no-subgroup-ifp": (2, 1),
}
"""Maps each compiler option without a value to the first version of OpenCL that defines the option."""
LINKER_OPTIONS: dict[str, tuple[int, int]] = {
    "-cl-denorms-are-zero": (1, 2),
    "-cl-fast-relaxed-math": (1, 2),
    "-cl-finite-math-only": (1, 2),
    "-cl-no-signed-zeros": (1, 2),
    "-cl-unsafe-math-optimizations": (1, 2),
    "-cl-no-subgroup-ifp": (2, 1),
}
"""Maps each linker option for executables to the first version of OpenCL that defines the option."""
HARMLESS_OPTIONS = frozenset((*COMPILER_OPTIONS, *STANDARD_VERSIONS)) - {"-Werror", "-g"}
"""Options with which every simple kernel still compiles."""
CURRENT_DIRECTORY = "."
"""The only header directory that sources use: the working directory of the driver."""
_DEFINED = re.compile(r"([A-Za-z_]\w*)(?:=[\w+]*)?")


def parse_definitions(options: str) -> Iterator[str]:
    """Yield the definitions of -D options, as ``name`` or ``name=value``."""
    words = options.split()
    yield from (value for option, value in pairwise(words) if option == "-D")


def is_accepted_by_compilers(options: str, devices: Iterable[Device]) -> bool:
    """Return whether the compilers of all devices must accept the options.

    Raises UnknownFactError if a device has not been queried.
    """
    words = _strip_directories(options.split())
    while words:
        word = words.pop(0)
        if word == "-D":
            if not words or not _DEFINED.fullmatch(words.pop(0)):
                return False
        elif not all(_accepts(device, word) for device in devices):
            return False
    return True


def _strip_directories(words: list[str]) -> list[str]:
    """Return the words of the options without each ``-I`` and its directory."""
    named = [at for at, pair in enumerate(pairwise(words)) if pair == ("-I", CURRENT_DIRECTORY)]
    return [word for at, word in enumerate(words) if at not in named and at - 1 not in named]


def _accepts(device: Device, option: str) -> bool:
    if option in STANDARD_VERSIONS:
        return compiles(device, STANDARD_VERSIONS[option])
    if option == CORRECTLY_ROUNDED and not device.number("CL_DEVICE_SINGLE_FP_CONFIG") & ROUNDED:
        return False
    return option in COMPILER_OPTIONS and device.version >= COMPILER_OPTIONS[option]


def is_accepted_by_linkers(options: str, devices: Iterable[Device]) -> bool:
    """Return whether the linkers of all devices must accept the options."""
    words = options.split()
    if CREATE_LIBRARY in words:
        return set(words) <= {CREATE_LIBRARY, "-enable-link-options"}
    return all(
        word in LINKER_OPTIONS and device.version >= LINKER_OPTIONS[word] for word in words for device in devices
    )


def is_harmless(options: str, source: str) -> bool:
    """Return whether a simple source still compiles with these options, which the compiler must accept."""
    names = [each.partition("=")[0] for each in parse_definitions(options)]
    words = _strip_directories(options.split())
    words = [word for word in words if word != "-D" and word not in set(parse_definitions(options))]
    if source == ECHO_OPTIONS.source and len(set(names)) == len(names):
        told = all(
            is_predictable(name, value)
            for name, _, value in (each.partition("=") for each in parse_definitions(options))
        )
        return HARMLESS_OPTIONS.issuperset(words) and told
    return HARMLESS_OPTIONS.issuperset(words) and not any(re.search(rf"\b{name}\b", source) for name in names)
