"""The test suites, which make calls: by chapter, and for error conditions, queries, contents, lifetime and threads.

The judge evaluates the outcomes.
"""
