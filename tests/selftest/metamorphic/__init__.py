"""Tests of metamorphic runs: the altered query values, and errors that the runs must find."""
