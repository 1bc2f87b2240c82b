"""What a run writes down, goes on from, and can be judged by again."""
