"""The cells of error conditions: near misses by operand, and carried-over conditions by carrier, with planted faults.

``call_features`` describes calls: their shape, and the carriers of their objects. ``planted_platform`` is a simulated
platform that rejects the near misses of one cell, or that accepts the calls of one carrier which violate a condition.
``measuring`` runs the suites' items on it and checks that a deviation names the call. ``table`` is the file of results;
``reasons`` generates the reasons of the cells that no test notices.
"""
