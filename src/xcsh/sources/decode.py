"""Bytes to text: encodings recognised, a BOM removed, line ends as LF (R-20, R-24)."""

from __future__ import annotations

from xcsh.model.diagnostic import Position, Report
from xcsh.parsing.finding import Finding
from xcsh.sources.filesystem import ReadRefusedError

_UTF16_SHARE = 0.3
_BOM = b"\xef\xbb\xbf"


def decode(data: bytes, report: Report, finding: Finding) -> str:
    """The text of a file. Raises ReadRefusedError for NUL bytes that no encoding explains."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _utf16(data, "utf-16", report, finding)
    if b"\0" in data:
        return _with_nul(data, report, finding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _end_of(normalize_lines(data[: error.start].decode("utf-8")))
        encoding, name = ("latin-1", "Latin-1") if _undefined(data) else ("cp1252", "Windows-1252")
        report(finding.make("not-utf8", place, f"not UTF-8; read as {name}", length=1))
        text = data.removeprefix(_BOM).decode(encoding)
    return normalize_lines(text)


def normalize_lines(text: str) -> str:
    """The text without a BOM, CRLF and CR read as LF."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _utf16(data: bytes, encoding: str, report: Report, finding: Finding) -> str:
    text = normalize_lines(data.decode(encoding, "replace"))
    if "\0" in text:
        return _refuse(text)
    report(finding.make("not-utf8", Position(1, 1), "UTF-16; other tools may not read it"))
    return text


def _with_nul(data: bytes, report: Report, finding: Finding) -> str:
    """UTF-16 without a mark is a text of whole units that begins with an ASCII letter and is mostly ASCII."""
    odd, even = data[1::2].count(0), data[0::2].count(0)
    half = len(data) // 2
    if len(data) == 2 * half:
        if data[1] == 0 and even == 0 and odd > half * _UTF16_SHARE:
            return _utf16(data, "utf-16-le", report, finding)
        if data[0] == 0 and odd == 0 and even > half * _UTF16_SHARE:
            return _utf16(data, "utf-16-be", report, finding)
    return _refuse(normalize_lines(data.decode("utf-8", "replace")))


def _refuse(text: str) -> str:
    place = _end_of(text[: text.index("\0")])
    raise ReadRefusedError("binary", "binary-content", "it holds a NUL byte and is no text", place)


def _end_of(before: str) -> Position:
    """The place right behind a text whose line ends are LF."""
    return Position(before.count("\n") + 1, len(before) - before.rfind("\n"))


def _undefined(data: bytes) -> bool:
    """Whether the bytes hold one of the five that Windows-1252 does not define."""
    return any(byte in data for byte in (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d"))
