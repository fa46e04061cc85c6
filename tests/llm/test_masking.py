"""A key is masked in its usual forms, an innocent text stays as it is, neither takes long."""

import pytest

from evaluators.llm.masking import Masker, secrets_in
from tests.echoes import FORMS, traces
from tests.hostile import processor_seconds

KEYS = (
    "MARKEDKEY-7f3a9c1e5b2d4860aabbccdd",
    "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",
    "sk-proj-a8_Kx2-Qm7Rt_4Wz9Yb-1Nc6Vd3Hf_5Jg0Ls8Pu",
    "550e8400-e29b-41d4-a716-446655440000",
)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_masked_in_its_usual_forms_and_what_stands_around_it_stays(key):
    masked = Masker(key)
    for form, made in FORMS.items():
        text = masked(f"之前: {made(key)} ; 后。")
        assert traces(text.encode(), key) == set(), form
        assert "***" in text
        assert text.startswith("之前: ")
        assert text.endswith(" ; 后。")


@pytest.mark.parametrize("key", KEYS)
def test_twelve_characters_of_a_key_are_masked_wherever_they_begin(key):
    masked = Masker(key)
    for at in range(len(key) - 11):
        assert masked(f"<{key[at : at + 12]}>") == "<***>"
        assert masked(f"<{key[at : at + 11]}>") != "<***>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The tower is 330 metres tall; 7f3a9c is a colour, 4860 a number.",
        "A key such as gsk_... or MARKEDKEY is meant, and 100 % of it.",
        "\\n".join(
            ["Zeile mit \\u00e9 und 50%", "两个句子都有依据。", "C:\\new\\table &#8364; \u200b"]
        ),
        '{"reason": "1a says so.", "verdict": "yes"}',
    ],
)
def test_an_innocent_text_stays_as_it_is(text):
    assert Masker(*KEYS)(text) == text


@pytest.mark.parametrize("key", ["", "x", "none", "EMPTY", "ollama", "sk-1234"])
def test_a_key_of_fewer_than_eight_characters_is_no_secret(key):
    text = "None of the examples is empty; ollama and sk-1234 are names. x"
    assert Masker(key)(text) == text


@pytest.mark.parametrize(
    ("key", "text", "masked"),
    [
        ("pass-word-1!", "403 for pass-word-1!", "403 for ***"),
        ("pass-word-1!", "PASS-WORD-1! cGFzcy13b3JkLTEh pass%2Dword%2D1%21", "*** *** ***"),
        ("pass-word-1!", "A pass word, 1 of two.", "A pass word, 1 of two."),
        ("lm-studio", "LM Studio says lm-studio.", "LM Studio says ***."),
        ("sk-no-key-required", "There is no key required.", "There is no key required."),
        ("abc/def/ghij", r'"abc\/def\/ghij" abc%2fdef%2Fghij', '"***" ***'),
        ("abcdef-ghij", "100%abcdef-ghij", "100%***"),
        ("pässword", "Pässword p%C3%A4ssword cMOkc3N3b3Jk", "*** *** ***"),
    ],
)
def test_a_key_of_words_is_masked_only_whole(key, text, masked):
    assert Masker(key)(text) == masked


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("http://localhost:11434/v1", []),
        ("http://user:p%40ss@host/v1?api-key=abc&x=", ["user", "p@ss", "abc"]),
        ("http://[::1", []),
    ],
)
def test_what_of_an_address_is_secret(address, secrets):
    assert secrets_in(address) == secrets


@pytest.mark.parametrize(
    "unit",
    [
        "An ordinary sentence, as models write it, of 12 words or so. ",
        "%41\\u0041",
        f"{KEYS[0]} ",
        KEYS[0][10:19],
        "%4D%41%52%4B%45%44%4B",
        "\\\\",
        "%25",
        "é中",
    ],
)
def test_the_time_grows_with_the_text_and_no_faster(unit):
    masked = Masker(KEYS[0])
    text = (unit * 50_000)[:50_000]
    assert processor_seconds(masked, text, 2.0) < 1.0  # it takes a twentieth of that
