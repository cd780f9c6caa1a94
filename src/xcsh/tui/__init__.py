"""The terminal application: a conversation on the screen, over the events of a session alone."""
