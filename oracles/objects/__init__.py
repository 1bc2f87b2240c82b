"""Objects of a context: how each kind is made, what it then answers, and when it goes."""
