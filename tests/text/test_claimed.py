"""What of an answer claims something: marks of layout and words to the reader do not, and no real
claim passes for one of them.
"""

import pytest

from evaluators.text.claimed import claimed
from evaluators.text.sentences import split_sentences

BEFORE, AFTER = "The tower stands in Paris.", "Many people visit it every day."
SOURCE, HEADING = "it names a source", "it is a heading"
HEAD, TO_READER = "it is the head of a table", "it speaks to the reader"


def compared(answer):
    """What is compared of each sentence, or why nothing is."""
    claims = claimed(split_sentences(answer))
    return [claim.why_nothing or " ".join(claim.text.split()) for claim in claims]


@pytest.mark.parametrize(
    "mark",
    [
        "[1]",
        "[1, 2]",
        "[1-3]",
        "[2][3]",
        "[^1]",
        "[^note]",
        "【1】",
        "【4:0†handbook.pdf】",
        "[1](#c1)",
        "(Doc 3)",
        "(Documents 1 and 2)",
        "[doc1]",
        "[Doc 2, p. 14]",
        "[0a, 1b]",
        "[S. 12]",
        "(p. 12)",
        "(Source: handbook.pdf, p. 3)",
        "[handbook.pdf]",
        "(see Section 4.2)",
        "(Quelle: Handbuch)",
        "[citation:2]",
        "[source](https://example.com/a)",
        "¹",
        "¹,²",
        "<sup>1</sup>",
        "（来源：手册）",
    ],
)
def test_a_citation_mark_is_not_compared(mark):
    (text,) = compared(
        f"The tower is 330 metres tall {mark}.".replace(" ¹", "¹").replace(" <", "<")
    )
    assert text.replace(" ", "").removesuffix(".").startswith("Thetoweris330metrestall")
    assert not set("123") & set(text.removeprefix("The tower is 330"))
    assert "andbu" not in text
    assert "andbook" not in text


@pytest.mark.parametrize(
    "answer",
    [
        "The result is [1, 2, 3].",
        "It covers 5 km² and 10⁶ people.",
        "It costs 20 dollars (source: 30 dollars in May).",
        "It lasts 20 hours [Doc 2: the price is 30 dollars].",
        "The answer is: 42.",
        "42.",
        "[1]",
        "**Paris**",
        "# Paris",
        "Version 3.1. Next came 3.2.",
        "It was 7 (the last) of them.",
        "snake_case and 2 * 3 and __init__.py",
    ],
)
def test_what_could_be_a_value_is_compared(answer):
    assert "".join(compared(answer)).replace(" ", "") == (
        answer.replace(" ", "").replace("**", "").replace("__", "")
    )


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            "It has parts:\n1. The _lid_.\n2. A **big** box.",
            ["It has parts:", "The lid.", "A big box."],
        ),
        ("1. Paris\n2. Rome", ["Paris", "Rome"]),
        ("Step 1: Open the lid.\nStep 2: Close the lid.", ["Open the lid.", "Close the lid."]),
        ("Do this: 1) open it, 2) close it and 3) wait.", ["Do this: open it, close it and wait."]),
        ("42. That is the number.", ["42. That is the number."]),
        ("**Battery Life**: It lasts 20 hours.", ["battery life: It lasts 20 hours."]),
        ("**Short Answer:** It lasts 20 hours.", ["It lasts 20 hours."]),
    ],
)
def test_a_list_number_and_emphasis_are_not_compared(answer, claims):
    assert compared(answer) == claims


@pytest.mark.parametrize(
    "heading",
    [
        "## Battery Life",
        "**Battery Life**",
        "### 1. Overview",
        "**Key Features:**",
        "__Summary__",
        "## What is a battery?",
        "# How It Works",
        "## 电池",
    ],
)
def test_a_heading_claims_nothing(heading):
    assert compared(f"{BEFORE}\n\n{heading}\n{AFTER}") == [BEFORE, HEADING, AFTER]
    # And what is short below it is a sentence of its own.
    assert compared(f"{heading}\n20 hours") == [HEADING, "20 hours"]


@pytest.mark.parametrize(
    "heading",
    [
        "## Revenue fell 30 %",
        "## Revenue Fell by a Third",
        "**Price: 20 dollars**",
        "## Capital: Berlin",
        "## The tower was moved",
        "**It is in Berlin.**",
        "## Results of 2023",
    ],
)
def test_a_heading_with_a_verb_or_a_number_claims_something(heading):
    assert HEADING not in compared(f"{BEFORE}\n\n{heading}\n{AFTER}")


def test_bold_items_of_a_list_and_a_bold_answer_claim_something():
    assert compared(f"The capitals are:\n1. **Rome**\n2. **Berlin**\n{AFTER}")[1:3] == [
        "Rome",
        "Berlin",
    ]
    assert compared("**Berlin**\nIt is the capital of France.")[0] == "Berlin"


