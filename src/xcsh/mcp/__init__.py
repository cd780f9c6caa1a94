"""The project's rules and commands for any client of the Model Context Protocol."""
