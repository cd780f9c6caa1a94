"""What of a project may take effect: which code, and which texts."""
