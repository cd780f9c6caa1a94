"""What a conversation of another agent is told at its beginning: the rules that the agent does not read by itself."""

from __future__ import annotations

from xcsh.hooks.hosts import Host
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry
from xcsh.parsing.enclosing import attribute, closing_of, enclosed
from xcsh.parsing.globs import relative
from xcsh.parsing.values import as_text

_TAG = "project-rule"
_CLOSING = closing_of(_TAG)
_ALWAYS = "Rules of this project. Keep to them in everything that you do here."
_LISTED = "More rules of this project. Read the file of one before you do what it is about:"


def introduction(registry: Registry, host: Host) -> str:
    """The rules that are always in force, whole, and those that are listed, each with its file; empty for none."""
    foreign = [entry for entry in registry.active if entry.rule.origin.provider not in host.reads]
    cwd = registry.environment.cwd
    always = [_block(entry, cwd) for entry in foreign if entry.bucket == Bucket.ALWAYS_APPLY]
    listed = [_line(entry, cwd) for entry in foreign if entry.bucket == Bucket.RULEBOOK]
    parts = [
        "\n".join([_ALWAYS, *always]) if always else "",
        "\n".join([_LISTED, *listed]) if listed else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _block(entry: Entry, cwd: str) -> str:
    rule = entry.rule
    name, path = attribute(rule.name), attribute(relative(rule.path, cwd))
    return f'<{_TAG} name="{name}" path="{path}">\n{enclosed(rule.content.strip(chr(10)), _CLOSING)}\n</{_TAG}>'


def _line(entry: Entry, cwd: str) -> str:
    description = " ".join(as_text(entry.rule.description).split())
    return f"- {relative(entry.rule.path, cwd)}: {description}"
