"""The commands of a session to complete to: the built-ins, and what the pipeline answers (C-30)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xcsh.session.offered_commands import offered_commands
from xcsh.tui.built_ins.aliases import aliases_of
from xcsh.tui.built_ins.table import BUILT_INS
from xcsh.tui.input.candidates import Candidate, built_in_candidate, built_in_candidates

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext


def commands_of(context: PromptContext) -> list[Candidate]:
    """Every command that can be called, in the order in which the session asks for one of a name."""
    offered = offered_commands(context, {item.name: item for item in BUILT_INS})
    return [
        *built_in_candidates(),
        *(
            Candidate(f"/{each.name}", each.description, each.source, each.hint, each.takes, each.item)
            for each in offered
        ),
        *(
            built_in_candidate(item)._replace(text=f"/{alias}", summary=f"/{item.name}: {item.summary}")
            for alias, item in aliases_of(context).items()
        ),
    ]
