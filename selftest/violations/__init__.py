"""Shows of each record that a violation of it would be found: outcomes are made wrong, and the judge must name it.

``wrong_outcomes`` makes wrong outcomes of a call, ``watching`` puts them between a session and its driver, or tries
them on a copy of the model, ``searching`` looks for one for every record, and ``shown`` is the file of what was found.
"""
