"""The composition root: the command line. One module a verb, loaded when it is called."""
