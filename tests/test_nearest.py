from __future__ import annotations

import subprocess
import sys

from xcsh.nearest import did_you_mean, nearest


def test_the_most_alike_come_first_and_case_does_not_count() -> None:
    names = ["reviews", "Review", "deploy", "review", "review"]
    assert nearest("REVEIW", names, most=3) == ["Review", "review", "reviews"]
    assert nearest("reviews", names) == ["reviews"]
    assert nearest("zzzz", names, most=3) == nearest("", names) == []
    assert nearest("depoly", names, alike=0.9) == []


def test_what_was_meant_is_asked_and_where_nothing_is_near_there_is_something_else_to_say() -> None:
    assert did_you_mean(["one", "two"], "see: all") == "did you mean one, two?"
    assert did_you_mean([], "see: all") == "see: all"


# U-4: a light verb pays for a suggestion only where one is made
def test_the_comparison_is_loaded_where_a_name_is_looked_for() -> None:
    code = (
        "import sys; from xcsh.nearest import nearest; assert 'difflib' not in sys.modules; "
        "nearest('a', ['b']); assert 'difflib' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
