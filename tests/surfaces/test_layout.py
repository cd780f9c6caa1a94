"""Texts cut and filled for terminals."""

from __future__ import annotations

import pytest

from xcsh.surfaces import layout
from xcsh.surfaces.layout import columns, fit, fit_path


@pytest.mark.parametrize("text", ["abc", "ééé", "中文字", "e\u0301e\u0301", "a中b文", ""])
@pytest.mark.parametrize("width", range(1, 9))
def test_a_fitted_text_takes_exactly_its_columns(text: str, width: int) -> None:
    for fitted in (fit(text, width), fit_path(text, width)):
        assert columns(fitted) == width


def test_a_text_is_cut_at_its_end_and_a_path_at_its_front() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit_path("abcdef", 4) == "…def"
    assert fit("中文字", 4) == "中… "
    assert fit_path("中文字", 4) == "…字 "
    assert fit("e\u0301" * 5, 3) == "e\u0301" * 2 + "…"
    assert fit("abc", 0) == "…"


# time and memory grow with the input, whatever the input
def test_what_is_cut_away_is_counted_once_and_not_once_for_each_character(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return columns(text)

    monkeypatch.setattr(layout, "columns", counting)
    for cut in (fit, fit_path):
        counted.clear()
        assert columns(cut("é" * 20_000, 40)) == 40
        assert sum(counted) < 2 * 20_000
