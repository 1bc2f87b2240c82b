"""``clconform explain``: gathers what is known about one record as data, then formats it for a terminal."""
