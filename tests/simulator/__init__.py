"""Tests of the simulated platform: it conforms, whatever its topology, and each fault planted into it is found out."""
