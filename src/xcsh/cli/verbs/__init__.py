"""One module a verb, each with `add_arguments(parser)` and `run(args) -> exit code`."""
