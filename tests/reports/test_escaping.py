"""Text of drivers in reports: unprintable characters are escaped, and long text is shortened."""

from __future__ import annotations

import pytest

from clconform.reports.escaping import escape_non_ascii, escape_unprintable, shorten

from . import fabricated_journals


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("end\x00", "end\\x00"),
        ("a\tb\r\nc\x7f", "a\\x09b\\x0d\\x0ac\\x7f"),
        ("\x9b2J", "\\x9b2J"),
        ("right\u202eleft\u200b", "right\\u202eleft\\u200b"),
        ("\udc80broken", "\\udc80broken"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("\u2028line", "\\u2028line"),
        ("Grüße 日本", "Grüße 日本"),
        ("back\\slash", "back\\slash"),
    ],
)
def test_unprintable_text_is_escaped(text: str, shown: str) -> None:
    assert escape_unprintable(text) == shown


def test_line_ends_are_kept_on_request() -> None:
    assert escape_unprintable("a\nb\x00", lines=True) == "a\nb\\x00"


def test_escape_non_ascii_escapes_all_non_ascii_characters() -> None:
    assert escape_non_ascii("Grüße \U0001f600") == "Gr\\xfc\\xdfe \\U0001f600"
    assert escape_non_ascii(fabricated_journals.HOSTILE).isascii()


def test_very_long_text_is_shortened_but_keeps_its_end() -> None:
    short = shorten("a" * 1_000_000 + "end")
    assert len(short) < 2100
    assert short.endswith("end")
    assert "998003 more characters" in short
    assert shorten("short") == "short"
