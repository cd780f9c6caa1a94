"""Settings: read from every place, checked, explained and changed."""
