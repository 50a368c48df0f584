"""How code is counted (code_tokens.py), where a slash begins a pattern and where it divides."""

import pytest
from setup.code_tokens import javascript_tokens


@pytest.mark.parametrize(
    ("code", "tokens"),
    [
        ("return /'/.test(a) / b", "return|/'/|.|test|(|a|)|/|b"),
        ("typeof /'/g / 2", "typeof|/'/g|/|2"),
        ("returned / a / b", "returned|/|a|/|b"),
        ("for (const x of /'/y) x", "for|(|const|x|of|/'/y|)|x"),
    ],
)
def test_a_slash_behind_a_word_that_gives_no_value_begins_a_pattern(code: str, tokens: str) -> None:
    assert javascript_tokens(code) == tokens.split("|")
