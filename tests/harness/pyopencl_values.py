"""Prints, as JSON, the values that pyopencl's queries return for PoCL: ``python pyopencl_values.py < QUERIES``.

QUERIES maps the name of a pyopencl class to the numbers of queries. The output maps each class to the values by the
query's number; a query that fails, or whose value is an object, is left out.
"""

from __future__ import annotations

import json
import sys

import pyopencl


def _read_value(owner: object, query: int) -> object:
    try:
        return owner.get_info(query)  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001 (pyopencl or the driver does not support the query)
        return None


def main() -> None:
    """Read the queries, create an object of each class, and print the values."""
    platform = next(each for each in pyopencl.get_platforms() if each.name == "Portable Computing Language")
    device = platform.get_devices()[0]
    context = pyopencl.Context([device])
    owners = {
        "Platform": platform,
        "Device": device,
        "Context": context,
        "CommandQueue": pyopencl.CommandQueue(context, device),
    }
    found = {
        name: {query: value for query in queries if isinstance(value := _read_value(owners[name], query), (int, str))}
        for name, queries in json.load(sys.stdin).items()
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
