"""Build options that compilers and linkers must accept (sections 5.8.6 and 5.8.7)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.standards import CORRECTLY_ROUNDED, ROUNDED, STANDARDS, compiles
from clconform.oracles.model.option_kernels import TELL_OPTIONS, is_told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.oracles.model.devices import Device

ARGUMENT_INFO = "-cl-kernel-arg-info"
LIBRARY = "-create-library"
COMPILER: dict[str, tuple[int, int]] = {
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
"""Compiler option to the first version that has it; -D, -I and -cl-std take a value."""
LINKER: dict[str, tuple[int, int]] = {
    "-cl-denorms-are-zero": (1, 2),
    "-cl-fast-relaxed-math": (1, 2),
    "-cl-finite-math-only": (1, 2),
    "-cl-no-signed-zeros": (1, 2),
    "-cl-unsafe-math-optimizations": (1, 2),
    "-cl-no-subgroup-ifp": (2, 1),
}
"""Option for linking an executable to the first version that has it."""
HARMLESS = frozenset((*COMPILER, *STANDARDS)) - {"-Werror", "-g"}
"""Options with which every simple kernel still compiles."""
HERE = "."
"""The only header directory that sources use: the working directory of the driver."""
_DEFINED = re.compile(r"([A-Za-z_]\w*)(?:=[\w+]*)?")


def defined(options: str) -> Iterator[str]:
    """Yield the definitions of -D options, as ``name`` or ``name=value``."""
    words = options.split()
    yield from (value for option, value in pairwise(words) if option == "-D")


def taken_by_a_compiler(options: str, devices: Iterable[Device]) -> bool:
    """Return whether the compilers of all devices must accept the options.

    Raises UnknownError if a device has not been queried.
    """
    words = _without_directories(options.split())
    while words:
        word = words.pop(0)
        if word == "-D":
            if not words or not _DEFINED.fullmatch(words.pop(0)):
                return False
        elif not all(_takes(device, word) for device in devices):
            return False
    return True


def _without_directories(words: list[str]) -> list[str]:
    """Return the words of the options without each ``-I`` and its directory."""
    named = [at for at, pair in enumerate(pairwise(words)) if pair == ("-I", HERE)]
    return [word for at, word in enumerate(words) if at not in named and at - 1 not in named]


def _takes(device: Device, option: str) -> bool:
    if option in STANDARDS:
        return compiles(device, STANDARDS[option])
    if option == CORRECTLY_ROUNDED and not device.number("CL_DEVICE_SINGLE_FP_CONFIG") & ROUNDED:
        return False
    return option in COMPILER and device.version >= COMPILER[option]


def taken_by_a_linker(options: str, devices: Iterable[Device]) -> bool:
    """Return whether the linkers of all devices must accept the options."""
    words = options.split()
    if LIBRARY in words:
        return set(words) <= {LIBRARY, "-enable-link-options"}
    return all(word in LINKER and device.version >= LINKER[word] for word in words for device in devices)


def is_harmless(options: str, source: str) -> bool:
    """Return whether every simple source still compiles with the options, which the compiler accepts."""
    names = [each.partition("=")[0] for each in defined(options)]
    words = _without_directories(options.split())
    words = [word for word in words if word != "-D" and word not in set(defined(options))]
    if source == TELL_OPTIONS.source and len(set(names)) == len(names):
        told = all(is_told(name, value) for name, _, value in (each.partition("=") for each in defined(options)))
        return HARMLESS.issuperset(words) and told
    return HARMLESS.issuperset(words) and not any(re.search(rf"\b{name}\b", source) for name in names)