@pytest.mark.parametrize("rule", ["|---|---|", "| --- | :---: |", "|:--|--:|"])
def test_the_head_of_a_table_claims_nothing_and_its_rows_do(rule):
    table = f"| Model | Hours |\n{rule}\n| Falcon | 20 |\n|Hawk|30|"
    assert compared(table) == [HEAD, "| Falcon | 20 |", "|Hawk|30|"]
    assert HEAD not in compared(f"| Price | 20 dollars |\n{rule}\n| Weight | 3 kg |")


@pytest.mark.parametrize(
    "line",
    [
        "Source: handbook.pdf",
        "Source: handbook.pdf, p. 3",
        "**Sources:** [1], [2]",
        "Sources: Wikipedia",
        "[^1]: handbook.pdf, page 12",
        "[1] Employee Handbook, section 4.2",
        "¹ handbook.pdf, p. 3",
        "Quelle: Handbuch, S. 3",
        "来源：员工手册.pdf，第3页",
        "Reference: https://example.com/a?b=1",
        "Source: Travel Guide, 2019 edition",
    ],
)
def test_a_source_line_claims_nothing(line):
    assert compared(f"{BEFORE}\n\n{line}") == [BEFORE, SOURCE]


def test_a_list_of_sources_claims_nothing_and_ends_where_something_is_said():
    sources = "## References\n1. Smith, J. (2019). Battery life of falcons. Nature 12(3), 45-67.\n2. a.pdf"
    first, *listed, last = compared(f"{BEFORE}\n{sources}\n\nThe battery lasts 20 hours.")
    assert (first, set(listed), last) == (BEFORE, {SOURCE}, "The battery lasts 20 hours.")


@pytest.mark.parametrize(
    "line",
    [
        "Source: The handbook says that the battery lasts.",
        "Source: 20 hours of battery",
        "来源：电池可用30小时",
        "Sources say that it lasts for long.",
        "Quelle: Der Akku hält lange",
    ],
)
def test_a_source_line_that_says_something_is_compared(line):
    assert SOURCE not in compared(f"{BEFORE}\n\n{line}")


@pytest.mark.parametrize(
    "words",
    [
        "Let me know if you need anything else!",
        "I hope this helps.",
        "Feel free to ask.",
        "Hope that helps! 😊",
        "Sure! Here is the answer:",
        "Is there anything else I can help you with?",
        "Happy to help!",
        "Please don't hesitate to reach out should you require further clarification.",
        "Would you like me to go into more detail on any of these points?",
        "You're welcome!",
        "Let me know if you have any other questions about the Falcon's battery!",
        "If you'd like, I can also summarize the warranty terms.",
        "Thank you for your question.",
        "Sure, here are the key points from the provided documents:",
        "Here are 5 tips for the road:",
        "Ich hoffe, das hilft Ihnen weiter!",
        "Bei weiteren Fragen stehe ich Ihnen gerne zur Verfügung.",
        "Natürlich! Hier ist die Antwort auf Ihre Frage:",
        "Kann ich Ihnen sonst noch behilflich sein?",
        "Lass mich wissen, ob du noch Fragen hast!",
        "Gern geschehen!",
        "希望以上信息对您有所帮助！",
        "如果您还有其他问题，请随时告诉我。",
        "当然！以下是答案：",
        "还有什么我可以帮您的吗？",
    ],
)
def test_words_to_the_reader_claim_nothing(words):
    assert set(compared(f"{BEFORE}\n\n{words}")[1:]) <= {TO_READER}
    assert compared(f"Paris\n{words}")[0] == "Paris"
    assert BEFORE in compared(f"{words}\n\n{BEFORE}")[-1]


@pytest.mark.parametrize(
    "claim",
    [
        "Let me know whether the plan of 3 May costs 20 dollars.",
        "Feel free to call 0800 123 for support.",
        "Let me know that the tower stands in Berlin.",
        "I hope this helps, as the warranty lasts two years.",
        "I hope the tower stands in Berlin.",
        "Thanks to the flood, the bridge closed.",
        "Here is the tower that Eiffel built.",
        "Would you believe that the tower stands in Berlin?",
        "If you like, the hotel provides breakfast.",
        "The staff is happy to help guests with luggage.",
        "Guests are welcome to ask for a late checkout.",
        "Certainly Berlin.",
        "Is the tower in Berlin?",
        "Questions about refunds are answered within two weeks.",
        "Please contact the desk in Berlin.",
        "Ich hoffe, der Turm steht in Berlin.",
        "希望学校为山区学生提供帮助。",
        "希望您知道价格是20元。",
    ],
)
def test_a_claim_that_begins_like_words_to_the_reader_is_compared(claim):
    assert " ".join(compared(f"{BEFORE} {claim}")).replace(" ", "") == (BEFORE + claim).replace(
        " ", ""
    )


def test_an_answer_without_any_mark_is_compared_as_it_stands():
    sentences = ["The tower stands in Paris.", "It was finished in 1889, and is 330 metres tall."]
    assert [claim.text for claim in claimed(sentences)] == sentences
