"""Query rules: the requested name, the error conditions, the size of the value, and the allowed values.

The expected value comes from four sources, each with its own requirement: the type (``expect_by_tables``), limits
(``limits``), rules between query values (``capabilities``, ``features``, ``strings``, ``cross_query_rules``,
``version_requirements`` and ``versions_and_extensions``), and the state of the object (``query_results`` of each
chapter). Writes to the output buffer past the value, or on an error, are noted and never a deviation. A query of a
later version, or of an extension that is not reported, may succeed or fail; a name of another query function must be
rejected.
"""
