"""Prints the stub of the session's methods: each function of all revisions, with the types of its parameters."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

import click

from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.signature_check import argument_type
from clconform.spec_tables.loading import REVISIONS, list_revisions, load_default, read_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

_HEAD = """# generated from the tables by `python -m tests.renew`
from collections.abc import Mapping
from typing import Generic, TypeVar

from clconform.calls.call import Call
from clconform.calls.values import CallbackArgument, MemoryArgument, ObjectArgument, PointerArgument
from clconform.spec_tables.requirements import Function

Result = TypeVar("Result")

class ApiFunctions(Generic[Result]):
    def __init__(self, functions: Mapping[str, Function]) -> None: ...
    def call(self, call: Call) -> Result: ..."""


def stub_lines() -> Iterator[str]:
    """Yield the lines of the stub; a function has the prototype of the latest revision that defines it."""
    every: dict[str, tuple[Function, Tables]] = {}
    for revision in list_revisions():
        tables = read_tables(REVISIONS / revision)
        every |= {name: (function, tables) for name, function in tables.functions.items()}
    yield _HEAD
    yield from _methods(every[name] for name in sorted(every))
    yield "\nclass HostFunctions(ApiFunctions[Result]):"
    tables = load_default()
    yield from _methods((action, tables) for action in HOST_ACTIONS.values())


def _methods(functions: Iterable[tuple[Function, Tables]]) -> Iterator[str]:
    for function, tables in functions:
        parameters = [
            f"{each.name}{'_' if keyword.iskeyword(each.name) else ''}: {argument_type(each, tables)}"
            for each in function.parameters
        ]
        given = ", ".join(["self", *parameters, *(["/"] if parameters else [])])
        yield f"    def {function.name}({given}) -> Result: ..."


if __name__ == "__main__":
    for line in stub_lines():
        click.echo(line)
