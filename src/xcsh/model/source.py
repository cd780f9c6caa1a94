"""Where items come from: rows of a provider's table, provenance, and the surroundings of one discovery."""

from typing import NamedTuple


class Level:
    """Whose an item is."""

    USER = "user"
    PROJECT = "project"
    NATIVE = "native"
    ALL = (USER, PROJECT, NATIVE)


class Root:
    """What a row's path is relative to.

    `ANCESTORS` is every folder from the repository root down to cwd (cwd alone outside a repository), nearest last
    over all such rows of a provider; `ABOVE` is the same without cwd. `NESTED` is every folder below cwd (R-60), found
    in one walk for all providers. `PACKAGE` is the folder of this package, `ABSOLUTE` none: the path is whole.
    `NEAREST` is the first folder, walking up from cwd, in which the path exists, and only that one.
    """

    HOME = "home"
    CWD = "cwd"
    ANCESTORS = "ancestors"
    ABOVE = "above"
    NESTED = "nested"
    NEAREST = "nearest"
    PACKAGE = "package"
    ABSOLUTE = "absolute"


class Source(NamedTuple):
    """A row of a provider's table; row order is precedence inside the provider.

    `path` is a folder whose files with one of `extensions` are items, or, with `name`, one file. `more_extensions`
    go beyond the reference: they are read where `discovery.providers` is "all" and rank behind the others.
    `reserved` are sub-folders that the tool keeps for something else, `elsewhere` endings that another part of this
    project reads. With `marker`, every sub-folder that holds a
    file of that name is an item, named like the folder. `plugin` names the plugin whose folder it is, `base` is that
    plugin's whole folder.

    `variable` names an environment variable whose value, where it is set, stands for the first folder of `path`.
    `naming` is how the tool calls what a folder holds: by the path below it without the ending, where it says nothing
    else (Naming). `instead` are paths below the row's root folder that the tool reads in place of this one, where one
    of them is there. `beside` is one without which it is not read. `always`: what lies here applies always, whatever
    its keys say. `limit` is how many characters of a file the tool takes.

    `note` says that the tool itself does not read this place, in words: a finding on every file there.
    """

    root: str
    path: str
    level: str
    extensions: tuple[str, ...] = ()
    name: str | None = None
    more_extensions: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    marker: str | None = None
    plugin: str | None = None
    variable: str | None = None
    note: str = ""
    base: str = ""
    naming: str = ""
    instead: tuple[str, ...] = ()
    beside: str = ""
    always: bool = False
    limit: int = 0


class Naming:
    """How a tool names the items of a folder, where it does not keep the path below that."""

    FILE = "file"
    """The file name without its ending."""
    TWO_PARTS = "two-parts"
    """The file name with its ending, and its folder."""


class Origin(NamedTuple):
    """Where one item came from: provider id and display name, level, absolute path, row of the provider's table."""

    provider: str
    title: str
    level: str
    path: str
    row: int = 0
    plugin: str | None = None
    base: str = ""


FOLDER_VARIABLES = ("CODEX_HOME", "XDG_CONFIG_HOME")
"""Variables by which tools are told to keep their files elsewhere than in the home folder."""


class Given(NamedTuple):
    """Settings that the caller gives beside the files: variables as they stand, and flags, which are checked.

    `variables` are name and text of those that begin with `XCSH_`; `flags` are key and value, the last one strongest.
    `folders` are name and absolute path of FOLDER_VARIABLES that are set.
    """

    variables: tuple[tuple[str, str], ...] = ()
    flags: tuple[tuple[str, object], ...] = ()
    folders: tuple[tuple[str, str], ...] = ()


class Environment(NamedTuple):
    """The surroundings of one discovery, passed in and never looked up. Paths are absolute."""

    cwd: str
    home: str
    repo_root: str | None
    given: Given = Given()


class SourceText(NamedTuple):
    """A file's decoded text, line ends normalised to LF and a BOM removed. `rank` orders items inside a provider."""

    name: str
    text: str
    origin: Origin
    rank: tuple[int, int, str]
    """Row of the table, depth below the row's folder, path relative to it."""
    plain: bool = False
    """Whether the text holds nothing but printable ASCII, tabs and line ends."""
    folder: str = ""
    """The folder below cwd that the item is for, with slashes; empty for one of cwd itself."""
    above: str = ""
    """Where cwd lies below the folder that the item is for, with slashes; empty for one of cwd itself."""


class Skipped(NamedTuple):
    """A file that was found and is no item. `reason` is one of SKIP_REASONS, `detail` says it for this file.

    `text` is that of a file that is held back, for who decides on it.
    """

    path: str
    provider: str
    reason: str
    detail: str = ""
    text: str = ""


QUARANTINED = "quarantined"
SKIP_REASONS = {
    "git-ignored": "a .gitignore pattern matches the file",
    "hidden": "the name starts with a dot",
    "nested": "in a sub-folder, and sub-folders are not read in this mode",
    "extension": "the ending is none that this provider reads",
    "reserved": "the tool keeps this folder for something else",
    "empty": "nothing is left after the frontmatter",
    "duplicate": "the same file, or the same text, is read already",
    "replaced": "the tool reads another file in its place",
    "invalid": "its provider gives it a level that is none",
    "invalid-file": "it is no file of the format that its tool reads",
    "disabled": "switched off in settings",
    "untrusted": "code of a folder that is not trusted; it is not run",
    QUARANTINED: "holds characters that hide or reorder what people read; it is not used until you accept it",
    "failed": "code that could not be loaded",
    "unreadable": "the file or folder could not be read",
    "too-large": "larger than discovery.max_file_bytes",
    "binary": "holds NUL bytes",
    "dangling-link": "a link whose target does not exist, or that loops",
    "outside-project": "a link that leaves the project",
    "not-a-file": "a device, pipe, socket or folder where a file was expected",
}
