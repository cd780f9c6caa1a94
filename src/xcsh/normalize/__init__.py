"""Stage 3: a Document to the one canonical item. Pure, and drops nothing silently."""
