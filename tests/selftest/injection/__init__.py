"""Tests of fault injection: the operators, the trials, and the reported results."""
