"""Slash commands, pure: taking a call apart, finding the command, expanding its template, suggesting names."""
