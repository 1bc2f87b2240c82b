r"""Makes text from a driver visible and harmless for people and parsers.

Names, versions and build logs come from the driver under test and may contain anything: terminal commands, NULs,
right-to-left marks, invalid UTF-8. Unprintable characters become ASCII escapes (``\x1b``, ``\u202e``). Backslashes do
not change, because people read the text and no program decodes it.
"""

from __future__ import annotations

MAX_TEXT = 2000
"""Maximum number of characters of a driver's text in a report, because a driver may return megabytes."""

LAST_ASCII = 0x7F
"""The last character of ASCII."""


def escape_unprintable(text: str, *, limit: int = MAX_TEXT, lines: bool = False) -> str:
    """Return ``text`` with unprintable characters as escapes; ``lines``: keep line ends."""
    short = shorten(text, limit=limit)
    if short.isprintable() or (lines and short.replace("\n", "").isprintable()):  # the common case
        return short
    return "".join(
        character if character.isprintable() or (lines and character == "\n") else _escape(character)
        for character in short
    )


def escape_non_ascii(text: str, *, limit: int = MAX_TEXT, lines: bool = False) -> str:
    """Return ``text`` with unprintable and non-ASCII characters as escapes; ``lines``: keep line ends."""
    if len(text) <= limit and text.isascii() and text.isprintable():  # the common case
        return text
    shown = escape_unprintable(text, limit=limit, lines=lines)
    if shown.isascii():
        return shown
    return "".join(character if character.isascii() else _escape(character) for character in shown)


def shorten(text: str, *, limit: int = MAX_TEXT) -> str:
    """Return ``text``; if it exceeds ``limit``, return its beginning and end, with the number of omitted characters."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    left_out = len(text) - limit
    return f"{text[: limit - tail]} [... {left_out} more characters ...] {text[len(text) - tail :]}"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code <= LAST_ASCII else character.encode("ascii", "backslashreplace").decode()
