"""Where the user types: the editor, its history, and what may be meant by what was typed so far."""
