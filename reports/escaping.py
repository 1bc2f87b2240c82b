r"""Makes text that a driver said visible and harmless, for every place where a person or a parser reads it.

Names, versions and build logs come from the driver under test and may hold anything: terminal commands, NULs,
right-to-left marks, broken UTF-8. What cannot be printed becomes an escape in ASCII (``\x1b``, ``\u202e``), so that
it is seen and does nothing. Backslashes are left as they are: the result is for reading, not for decoding.
"""

from __future__ import annotations

LIMIT = 2000
"""Characters of one driver text that a report shows; a driver may answer with megabytes."""

DELETE = 0x7F
"""The last character of ASCII."""


def visible(text: str, *, limit: int = LIMIT, lines: bool = False) -> str:
    """Return ``text`` with every character that does not print as an escape; ``lines`` keeps line ends."""
    short = shorten(text, limit=limit)
    if short.isprintable():  # nearly every text is, and there are many
        return short
    return "".join(
        character if character.isprintable() or (lines and character == "\n") else _escape(character)
        for character in short
    )


def visible_ascii(text: str, *, limit: int = LIMIT, lines: bool = False) -> str:
    """Return ``text`` as ``visible`` does, with everything beyond ASCII as an escape too."""
    shown = visible(text, limit=limit, lines=lines)
    if shown.isascii():
        return shown
    return "".join(character if character.isascii() else _escape(character) for character in shown)


def shorten(text: str, *, limit: int = LIMIT) -> str:
    """Return ``text``, or its beginning and end around a note of how much was left out."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    left_out = len(text) - limit
    return f"{text[: limit - tail]} [... {left_out} more characters ...] {text[len(text) - tail :]}"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code <= DELETE else character.encode("ascii", "backslashreplace").decode()
