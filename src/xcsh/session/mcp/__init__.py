"""MCP servers of a session: started when trusted, their tools and prompts named and watched."""
