"""Stream rules in a pydantic-ai agent: watch what the model says, abort, inject, retry."""
