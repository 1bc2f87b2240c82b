"""``clconform explain``: gathers the information about one requirement as data, then formats it for a terminal."""
