"""What installed packages bring: providers of further tools, by the entry-point group `xcsh.providers` (R-63)."""
