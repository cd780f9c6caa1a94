"""The conversation by lines, for screen readers, simple terminals and scripts: nothing moves a cursor."""
