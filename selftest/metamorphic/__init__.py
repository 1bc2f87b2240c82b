"""Metamorphic runs: the same sequences of calls on the same driver, while the capabilities it reports are altered.

An alteration changes the reported versions, extensions, profile and device list between a session and its driver, or
rewrites the calls. The driver itself stays the same, so each deviation that appears or disappears is due to the suite's
interpretation of the reported capabilities. The applicability conditions of the tables determine the changes that an
alteration may cause. ``claim_applicability`` evaluates these conditions independently of the oracle. Every other change
is an error of the suite.
"""
