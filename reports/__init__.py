"""Turns a journal into what people and machines read: HTML, JUnit, JSON, a terminal summary, C programs."""
