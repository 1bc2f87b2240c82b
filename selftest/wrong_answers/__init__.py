"""Wrong answers of a driver, by class: which of them the suites notice, and why they do not notice the others.

``answer_classes`` has the classes, and alters a right answer. ``altered_queries`` and ``altered_outputs`` are faults of
the simulated platform: each answer of one query, each output of one function, or the memory that one command writes is
wrong in every call. ``trials`` runs the suites' items with such a fault until a
deviation shows. ``table`` is the file of results; ``reasons`` explains the cells that no test notices.
"""
