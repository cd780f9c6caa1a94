"""How a tool fills a template with what is typed after a command's name, and what a template may include: as data."""

from typing import NamedTuple


class Whole:
    """What `$ARGUMENTS` is: the text as it was typed, or the arguments joined by one space."""

    TYPED = "typed"
    JOINED = "joined"


class Names:
    """Where the values of `$name` come from: frontmatter lists the names, or the call says `NAME=value`."""

    LISTED = "listed"
    ASSIGNED = "assigned"


class Includes:
    """How a template includes files and the output of commands.

    `MARKS`: `@path`, `` !`command` `` and a code fence that begins with ```` ```! ````. `BRACES`: `@{path}` and
    `!{command}`, whose braces balance.
    """

    MARKS = "marks"
    BRACES = "braces"


class ArgumentSyntax(NamedTuple):
    """One tool's syntax.

    `first` is the number of the first argument in `$N`; None where `$N` is nothing special. `keeps_missing`: a number
    without an argument stays as it stands, else it is empty. `rest`: the highest number in a template takes all that is
    left. `whole` and `names`: see above; None where the tool has no such placeholder. `brackets`: `$ARGUMENTS[N]`,
    counted from 0. `braces`: `{{args}}`. `inputs`: `${input:name:hint}`. `variables`: `${CLAUDE_SKILL_DIR}` and others
    that name folders.

    `escape` is what stands before a placeholder that is none; a backslash goes, a second dollar sign stays.
    `appended` is what follows a template that took no argument; `{raw}` are the arguments as typed, `{name}` the name.
    `exact_end`: it follows the template's very end, whose blank space otherwise goes. `trims`: blank space around the
    whole text goes.
    """

    first: int | None = None
    keeps_missing: bool = False
    rest: bool = False
    whole: str | None = None
    brackets: bool = False
    names: str | None = None
    braces: bool = False
    inputs: bool = False
    variables: bool = False
    escape: str = ""
    appended: str = "\n\n{raw}"
    exact_end: bool = False
    trims: bool = False
    includes: str | None = None


CLAUDE_ARGUMENTS = ArgumentSyntax(
    first=0,
    keeps_missing=True,
    whole=Whole.TYPED,
    brackets=True,
    names=Names.LISTED,
    variables=True,
    escape="\\",
    appended="\n\nARGUMENTS: {raw}",
    includes=Includes.MARKS,
)
"""Claude Code's, which several other tools have taken over."""
