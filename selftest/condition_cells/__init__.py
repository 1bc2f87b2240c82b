"""The cells of error conditions: near misses by operand, and carried-over conditions by carrier, with planted faults.

``call_features`` describes calls: their shape, and the carriers of their objects. ``planted_platform`` is a simulated
platform that rejects the near misses of one cell, or that accepts the calls of one carrier which violate a condition.
``cell_trials`` runs the suites' items on it and checks that a deviation names the call. ``measuring`` chooses the cells
and their items, by the calls that ``seen_calls`` has stored. ``table`` is the file of results; ``reasons`` generates
the reasons of the cells that no test notices.
"""
