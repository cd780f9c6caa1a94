"""Stage 1: disk to SourceText. The only package that opens rule files and settings files."""
