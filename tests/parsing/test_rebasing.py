"""Patterns written for another folder match the same files as before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcsh.parsing.globs import matching
from xcsh.parsing.rebasing import from_above, from_below

PART = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "?", "[ab]", "{a,b/a}", "{a,b}"])
PATTERN = st.builds(
    lambda lead, parts, tail: lead + "/".join(parts) + tail,
    st.sampled_from(["", "/", "./"]),
    st.lists(PART, min_size=1, max_size=4),
    st.sampled_from(["", "/"]),
)
PATH = st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=4).map("/".join)


# "scoped to their folder"
@given(PATTERN, PATH, PATH)
def test_a_pattern_of_a_folder_below_matches_there_what_it_matched_alone(pattern: str, folder: str, path: str) -> None:
    alone = matching([pattern], path) is not None
    assert (matching(from_above(pattern, folder), f"{folder}/{path}") is not None) == alone


@given(PATTERN, PATH, PATH)
def test_a_pattern_of_a_folder_below_matches_nothing_elsewhere(pattern: str, folder: str, path: str) -> None:
    if not f"{path}/".startswith(f"{folder}/"):
        assert matching(from_above(pattern, folder), path) is None


@given(PATTERN, PATH, PATH)
def test_a_pattern_of_a_folder_above_matches_below_what_it_matched_from_there(
    pattern: str, folder: str, path: str
) -> None:
    above = matching([pattern], f"{folder}/{path}") is not None
    assert (matching(from_below(pattern, folder), path) is not None) == above


@pytest.mark.parametrize("folder", ["[id]", "{x}", "!a", "a*b", "a b", "x,y"])
def test_names_of_folders_stand_for_themselves(folder: str) -> None:
    assert matching(from_above("*.ts", folder), f"{folder}/a.ts")
    assert matching(from_above("**", folder), f"{folder}/b/a.ts")
    assert matching(from_above("*.ts", folder), "other/a.ts") is None


def test_exclusions_stay_exclusions() -> None:
    assert from_above("!src/**", "a") == ("!a/src/**",)
    assert from_below("!a/src/**", "a") == ("!/src/**",)
    assert from_below("web/**", "services/pay") == ("../../web/**",)
