"""Models: which one is meant, how it is opened, and recorded conversations played over real HTTP."""
