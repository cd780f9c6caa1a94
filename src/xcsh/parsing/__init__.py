"""Stage 2: text to values, places kept. Pure: nothing here opens a file."""
