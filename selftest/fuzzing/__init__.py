"""Mutate the contents of input files, and the messages of a driver's process.

``mutations`` and ``message_mutations`` change valid contents, and ``recording_writer`` writes recordings. ``exchanges``
contains recorded messages: ``replay_session`` returns the recorded replies to a session, and ``request_replay`` sends
the recorded requests to a worker. ``clconform dev fuzz`` runs commands on the mutated inputs.
"""
