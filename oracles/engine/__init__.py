"""The judge and its rulebook: which outcomes the documents allow for a call, and how an observed outcome compares."""
