"""A provider: one tool whose files are read, as tables, one for each kind of item."""

from collections.abc import Callable
from typing import NamedTuple

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.source import Source

Reader = Callable[[object], object]
"""Takes a parsed value and returns what the provider keeps of it; None for nothing."""


class RuleFields(NamedTuple):
    """What a provider's row keeps of each field (R-11 to R-14)."""

    globs: Reader
    always_apply: Reader
    description: Reader
    trigger: Reader


class OwnerKeys(NamedTuple):
    """How the owning tool decides when a rule applies (R-62).

    `decide` reads the tool's own `key` and returns an Activation, or None where its value decides nothing; `patterns`
    says that the key holds globs, `pattern_key` which other key does; `values` are those that it knows, for messages.
    `default` is the tool's activation for a file where no key decides, that is none of `decisive`; `bare_default` for
    one without a block.
    """

    key: str | None = None
    decide: Callable[[object], str | None] | None = None
    patterns: bool = False
    values: tuple[str, ...] = ()
    default: str | None = None
    bare_default: str | None = None
    pattern_key: str | None = None
    decisive: tuple[str, ...] = ("alwaysApply", "globs", "description")


class Spelling:
    """In which spellings of its patterns a tool sees patterns."""

    ANY = ""
    LINE = "line"
    """The rest of the line, quotes and all: what is quoted matches nothing, and a list is none."""
    TEXT = "text"
    """One text; a list counts as no key."""
    LIST = "list"
    """A list of texts; a text counts as no key."""
    UNSPLIT = "unsplit"
    """A list, or a text that is one pattern, whatever commas it holds."""


class OwnReading(NamedTuple):
    """What the owning tool reads otherwise than this project does: for `doctor` and `explain` alone, changes nothing.

    `ignored` are endings of files that it does not read. `patterns` is the Spelling of its pattern key that it sees;
    `unseen` says what it does then. `total_bytes`: how much of all such files together `total_by` takes.
    """

    ignored: tuple[str, ...] = ()
    patterns: str = Spelling.ANY
    unseen: str = ""
    total_bytes: int = 0
    total_by: str = ""


NOTHING_OTHERWISE = OwnReading()


class RuleTable(NamedTuple):
    """Where a tool's rules are and how they are read. `fields` is None for a tool that knows no frontmatter.

    `own_keys` are the keys that the tool itself reads, where those of this project are not all of them. `context`
    marks files such as AGENTS.md, which agents often put into the prompt by themselves (R-51). `git_ignored`: the tool
    reads files that git ignores too, since they are somebody's own rules (R-60).

    `name_key`: frontmatter `name` is the rule's name. `late_block`: the tool takes a block behind an introduction too.
    `plugins`: the sources are the folders that Claude Code's registry of plugins names.
    `imports`: a line `@path` stands for that file, from the project or a folder of `homes` in the home.
    `hides_comments`: HTML comments are for people. `own` is how the tool itself reads what is read here as meant.
    """

    sources: tuple[Source, ...]
    fields: RuleFields | None
    owner: OwnerKeys = OwnerKeys()
    own_keys: frozenset[str] = frozenset()
    context: bool = False
    git_ignored: bool = False
    name_key: bool = False
    late_block: bool = False
    plugins: bool = False
    imports: bool = False
    homes: tuple[str, ...] = ()
    hides_comments: bool = False
    own: OwnReading = NOTHING_OTHERWISE


def namespaced(name: str) -> str:
    """The command of a file: its path below the row's folder, without the ending, folders as namespaces (C-40)."""
    return name.replace("/", ":")


class CommandTable(NamedTuple):
    """Where a tool's commands are and how they are read.

    `name_key`: frontmatter `name` overrides the file name (C-7). `plugins`: the sources are the folders that the
    tool's registry of plugins names (C-8). `arguments` is the tool's own argument syntax (C-28); None for that of this
    project. `beyond`: the table is no part of the reference, whatever its provider is (C-40).

    `toml`: the files are TOML with a key `prompt`. `naming` makes the command's name of the file's. `alias` is a second
    name that always works: `{name}` in it is the name, `{path}` the path below the row's folder. `description` is for a
    file that has none, `{file}` in it the file's name. `tools_key`: where the tools stand that the command may use.
    """

    sources: tuple[Source, ...]
    name_key: bool = False
    plugins: bool = False
    arguments: ArgumentSyntax | None = None
    beyond: bool = False
    toml: bool = False
    naming: Callable[[str], str] = namespaced
    alias: str = ""
    description: str = ""
    tools_key: str = "allowed-tools"


class Provider(NamedTuple):
    """A named, prioritised source of items. `reference` marks those of R-10 and C-2.

    `reads` is a sentence for people: what the tool itself does with its rules. `yaml_needs_quotes` says whether
    quoting a pattern or a hint is right for the tool; where it is not, nothing may advise it. `installed` is the
    package that brings it; empty for those of xcsh itself.
    """

    id: str
    title: str
    priority: int
    rules: RuleTable | None = None
    commands: CommandTable | None = None
    prompts: CommandTable | None = None
    skills: CommandTable | None = None
    reference: bool = False
    reads: str = ""
    yaml_needs_quotes: bool = True
    installed: str = ""
