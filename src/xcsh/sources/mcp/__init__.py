"""Which MCP servers the files of the project and of the user name."""
