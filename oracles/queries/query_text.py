"""Texts of the requirements that query rules judge: limits, effects and optional behaviours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import join_names
from clconform.spec_tables.loading import load_default
from clconform.spec_tables.requirements import Effect, Limit, OptionalBehaviour, Query
from clconform.spec_tables.revision_ids import find_extension_sentences, find_topic

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()

CONDITION_TEXTS = {
    "images": "if images are supported",
    "not-custom": "unless the device is a custom device",
    "pipes": "if pipes are supported",
    "on-device-queues": "if on-device queues are supported",
    "read-write-images": "if read-write images are supported",
    "program-scope-globals": "if program scope global variables are supported",
    "sub-groups": "if sub-groups are supported",
    "double": "if double precision is supported",
    "half": "if half precision is supported",
}


@rules.completion
def add_texts(rules: Rules, tables: Tables) -> None:
    """Add a text for each requirement with a query rule, unless the requirement already has a text."""
    queries = {query.name for function in tables.functions for query in tables.queries_of(function)}
    twins = find_extension_sentences(tables) if tables.documents != load_default().documents else {}
    for requirement in tables.requirements.values():
        text = None
        if isinstance(requirement, Limit):
            text = limit_text(requirement, tables)
        elif isinstance(requirement, Effect) and requirement.id.partition("/")[0] in queries:
            text = rules.topic_words.get(find_topic(requirement, twins.get(requirement.id, "")))
        elif isinstance(requirement, OptionalBehaviour) and requirement.subject in queries:
            text = rules.topic_words.get(requirement.feature)
        if text is not None:
            rules.words.setdefault(requirement.id, text)


def limit_text(limit: Limit, tables: Tables) -> str:
    """Return the text of a limit in plain words."""
    query = tables.requirements.get(limit.name)
    subject = "each element" if isinstance(query, Query) and query.shape == "array" else "the value"
    bound = (limit.of or limit.formula or str(limit.value)).replace("//", "/")
    unit = f" {limit.unit}" if limit.unit else ""
    text = {
        "at-least": f"is at least {bound}{unit}",
        "at-most": f"is at most {bound}{unit}",
        "power-of-two": "is 0 or a power of two",
        "includes": f"includes {join_names(limit.values, 'and')}",
        "includes-one-of": f"includes {' or '.join(limit.values)}",
        "true-if": f"is CL_TRUE if {limit.of} is CL_TRUE",
    }[limit.relation]
    where = f"{CONDITION_TEXTS[limit.where]}, " if limit.where in CONDITION_TEXTS else ""
    where = f"{CONDITION_TEXTS['not-custom']}, {where}" if limit.custom_exempt else where
    otherwise = f"; otherwise it is {limit.otherwise}" if limit.otherwise >= 0 else ""
    return f"{where}{subject} {text}{otherwise}"
