"""Where a driver and the oracle meet: every call is judged, journalled, repeated and made short here."""
