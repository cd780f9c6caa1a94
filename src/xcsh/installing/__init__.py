"""Writes xcsh into the configuration of other agents and editors, and takes it out again."""
