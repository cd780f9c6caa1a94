"""What a setting takes: checks values, reads them from a text, and says what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xcsh.model.settings import BY_KEY, Setting
from xcsh.nearest import nearest
from xcsh.parsing.values import as_text, elements, mapping, type_name

_LARGEST = 2**63 - 1
"""The largest integer that every reader of TOML takes."""
_LONGEST_SHOWN = 60
_LONGEST_DIGITS = 40
_FAR = 0.6
_BOOLS = {"true": True, "1": True, "false": False, "0": False}


def accept(setting: Setting, value: object) -> object | None:
    """The value as the setting holds it (lists as tuples); None for one that it cannot take."""
    if isinstance(setting.default, tuple):
        listed = list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else elements(value)
        return None if listed is None or not all(isinstance(element, str) for element in listed) else tuple(listed)
    if type(value) is not type(setting.default) or (setting.choices and value not in setting.choices):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and not setting.least <= value <= _LARGEST:
        return None
    return value


def from_text(setting: Setting, text: str) -> object | None:
    """A value as a variable or a flag gives it; lists are split at commas outside parentheses. None: not taken."""
    if isinstance(setting.default, tuple):
        return _toml_list(text) or split_list(text)
    word = text.strip()
    if isinstance(setting.default, bool):
        return _BOOLS.get(word.lower())
    if isinstance(setting.default, int):
        digits = word.replace("_", "").removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(word) <= _LONGEST_DIGITS):
            return None
        try:
            return accept(setting, int(word))
        except ValueError:  # underscores where Python has none
            return None
    return accept(setting, word)


def _toml_list(text: str) -> tuple[str, ...]:
    """The elements of a list as the files have it, `["a", "b"]`; none where the text is no such list."""
    if not text.strip().startswith("["):
        return ()
    import tomllib  # noqa: PLC0415 - few lists are given so

    try:
        value: object = tomllib.loads(f"list = {text.strip()}")["list"]
    except ValueError:
        return ()
    elements = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(str(each) for each in elements) if all(isinstance(each, str) for each in elements) else ()


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a setting that holds a list; none for any other."""
    return cast("tuple[str, ...]", value) if isinstance(value, tuple) else ()


def split_list(text: str) -> tuple[str, ...]:
    """The elements of a list at its commas, but for those in parentheses: `shell(a,b),c` has two. Empty ones go."""
    found: list[str] = []
    start = depth = 0
    for at, character in enumerate(text):
        if character == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
        else:
            depth = max(0, depth + (character == "(") - (character == ")"))
    found.append(text[start:])
    return tuple(element for element in map(str.strip, found) if element)


def kind_of(setting: Setting) -> str:
    """What a setting takes, in the words of a message."""
    if setting.choices:
        return " or ".join(f'"{choice}"' for choice in setting.choices)
    if isinstance(setting.default, tuple):
        return "a list of texts"
    if type(setting.default) is int:
        return f"a {'positive number' if setting.least else 'number from 0 on'} of 64 bits"
    return type_name(setting.default)


def refusal_of(setting: Setting, value: object, name: str = "") -> str:
    """What is wrong with a value that a setting does not take; `name` is how the caller calls the setting."""
    return f"`{name or setting.key}` takes {kind_of(setting)}, not {shown(value)}"


def shown(value: object) -> str:
    """A value as a message shows it: as TOML writes the simple ones, and no more of it than fits on a line."""
    try:
        return cut(repr(value) if isinstance(value, str) else as_text(value))
    except ValueError:
        return "a number of thousands of digits"


def cut(text: str, longest: int = _LONGEST_SHOWN) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def unknown(key: str, value: object = None) -> str:
    """What is wrong with a key that is none: a table that is no table, or a name, with the nearest one."""
    inside = next((known for known in BY_KEY if known.startswith(f"{key}.")), "")
    if inside and mapping(value) is None:
        return f"`{cut(key)}` is a table of settings, such as `{inside}`, not {shown(value)}"
    near = nearest_settings(key)
    return f"unknown setting `{cut(key)}`" + (f"; did you mean `{near[0]}`?" if near else "")


def nearest_settings(key: str, names: Iterable[str] = (), *, most: int = 1, alike: float = _FAR) -> list[str]:
    """The settings, or `names`, most like a key, the nearest first; one that only lacks its table is the nearest."""
    known = list(names) or list(BY_KEY)
    wanted = key[: 2 * _LONGEST_SHOWN]
    leaf = wanted.rpartition(".")[2].lower()
    same = [name for name in known if name.rpartition(".")[2] == leaf]
    closest = nearest(wanted, same, most=most, alike=0.0) + nearest(wanted, known, most=most, alike=alike)
    return list(dict.fromkeys(closest))[:most]
