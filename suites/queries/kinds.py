"""The kinds of objects that queries are asked of, by query function; each knows how to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

    Maker: TypeAlias = "Callable[[Session], dict[str, Value]]"

KINDS: dict[str, dict[str, Maker]] = {}
"""Query function to the kinds of objects that it is asked of: what each makes are the arguments that name the object.

Those are by parameter, without the ones that every query function has (param_name and what follows).
"""

_F = TypeVar("_F", bound="Callable[..., dict[str, Value]]")


def kind(words: str, *functions: str) -> Callable[[_F], _F]:
    """Declare a kind of object for these query functions."""

    def declare(maker: _F) -> _F:
        for function in functions:
            add(function, words, maker)
        return maker

    return declare


def add(function: str, words: str, maker: Maker) -> None:
    """Add a kind of object; ValueError where the function has one of that name already."""
    known = KINDS.setdefault(function, {})
    if words in known:
        raise ValueError(f"{function} is asked of {words!r} twice")
    known[words] = maker
