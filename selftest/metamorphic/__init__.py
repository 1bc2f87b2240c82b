"""Metamorphic runs: the same sequences of calls on the same driver, while what the driver claims is altered.

An alteration changes the answers about versions, extensions, profile and the list of devices between a session and its
driver, or rewrites the calls. The driver is the same, so each deviation that comes or goes is due to how we read the
claims. What an alteration may change follows from the gates of the tables, which are read here by code of its own
(``readings``), not by the oracle's. Every other change is an error of the suite.
"""
