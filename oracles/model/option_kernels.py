"""A kernel that writes which macros were defined at its compilation, and their values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.model.argument_kernels import DATA, ArgumentKernel

if TYPE_CHECKING:
    from collections.abc import Mapping

MACROS = ("FIRST", "SECOND")
"""The macros whose values the kernel writes."""
RELAXED = "__FAST_RELAXED_MATH__"
"""The macro of relaxed math; the kernel writes last whether it is defined."""
_MACROS = "".join(
    f"#ifdef {name}\n#define HAS_{name} 1u\n#else\n#define HAS_{name} 0u\n#define {name}\n#endif\n" for name in MACROS
)
_TOLD = "".join(
    f"    data[{2 * at}] = HAS_{name};\n    data[{2 * at + 1}] = 2u * {name} + 0u;\n" for at, name in enumerate(MACROS)
)
RELAXED_INDEX = 2 * len(MACROS)
ECHO_OPTIONS = ArgumentKernel(
    "tell_options",
    f"{_MACROS}#ifdef {RELAXED}\n#define HAS_RELAXED 1u\n#else\n#define HAS_RELAXED 0u\n#endif\n"
    f"__kernel void tell_options(__global uint *data)\n{{\n{_TOLD}    data[{RELAXED_INDEX}] = HAS_RELAXED;\n}}\n",
    (DATA,),
)
"""A kernel that stores, for each macro, whether it is defined, and twice its first term plus its further terms."""
WORDS = RELAXED_INDEX + 1
_SUM = re.compile(r"\d+(\+\d+)*")


def is_predictable(name: str, value: str) -> bool:
    """Return whether the model knows what the option kernel stores if macro ``name`` is defined as ``value``.

    The model knows this if ``value`` is a sum, another macro that the kernel uses, or empty.
    """
    return name in MACROS and (value in ("", *MACROS) or _SUM.fullmatch(value) is not None) and value != name


def stored_number(name: str, defined: Mapping[str, str]) -> int:
    """Return the number that the kernel stores for a macro: the sum of its terms, in which the first counts twice."""
    value = defined.get(name, "")
    if value in MACROS:
        value = defined.get(value, value)
    if value in MACROS:
        raise ValueError(f"{name} has no number")
    terms = [int(term) for term in value.split("+") if term]
    return sum(terms) + terms[0] if terms else 0
