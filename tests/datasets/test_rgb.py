"""Test beds: which documents a prompt takes, how noisy it really is, and that a seed gives the same
prompts again.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.datasets.mapping import load
from evaluators.datasets.rgb import BedRow, TestBed, compose, recorded_answer, with_ability
from evaluators.records import Ability, DocumentRole, RGBTask, Sample


def row(positives=5, negatives=5, row_id="1", **fields):
    texts = {
        "positive": tuple(f"p{number}" for number in range(positives)),
        "negative": tuple(f"n{number}" for number in range(negatives)),
    }
    return BedRow(id=row_id, query="Which?", answer="a", **(texts | fields))


INTEGRATION = row(positive=(("a0", "a1", "a2"), ("b0",), ("c0", "c1")), negatives=9)
COUNTERFACTUAL = row(positives=3, positive_wrong=("w0", "w1", "w2"), fakeanswer="b")
MIXED = (row(row_id="1"), row(9, 9, "2"), INTEGRATION, COUNTERFACTUAL)


def samples(rows, ability, noise=0.0, passages=5, **options):
    return compose(
        TestBed(name="bed", rows=tuple(rows)), [ability], (noise,), passages, **options
    ).samples


def documents(bed_row, ability=Ability.NOISE, noise=0.0, passages=5, **options):
    return samples([bed_row], ability, noise, passages, **options)[0].retrieved_documents


def counted(texts):
    """How many documents of each kind, by the first letter: p positive, n negative, w wrong."""
    return {
        kind: sum(text.startswith(kind) for text in texts)
        for kind in sorted({text[0] for text in texts})
    }


@pytest.mark.parametrize(
    ("noise", "passages", "positives", "negatives", "taken"),
    [
        (0.0, 5, 9, 9, {"p": 5}),
        (0.2, 5, 9, 9, {"p": 4, "n": 1}),
        (0.4, 5, 9, 9, {"p": 3, "n": 2}),
        (0.6, 5, 9, 9, {"p": 2, "n": 3}),
        (0.8, 5, 9, 9, {"p": 1, "n": 4}),
        (1.0, 5, 9, 9, {"n": 5}),
        # ceil(5 * 0.5) = 3 and ceil(3 * 0.2) = 1: negatives are rounded up
        (0.5, 5, 9, 9, {"p": 2, "n": 3}),
        (0.2, 3, 9, 9, {"p": 2, "n": 1}),
        (0.07, 100, 99, 99, {"p": 93, "n": 7}),  # 0.07 * 100 is 7.000000000000001, and that is 7
        (0.2, 1, 9, 9, {"n": 1}),
        # where one kind runs out, the other fills up
        (0.0, 5, 3, 9, {"p": 3, "n": 2}),
        (0.8, 5, 9, 1, {"p": 4, "n": 1}),
        (0.4, 5, 1, 1, {"p": 1, "n": 1}),
        (0.4, 5, 0, 9, {"n": 5}),
        (0.4, 5, 9, 0, {"p": 5}),
        (1.0, 5, 9, 2, {"n": 2}),  # but never at noise 1: it asks for negatives only
        (0.4, 5, 0, 0, {}),
    ],
)
def test_a_prompt_takes_so_many_of_each_kind(noise, passages, positives, negatives, taken):
    assert counted(documents(row(positives, negatives), noise=noise, passages=passages)) == taken


@pytest.mark.parametrize(
    ("bed_row", "ability", "noise", "role_of"),
    [
        (row(9, 9), Ability.NOISE, 0.4, {"p": DocumentRole.ANSWER, "n": DocumentRole.BESIDE}),
        (row(9, 9), Ability.REJECTION, 1.0, {"n": DocumentRole.BESIDE}),
        (
            INTEGRATION,
            Ability.INTEGRATION,
            0.4,
            {
                "a": DocumentRole.ANSWER,
                "b": DocumentRole.ANSWER,
                "c": DocumentRole.ANSWER,
                "n": DocumentRole.BESIDE,
            },
        ),
        (
            COUNTERFACTUAL,
            Ability.COUNTERFACTUAL,
            0.0,
            {"w": DocumentRole.PLANTED, "n": DocumentRole.BESIDE},
        ),
    ],
)
def test_a_prompt_keeps_what_each_document_is_for(bed_row, ability, noise, role_of):
    (sample,) = samples([bed_row], ability, noise, fill_up=True)
    assert len(sample.retrieved_documents) == 5
    assert sample.roles == tuple(role_of[text[0]] for text in sample.retrieved_documents)


def test_a_recorded_answer_knows_no_roles():
    recorded = {"id": 1, "query": "Who?", "ans": "a", "prediction": "b", "docs": ["d"]}
    assert recorded_answer(recorded).roles == ()


def test_the_first_documents_of_each_kind_are_taken():
    assert set(documents(row(9, 9), noise=0.4)) == {"p0", "p1", "p2", "n0", "n1"}


@pytest.mark.parametrize(
    ("noise", "passages", "taken"),
    [
        (0.0, 5, {"a": 2, "b": 1, "c": 2}),
        (0.0, 9, {"a": 3, "b": 1, "c": 2, "n": 3}),
        (0.2, 5, {"a": 2, "b": 1, "c": 1, "n": 1}),
        (0.4, 5, {"a": 1, "b": 1, "c": 1, "n": 2}),
        # one document of each sub-question is always there
        (0.6, 5, {"a": 1, "b": 1, "c": 1, "n": 2}),
        (0.8, 5, {"a": 1, "b": 1, "c": 1, "n": 2}),
        (1.0, 5, {"a": 1, "b": 1, "c": 1, "n": 2}),
        (0.0, 2, {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_integration_takes_one_document_of_each_question_in_turn(noise, passages, taken):
    assert counted(documents(INTEGRATION, Ability.INTEGRATION, noise, passages)) == taken


@pytest.mark.parametrize(("passages", "taken"), [(2, {"w": 2}), (3, {"w": 3}), (5, {"w": 3})])
def test_counterfactual_takes_documents_with_the_error_planted(passages, taken):
    assert counted(documents(COUNTERFACTUAL, Ability.COUNTERFACTUAL, passages=passages)) == taken


def test_counterfactual_names_the_planted_answer():
    planted, plain = (
        samples([COUNTERFACTUAL], Ability.COUNTERFACTUAL),
        samples([row()], Ability.NOISE),
    )

    assert planted[0].rgb.counterfactual == "b"
    assert plain[0].rgb.counterfactual is None


def test_rejection_takes_only_negatives_whatever_noise_is_asked():
    (sample,) = samples([row(9, 4)], Ability.REJECTION, noise=0.2)

    assert counted(sample.retrieved_documents) == {"n": 4}
    assert (sample.rgb.noise, sample.rgb.effective_noise) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("noise", "positives", "negatives", "effective"),
    [(0.4, 9, 9, 0.4), (0.0, 3, 9, 0.4), (0.8, 9, 1, 0.2), (0.5, 9, 9, 0.6), (0.4, 0, 0, None)],
)
def test_effective_noise_is_the_share_of_negatives_in_the_prompt(
    noise, positives, negatives, effective
):
    (sample,) = samples([row(positives, negatives)], Ability.NOISE, noise)

    assert (sample.rgb.noise, sample.rgb.effective_noise) == (noise, effective)


@pytest.mark.parametrize(
    ("bed_row", "abilities"),
    [
        (row(), (Ability.NOISE, Ability.REJECTION)),
        (row(positives=0), (Ability.NOISE, Ability.REJECTION)),
        (INTEGRATION, (Ability.INTEGRATION,)),
        (COUNTERFACTUAL, (Ability.COUNTERFACTUAL,)),
    ],
)
def test_a_row_tells_which_abilities_it_can_test(bed_row, abilities):
    assert bed_row.abilities == abilities
    assert TestBed(name="bed", rows=(bed_row,)).abilities == abilities


def test_every_ability_is_asked_at_the_noise_levels_that_it_knows():
    asked = compose(TestBed(name="bed", rows=MIXED), list(Ability), (0.0, 0.4)).samples

    levels = {
        ability: [s.rgb.noise for s in asked if s.rgb.ability is ability] for ability in Ability
    }
    assert levels == {
        Ability.NOISE: [0.0, 0.4, 0.0, 0.4],
        Ability.REJECTION: [1.0, 1.0],
        Ability.INTEGRATION: [0.0, 0.4],
        Ability.COUNTERFACTUAL: [0.0],
    }


def test_samples_carry_question_answer_and_an_id_of_their_own():
    asked = compose(TestBed(name="bed", rows=MIXED), list(Ability)).samples

    assert len({sample.id for sample in asked}) == len(asked) == 2 * 5 + 2 + 5 + 1
    assert asked[2].id == "noise-1-40"
    assert {(sample.question, sample.ground_truth, sample.response) for sample in asked} == {
        ("Which?", "a", None)
    }


def test_a_part_counts_rows_of_each_ability():
    bed, abilities = TestBed(name="bed", rows=MIXED), [Ability.NOISE, Ability.INTEGRATION]

    parts = [compose(bed, abilities, (0.0,), seed=seed, sample=1).samples for seed in range(9)]

    asked = {tuple(sample.id for sample in part) for part in parts}
    # Of the two rows for noise each is drawn by some seed; integration has only one.
    assert asked == {("noise-1-0", "information-1-0"), ("noise-2-0", "information-1-0")}


def test_the_seed_decides_the_documents_and_their_order():
    bed = TestBed(name="bed", rows=MIXED)

    assert compose(bed, list(Ability), seed=3) == compose(bed, list(Ability), seed=3)
    assert compose(bed, list(Ability), seed=3) != compose(bed, list(Ability), seed=4)


@pytest.mark.parametrize(
    ("ability", "noise"), [(Ability.NOISE, 0.4), (Ability.REJECTION, 1.0)], ids=str
)
def test_another_seed_takes_other_documents_and_seed_0_the_first_ones(ability, noise):
    first = set(documents(row(9, 9), ability, noise, seed=0))
    drawn = {frozenset(documents(row(9, 9), ability, noise, seed=seed)) for seed in range(1, 20)}

    positives = {"p0", "p1", "p2"} if ability is Ability.NOISE else set()
    assert first == positives | {f"n{number}" for number in range(5 - len(positives))}
    assert len(drawn) > 10
    assert documents(row(9, 9), ability, noise, seed=7) == documents(
        row(9, 9), ability, noise, seed=7
    )


def test_the_noise_levels_of_a_seed_share_their_documents():
    at = [set(documents(row(9, 9), noise=noise, seed=3)) for noise in (0.2, 0.4)]

    assert len(at[0] & at[1]) == 4  # one positive gives way to one negative


def test_planted_errors_are_asked_with_forged_documents_alone_unless_filled_up():
    asked = {"ability": Ability.COUNTERFACTUAL}
    assert counted(documents(COUNTERFACTUAL, **asked)) == {"w": 3}
    assert counted(documents(COUNTERFACTUAL, **asked, passages=2)) == {"w": 2}
    (sample,) = samples([COUNTERFACTUAL], **asked)
    assert sample.rgb.effective_noise == 0

    assert counted(documents(COUNTERFACTUAL, **asked, fill_up=True)) == {"n": 2, "w": 3}


def test_integration_and_counterfactual_draw_by_the_seed():
    drawn = {
        frozenset(documents(INTEGRATION, Ability.INTEGRATION, passages=3, seed=seed))
        for seed in range(60)
    }
    wrong = {
        frozenset(documents(COUNTERFACTUAL, Ability.COUNTERFACTUAL, passages=1, seed=seed))
        for seed in range(20)
    }

    assert len(drawn) == 3 * 2  # a0, a1 or a2 with b0 with c0 or c1
    assert len(wrong) == 3


ABILITIES = st.lists(st.sampled_from(Ability), unique=True)
LEVELS = st.lists(st.sampled_from((0.0, 0.2, 0.4, 0.6, 0.8, 1.0)), unique=True)


@given(
    abilities=ABILITIES,
    levels=LEVELS,
    rows=st.permutations(MIXED),
    sample=st.none() | st.integers(0, 4),
)
def test_a_row_gives_the_same_documents_whatever_else_is_composed(abilities, levels, rows, sample):
    everything = compose(
        TestBed(name="bed", rows=MIXED), list(Ability), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), seed=5
    )
    known = {sample.id: sample for sample in everything.samples}

    part = compose(TestBed(name="part", rows=tuple(rows)), abilities, levels, seed=5, sample=sample)

    assert all(sample == known[sample.id] for sample in part.samples)


def test_a_noise_level_given_as_a_whole_number_gives_the_same_documents():
    assert documents(row(9, 9), noise=0) == documents(row(9, 9), noise=0.0)


@given(
    positives=st.integers(0, 8),
    negatives=st.integers(0, 8),
    passages=st.integers(1, 8),
    noise=st.floats(0, 1),
    ability=st.sampled_from((Ability.NOISE, Ability.REJECTION)),
)
def test_a_prompt_never_repeats_a_document_and_never_exceeds_its_passages(
    positives, negatives, passages, noise, ability
):
    (sample,) = samples([row(positives, negatives)], ability, noise, passages)

    texts = sample.retrieved_documents
    assert len(texts) == len(set(texts)) <= passages
    if ability is Ability.NOISE and noise < 1:
        assert len(texts) == min(passages, positives + negatives)


# Recorded answers


@pytest.mark.parametrize(
    ("noise", "answers", "ability"),
    [
        (0.2, [["a", "b"]], Ability.NOISE),
        (0.2, ["a", "b"], Ability.INTEGRATION),
        (1.0, ["a", "b"], Ability.REJECTION),
        (None, "ab", Ability.NOISE),
        (None, None, Ability.NOISE),
    ],
)
def test_the_ability_of_a_recorded_answer_is_guessed(noise, answers, ability):
    sample = recorded_answer(
        {"id": 1, "query": "q", "prediction": "p", "noise_rate": noise, "ans": answers}
    )

    assert (sample.rgb.ability, sample.rgb.noise) == (ability, noise)


def test_another_ability_can_be_chosen():
    composed = samples([row()], Ability.NOISE, 0.4)[0]
    plain = Sample(id="1", question="q")

    assert with_ability(composed, Ability.REJECTION).rgb == RGBTask(
        ability=Ability.REJECTION, noise=0.4, effective_noise=0.4
    )
    assert with_ability(plain, Ability.NOISE).rgb == RGBTask(ability=Ability.NOISE)


# Published figures


def test_published_effective_noise_is_reproduced(check_data):
    bed = load("zh_int.json", (check_data / "rgb" / "zh_int.json").read_bytes())

    asked = compose(bed, [Ability.INTEGRATION]).samples

    means = {
        noise: sum(s.rgb.effective_noise for s in asked if s.rgb.noise == noise) / 100
        for noise in (0.0, 0.2, 0.4, 0.6, 0.8)
    }
    assert {noise: round(mean, 2) for noise, mean in means.items()} == {
        0.0: 0.01,
        0.2: 0.19,
        0.4: 0.38,
        0.6: 0.56,
        0.8: 0.56,
    }


def test_the_partial_english_bed_is_composed_as_far_as_its_negatives_go(check_data):
    bed = load("en.jsonl", (check_data / "rgb" / "en_refine_partial.jsonl").read_bytes())

    asked = compose(bed, [Ability.NOISE, Ability.REJECTION], (0.8,)).samples

    noise = [round(sample.rgb.effective_noise, 9) for sample in asked]
    assert {level: noise.count(level) for level in noise} == {
        0.8: 299,
        0.6: 1,
        1.0: 300,
    }  # row 271 has 3 negatives
