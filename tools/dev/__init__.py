"""The commands of ``clconform dev``, for developers of clconform."""
