"""Tests of the runner: sessions, the journal, what is done with deviations, the gate, and the pytest plugin."""
