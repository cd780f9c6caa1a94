"""What a run does to files, written down before it is done."""
