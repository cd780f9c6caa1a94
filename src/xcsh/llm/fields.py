"""Takes a JSON object's fields one by one; whatever is wrong or left over is a UsageError that names its place."""

from __future__ import annotations

import json
from typing import Self, cast

from xcsh.errors import UsageError


class Fields:
    """The fields of one object. `place` is path:line; `hint` goes along with every fault."""

    def __init__(self, value: object, place: str, hint: str) -> None:
        self.place = place
        self._hint = hint
        if not isinstance(value, dict):
            raise self.fault(f"a JSON object is needed, not {_shown(value)}")
        self._left = dict(cast("dict[str, object]", value))

    @classmethod
    def parse(cls, text: str, place: str, hint: str) -> Self:
        """From one line of JSON text."""
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError) as error:
            where = f", column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            raise UsageError(f"{place}: no JSON{where}: {what}", hint) from None
        return cls(value, place, hint)

    def fault(self, what: str) -> UsageError:
        """The error for `what` is wrong here."""
        return UsageError(f"{self.place}: {what}", self._hint)

    def has(self, key: str) -> bool:
        """Whether the field is there and was not taken yet."""
        return key in self._left

    def is_list(self, key: str) -> bool:
        """Whether the field is there and holds a list."""
        return isinstance(self._left.get(key), list)

    def take(self, key: str) -> object:
        """The value as it stands; None for a field that is not there."""
        return self._left.pop(key, None)

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        value = self._left.pop(key, default)
        if not isinstance(value, str):
            raise self.fault(f'"{key}" must be a text, not {_shown(value)}')
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one text for a list of one."""
        value: object = self._left.pop(key, [])
        values = cast("list[object]", value) if isinstance(value, list) else [value]
        texts = tuple(item for item in values if isinstance(item, str))
        if len(texts) != len(values):
            raise self.fault(f'"{key}" must be a text or a list of texts, not {_shown(values)}')
        return texts

    def seconds(self, key: str) -> float:
        """A number that is not negative."""
        value = self._left.pop(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LONGEST:
            raise self.fault(f'"{key}" must be a number of seconds, not {_shown(value)}')
        return float(value)

    def count(self, key: str, default: int | None = None) -> int | None:
        """A whole number above zero."""
        value = self._left.pop(key, default)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise self.fault(f'"{key}" must be a whole number above 0, not {_shown(value)}')
        return value

    def object(self, key: str) -> Fields:
        """The fields of an object inside; none where it is not there."""
        return Fields(self._left.pop(key, {}), self.place, self._hint)

    def objects(self, key: str) -> list[Fields]:
        """The fields of each object of a list with at least one."""
        value: object = self._left.pop(key, None)
        items = cast("list[object]", value) if isinstance(value, list) else []
        if not items:
            raise self.fault(f'"{key}" must be a list of objects with at least one')
        return [Fields(item, self.place, self._hint) for item in items]

    def nothing_else(self, known: str) -> None:
        """Raises where a field was not taken: it would silently do nothing."""
        if self._left:
            raise self.fault(f'unknown field "{next(iter(self._left))}"; known here: {known}')


_LONGEST = 3600.0


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004 - one line of a terminal
