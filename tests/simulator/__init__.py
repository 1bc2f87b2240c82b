"""Tests of the simulated platform: it conforms, whatever its topology."""
