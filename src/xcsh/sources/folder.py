"""Lists one rules folder: its rule files, its sub-folders, and a reason for everything else."""

import os
from typing import NamedTuple

from xcsh.model.source import Level, Source
from xcsh.sources.filesystem import ReadRefusedError, refusal
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import Boundary
from xcsh.sources.places import Place
from xcsh.sources.skips import Skips


class Row(NamedTuple):
    """A row of a provider's table as it is read now: where it looks, and what the settings say."""

    place: Place
    source: Source
    recursive: bool
    beyond: bool
    max_bytes: int
    boundary: Boundary


class SubFolder(NamedTuple):
    """A folder inside a rules folder."""

    name: str
    path: str


class Listing(NamedTuple):
    """Names and paths by name: files with the row's own endings, with endings beyond the reference, and folders."""

    own: list[tuple[str, str]]
    more: list[tuple[str, str]]
    folders: list[SubFolder]


def list_folder(folder: str, row: Row, ignore: IgnoreFiles | None, skips: Skips, *, top: bool) -> Listing:
    """The entries of a folder. `top`: it is the row's own folder, in which a tool may reserve sub-folders."""
    listing = Listing([], [], [])
    entries = _entries(folder, skips)
    checker = ignore.checker(folder) if ignore and entries and row.source.level != Level.NATIVE else None
    for entry in entries:
        name = entry.name
        extension = ending_of(name, row.source)
        known = extension in row.source.extensions
        if name[0] == ".":
            skips.skip(entry.path, "hidden")
        elif not known and _is_folder(entry, skips):
            _add_folder(entry, listing, row, skips, top=top)
        elif extension in row.source.elsewhere:
            continue
        elif not known and not _read_beyond(extension, row):
            skips.skip(
                entry.path, "extension", f"only files that end in {' or '.join(row.source.extensions)} are read here"
            )
        elif checker and (where := checker(name)):
            skips.skip(entry.path, "git-ignored", where)
        elif entry.is_symlink() and (outside := row.boundary.outside(entry.path)) is not None:
            skips.refuse_link(entry.path, outside)
        else:
            (listing.own if known else listing.more).append((name, entry.path))
    _report_case(listing, skips)
    return listing


def ending_of(name: str, source: Source) -> str:
    """What a file's name ends in: an ending of the row with several dots, `.prompt.md`, else all from the last dot."""
    for ending in source.extensions:
        if name.endswith(ending) and ending.count(".") > 1:
            return ending
    return name[name.rfind(".") :] if "." in name else ""


def _is_folder(entry: os.DirEntry[str], skips: Skips) -> bool:
    """Whether an entry is a folder or leads to one; a link that cannot be followed is none."""
    try:
        return entry.is_dir()
    except OSError as error:
        skips.refuse(entry.path, refusal(error))
        return False


def _entries(folder: str, skips: Skips) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        if os.path.islink(folder):
            skips.refuse(folder, ReadRefusedError("dangling-link", "dangling-link", "the link leads nowhere"))
    except NotADirectoryError:
        if os.path.lexists(folder):
            skips.refuse(folder, ReadRefusedError("not-a-file", "not-a-file", "a folder is expected here"))
    except OSError as error:
        problem = refusal(error)
        code = "dangling-link" if problem.reason == "dangling-link" else "unreadable-folder"
        skips.refuse(folder, ReadRefusedError(problem.reason, code, problem.message.replace("read", "listed")))
    return []


def _add_folder(entry: os.DirEntry[str], listing: Listing, row: Row, skips: Skips, *, top: bool) -> None:
    if top and entry.name in row.source.reserved:
        skips.skip(entry.path, "reserved", f"{skips.title} keeps it for something else")
    elif entry.is_symlink() and (outside := row.boundary.outside(entry.path)) is not None:
        skips.refuse_link(entry.path, outside)
    else:
        listing.folders.append(SubFolder(entry.name, entry.path))


def _read_beyond(extension: str, row: Row) -> bool:
    """Endings that the tool reads and the reference does not, and other cases of the endings that it does."""
    return row.beyond and extension.lower() in (*row.source.extensions, *row.source.more_extensions)


def _report_case(listing: Listing, skips: Skips) -> None:
    seen: dict[str, str] = {}
    for name, path in (*listing.own, *listing.more):
        other = seen.setdefault(name.lower(), name)
        if other != name:
            message = f"{name!r} and {other!r} differ in case only; some file systems keep only one of them"
            skips.report(skips.finding(path).make("case-collision", None, message))
