"""Tests of the fuzzer: it reads all kinds of inputs, and it can find failures."""
