"""The command ``device worker``: where the worker for a target is, or how to get it."""

from __future__ import annotations

from clconform.calls import exit_codes
from clconform.harness.remote.worker_files import (
    TRIPLES,
    build_worker_for,
    find_existing,
    find_worker_for,
    platform_of_target,
)
from clconform.recording.layer_build import LAYER_TARGETS, LayerError, build_layer_for
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text


def print_worker(target: str, *, build: bool) -> int:
    """Print the path of the worker for a target; HarnessError if there is none.

    ``build``: build it first, and then the layer that records programs, if the target has one; also print its path.
    """
    path = build_worker_for(target) if build else find_worker_for(platform_of_target(target))
    print_text(str(path))
    if build and target in LAYER_TARGETS:
        try:
            print_text(str(build_layer_for(load(), platform_of_target(target))))
        except LayerError as error:
            raise CommandError(str(error)) from None
    return exit_codes.AS_EXPECTED


def list_workers() -> int:
    """Print each target, with the path of its worker or how to build it."""
    width = max(map(len, TRIPLES))
    for target, platform in TRIPLES.items():
        found = find_existing(platform)
        said = str(found) if found else f"not here; build it with clconform device worker {target} --build"
        print_text(f"{target:{width}}  {said}")
    return exit_codes.AS_EXPECTED
