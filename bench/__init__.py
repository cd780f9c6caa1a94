"""Measures the project against the bounds that it has set itself. `make bench` runs everything."""
