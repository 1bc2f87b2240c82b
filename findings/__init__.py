"""Deviations of real drivers: their causes, the reasons for the verdicts, and unreachable error codes.

Each TOML file has a module that reads it. ``clconform.findings.review`` checks the data, and results against them.
"""
