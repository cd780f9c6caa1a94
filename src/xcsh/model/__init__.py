"""The nouns. Immutable shapes that every stage passes on; they decide nothing."""
