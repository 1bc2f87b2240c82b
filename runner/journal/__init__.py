"""The journal of a run: written, resumed, merged and judged again."""
