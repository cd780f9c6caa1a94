"""What the specification of Agent Skills allows as name and description, as findings (C-40)."""

from __future__ import annotations

import re

from xcsh.model.diagnostic import Report
from xcsh.model.document import Document
from xcsh.normalize.keys import Fields
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import as_text

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1_024


def report_limits(document: Document, fields: Fields, report: Report, finding: Finding) -> None:
    """Reports a name that other tools refuse or that is not its folder's, and a description that they cut."""
    field = fields.get("name")
    name = as_text(field.value).strip() if field is not None and field.value is not None else ""
    if field is not None and name:
        folder = document.name.rpartition("/")[2]
        if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
            message = f"the name {name[:_LONGEST_NAME]!r} is none that every tool takes; here the skill is {folder!r}"
            report(finding.make("skill-limits", field.position, message, length=field.length))
        elif name != folder:
            message = f"the name {name!r} is not that of its folder, {folder!r}, by which it is called here"
            report(finding.make("skill-limits", field.position, message, length=field.length))
    about = fields.get("description")
    length = len(as_text(about.value)) if about is not None and about.value is not None else 0
    if about is not None and length > _LONGEST_DESCRIPTION:
        message = f"the description has {length:,} characters; many tools take {_LONGEST_DESCRIPTION:,}"
        report(finding.make("skill-limits", about.position, message))
