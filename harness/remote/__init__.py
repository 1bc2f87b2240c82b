"""Runs drivers on other machines: phones and boards that have no Python.

``addresses`` names such a machine, ``device_shell`` runs commands there, and ``transports`` connects to it. ``frames``
and ``server_link`` exchange messages with the server there (``driver_worker/server.c``), and ``remote_process`` is the
driver's process for a session.
"""
