"""All commands of the command line, also those of inner groups."""

from __future__ import annotations

import click

from clconform.tools.cli import cli


def commands_by_path(group: click.Group = cli, path: tuple[str, ...] = ()) -> dict[str, click.Command]:
    """Map the words after ``clconform`` that name a command, such as ``dev inject``, to the command or group."""
    found: dict[str, click.Command] = {" ".join(path): group}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= commands_by_path(command, (*path, name))
        elif command is not None:
            found[" ".join((*path, name))] = command
    return found
