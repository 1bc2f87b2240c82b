"""Tests of the runner: sessions, the journal, confirmation of deviations, the gate, and the pytest plugin."""
