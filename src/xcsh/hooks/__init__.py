"""The rules of a project in other people's agents, through the hooks that those agents call before a tool runs."""
