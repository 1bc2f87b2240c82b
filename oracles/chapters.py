"""Loads every chapter of rules, so that the registries are whole; also the list of what the oracle covers."""

from __future__ import annotations

import importlib

MODULES = (
    "clconform.oracles.queries.clauses",
    "clconform.oracles.queries.rules",
    "clconform.oracles.platforms",
    "clconform.oracles.contexts",
    "clconform.oracles.partition",
    "clconform.oracles.objects.making",
    "clconform.oracles.objects.queues",
    "clconform.oracles.objects.memory",
    "clconform.oracles.objects.samplers",
    "clconform.oracles.objects.programs",
    "clconform.oracles.objects.kernels",
    "clconform.oracles.objects.transfers",
    "clconform.oracles.objects.events",
)


def load() -> None:
    """Import the modules whose rules register themselves; a second call does nothing."""
    for module in MODULES:
        importlib.import_module(module)
