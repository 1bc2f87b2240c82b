"""A session with a driver: each call is judged, and its sequence kept."""
