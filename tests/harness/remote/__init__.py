"""Tests of drivers on other machines, most of them with a server on this machine."""
