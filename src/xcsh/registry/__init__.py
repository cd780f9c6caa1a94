"""Stages 4 and 5: precedence and buckets. Pure, and one answer for each question."""
