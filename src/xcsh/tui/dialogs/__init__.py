"""Questions that take the screen: consent, a choice."""
