"""One module reads all versions; no string of a driver makes it fail, and an unreadable one is no version at all."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from clconform.spec_tables.versions import (
    OPENCL,
    OPENCL_C,
    Version,
    format_packed_version,
    is_version_string,
    pack_version,
    parse_language_version,
    parse_version,
    read_version,
    unpack_version,
    version_numbers,
)

ROOT = Path(__file__).parents[1]
UNREADABLE = (
    "",
    "OpenCL",
    "OpenCL ",
    "OpenCL 3",
    "OpenCL 3.",
    "OpenCL .0 x",
    "OpenCL 999999999999999.0 x",
    "OpenCL 3.999999999999999 x",
    "OpenCL 1024.0 x",
    "OpenCL 3.1024 x",
    "OpenCL -1.-1 x",
    "OpenCL +3.0 x",
    "OpenCL \u0663.\u0660 x",
    "OpenCL \uff13.\uff10 x",
    "OpenCL \u00b2.\u2070 x",
    "OpenCL  3.0 x",
    "OpenCL\t3.0 x",
    "opencl 3.0 x",
    "x OpenCL 3.0 x",
    "OpenCL 0x3.0 x",
    "OpenCL 3,0 x",
    "OpenCL " + "9" * 100_000 + "." + "9" * 100_000 + " x",
    "OpenCL \udc80.\udc80 x",
    "OpenCL 3\0.0 x",
)


@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: ascii(text)[:40])
def test_string_without_a_version_of_opencl_is_no_version(text: str) -> None:
    assert parse_version(text) is None
    assert not is_version_string(text)
    assert parse_version(text.replace(OPENCL, OPENCL_C), OPENCL_C) is None


@pytest.mark.parametrize(
    ("text", "version", "well_formed"),
    [
        ("OpenCL 3.0 x", (3, 0), True),
        ("OpenCL 3.0 ", (3, 0), True),
        ("OpenCL 1023.1023 x", (1023, 1023), True),
        ("OpenCL 3.0", (3, 0), False),
        ("OpenCL 3.0\tx", (3, 0), False),
        ("OpenCL 3.0-rc1 x", (3, 0), False),
        ("OpenCL 3.0.1 x", (3, 0), False),
    ],
)
def test_version_is_read_after_its_words(text: str, version: tuple[int, int], *, well_formed: bool) -> None:
    assert parse_version(text) == version
    assert is_version_string(text) == well_formed
    assert parse_version(text, OPENCL_C) is None


def test_no_string_raises_an_exception() -> None:
    drawn = random.Random(1)  # noqa: S311 (no secret)
    parts = (
        "OpenCL ",
        "OpenCL C ",
        "SPIR-V_",
        "9" * 30,
        "3",
        ".",
        "0",
        " ",
        "-",
        "\u0663",
        "\udcff",
        "\0",
        "\n",
        "e9",
        "_",
    )
    for _ in range(20_000):
        text = "".join(drawn.choices(parts, k=drawn.randrange(9)))
        for words in (OPENCL, OPENCL_C):
            version = parse_version(text, words)
            assert version is None or unpack_version(pack_version(*version)) == version
            assert version is not None or not is_version_string(text, words)
        language = parse_language_version(text)
        assert language is None or max(language[1]) <= 1023
        assert all(number < 10**18 for number in version_numbers(text) or [])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1" * 19, None), ("v" + "1" * 19 + ".0 2.5", [2, 5]), ("3.0-rc2", [3, 0]), ("2026.21.3_160000", [2026, 21, 3])],
)
def test_driver_version_has_numbers_of_limited_length(text: str, numbers: list[int] | None) -> None:
    assert version_numbers(text) == numbers


def test_packed_version_is_formatted() -> None:
    assert format_packed_version(pack_version(3, 0, 17)) == "3.0.17"
    assert format_packed_version(0xFFFFFFFF) == "1023.1023.4095"


def test_version_in_the_tables_is_read_strictly() -> None:
    assert read_version("3.0") == read_version("3.0.17") == Version(3, 0)
    for text in ("3", "OpenCL 3.0", "3.0 x", "\u0663.\u0660"):
        with pytest.raises(ValueError, match="is not a version"):
            read_version(text)


def test_no_other_module_reads_versions() -> None:
    """Patterns with two numbers around a dot are here alone, except those for durations, documents and libraries."""
    others = {"spec_tables/versions.py", "reports/driver_versions.py", "runner/pytest_plugin/time_budget.py"}
    others |= {"selftest/metamorphic/claims.py", "oracles/queries/version_requirements.py", "tools/bisect.py"}
    others |= {"oracles/chapters/execution/error_conditions/ranges.py", "harness/worker_executable.py"}
    two_numbers = re.compile(r'r".*(\\d|\[0-9\])[^"]{0,9}\\\.[^"]{0,5}(\\d|\[0-9\])')
    found = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] not in ("tests", ".venv", "build")
        and path.relative_to(ROOT).parts[:2] != ("tools", "extract")
        and two_numbers.search(path.read_text(encoding="utf-8"))
    }
    assert found <= others, found - others
