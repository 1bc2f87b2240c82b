"""The words of the limits, effects and optional behaviours that the rules of queries judge, by record."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.records import Effect, Limit, OptionalBehaviour

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()

WHERE = {
    "images": "where images are supported",
    "not-custom": "unless the device is a custom one",
    "pipes": "where pipes are supported",
    "on-device-queues": "where on-device queues are supported",
    "read-write-images": "where images can be read and written in one kernel",
    "program-scope-globals": "where programs can have variables of their own",
    "sub-groups": "where sub-groups are supported",
    "double": "where double precision is supported",
    "half": "where half precision is supported",
}


@rules.completion
def tell(rules: Rules, tables: Tables) -> None:
    """Put down the words of every record that a rule of queries is for, where nobody else has."""
    queries = {query.name for function in tables.functions for query in tables.queries_of(function)}
    for record in tables.records.values():
        text = ""
        if isinstance(record, Limit):
            text = words_of_limit(record)
        elif isinstance(record, Effect) and record.id.partition("/")[0] in queries:
            text = inspect.cleandoc(rules.topic_words.get(record.topic, ""))
        elif isinstance(record, OptionalBehaviour) and record.subject in queries:
            text = inspect.cleandoc(rules.topic_words.get(record.feature, ""))
        if text:
            rules.words.setdefault(record.id, text)


def words_of_limit(limit: Limit) -> str:
    """Return in our words what a limit asks for."""
    bound = limit.of or limit.formula or str(limit.value)
    unit = f" {limit.unit}" if limit.unit else ""
    text = {
        "at-least": f"at least {bound}{unit}",
        "at-most": f"at most {bound}{unit}",
        "power-of-two": "a power of two, or 0",
        "includes": f"holds {' and '.join(limit.values)}",
        "includes-one-of": f"holds {', or '.join(limit.values)}",
        "true-if": f"true where {limit.of} is",
    }[limit.relation]
    where = WHERE.get(limit.where, "")
    otherwise = f", else {limit.otherwise}" if limit.otherwise >= 0 else ""
    return f"{text} {where}{otherwise}".strip()
