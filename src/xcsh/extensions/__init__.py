"""Slash commands written in Python: what an extension registers, and modules that are commands. Light to import."""

from __future__ import annotations

from xcsh.extensions.registration import CommandContext, Extension, ExtensionCommand

__all__ = ["CommandContext", "Extension", "ExtensionCommand"]
