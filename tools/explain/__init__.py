"""What ``clconform explain`` says of one record: gathered as data first, then laid out for a terminal."""
