"""An agent of the Agent Client Protocol, over a session's events alone."""
