"""Loads every chapter of rules, so that the registries are whole; also the list of what the oracle covers."""

from __future__ import annotations

import importlib

MODULES = (
    "clconform.oracles.recurring.objects",
    "clconform.oracles.recurring.parameters",
    "clconform.oracles.recurring.wait_lists",
    "clconform.oracles.recurring.contexts",
    "clconform.oracles.recurring.flags",
    "clconform.oracles.recurring.property_lists",
    "clconform.oracles.recurring.memory",
    "clconform.oracles.recurring.capabilities",
    "clconform.oracles.queries.clauses",
    "clconform.oracles.queries.versions_and_extensions",
    "clconform.oracles.queries.capabilities",
    "clconform.oracles.queries.features",
    "clconform.oracles.queries.strings",
    "clconform.oracles.queries.ties",
    "clconform.oracles.platforms",
    "clconform.oracles.timers",
    "clconform.oracles.extension_functions",
    "clconform.oracles.context_clauses",
    "clconform.oracles.contexts",
    "clconform.oracles.partition",
    "clconform.oracles.buffers.creation",
    "clconform.oracles.buffers.sub_buffers",
    "clconform.oracles.buffers.ranges",
    "clconform.oracles.buffers.rectangles",
    "clconform.oracles.buffers.maps",
    "clconform.oracles.buffers.situations",
    "clconform.oracles.svm.allocating",
    "clconform.oracles.svm.pointers",
    "clconform.oracles.svm.commands",
    "clconform.oracles.svm.situations",
    "clconform.oracles.memory_objects.objects",
    "clconform.oracles.memory_objects.external",
    "clconform.oracles.memory_objects.situations",
    "clconform.oracles.objects.making",
    "clconform.oracles.objects.queue_clauses",
    "clconform.oracles.objects.queues",
    "clconform.oracles.objects.memory",
    "clconform.oracles.objects.samplers",
    "clconform.oracles.objects.programs",
    "clconform.oracles.objects.programs_without_source",
    "clconform.oracles.objects.kernels",
    "clconform.oracles.objects.transfers",
    "clconform.oracles.objects.mapping",
    "clconform.oracles.objects.host_memory",
    "clconform.oracles.objects.events",
    "clconform.oracles.objects.allocations",
    "clconform.oracles.objects.semaphores",
    "clconform.oracles.objects.command_buffers",
    "clconform.oracles.notifications.clauses",
    "clconform.oracles.queries.wording",
    "clconform.oracles.sharing",
    "clconform.oracles.context_effects",
    "clconform.oracles.objects.queue_effects",
    "clconform.oracles.queries.effects",
    "clconform.oracles.linked.rules",
)


def load() -> None:
    """Import the modules whose rules register themselves; a second call does nothing."""
    for module in MODULES:
        importlib.import_module(module)
