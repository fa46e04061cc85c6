"""A classifier on this computer's processor labels: what it says, its windows, and its faults."""

import socket

import pytest

from evaluators import evaluate
from evaluators.errors import DatasetError, ParameterError
from evaluators.flaws.declined import evidence_for
from evaluators.local_evaluator import LocalEvaluator
from evaluators.people.labels import votes_of
from evaluators.records import (
    Cell,
    Dataset,
    Labels,
    Probabilities,
    Sample,
    SentenceSupport,
    Support,
)
from evaluators.trace import local_models
from evaluators.trace.agreement import agreement
from evaluators.trace.labelling import sentences_of
from tests import local_models as written
from tests.hub import REVISION, Hub, Repo

FULL, NONE = Support.FULL, Support.NONE
SAMPLE = Sample(
    id="1",
    question="Who built the bridge?",
    response="Mina built it. It is a lie. The documents do not say more.",
    retrieved_documents=("Mina built the bridge. It is long.", "The bridge opened in 1931."),
)
ROW = SAMPLE.model_dump(include={"id", "question", "response", "retrieved_documents"})


@pytest.fixture
def model(tmp_path):
    """Writes a model into a folder, where what loads it is installed."""
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason="the extra `local` is not installed (torch, transformers)")

    def write(kind="tokens", **more):
        return str(written.write(tmp_path / f"{kind}-model", kind, **more))

    return write


@pytest.fixture
def folder(tmp_path):
    """Writes files into a folder."""

    def write(**files):
        for name, data in files.items():
            (tmp_path / name.replace("__", ".")).write_bytes(data)
        return str(tmp_path)

    return write


def labels_of(model, sample=SAMPLE, **more):
    return LocalEvaluator(model=model, **more).score(sample).evidence.counted.labels


def supports(labels):
    return [(item.key, item.support) for item in labels.sentence_support]


def test_a_sentence_is_as_supported_as_its_weakest_word(model):
    labels = labels_of(model("tokens"))

    # What says that the answer is not known claims nothing, and is not read.
    assert supports(labels) == [("a", FULL), ("b", NONE), ("c", FULL)]
    assert labels.probabilities.supported == pytest.approx({"a": 0.75, "b": 0.25})
    assert labels.sentence_support[2].explanation.startswith("Makes no claim")


def test_only_what_the_answer_says_is_judged(model):
    score = LocalEvaluator(model=model("tokens")).score(SAMPLE)

    # 2 of 3 sentences are supported; of document sentences nothing is known.
    assert score.values == {
        "context_relevance": None,
        "context_utilization": None,
        "completeness": None,
        "adherence": 0.0,
        "average": None,
        "supported_share": pytest.approx(2 / 3),
    }
    assert "judges the answer alone" in score.reason
    assert score.evidence.counted.by == "tokens-model"


def test_another_threshold_gives_other_labels(model):
    assert supports(labels_of(model("tokens"), threshold=0.2))[1] == ("b", FULL)
    assert supports(labels_of(model("tokens"), threshold=0.8))[0] == ("a", NONE)


@pytest.mark.parametrize("kind", ["pair", "number"])
def test_documents_and_a_claim_are_read_together(model, kind):
    documents = ("The bridge is blue.", "In proof.")
    answer = "It is blue. It is long."
    sample = SAMPLE.model_copy(update={"retrieved_documents": documents, "response": answer})
    path = model(kind)

    assert labels_of(path, sample).probabilities.supported == pytest.approx({"a": 0.75, "b": 0.75})
    # With BAD in the documents 1/4, with neither 1/2.
    for text, likely in (("It is a lie.", 0.25), ("It is long.", 0.5)):
        other = sample.model_copy(update={"retrieved_documents": (text,)})
        found = labels_of(path, other).probabilities
        assert found.supported == pytest.approx({"a": likely, "b": likely})


@pytest.mark.parametrize(
    ("labels", "likely"),
    [(("entailment", "neutral"), 0.25), (("unsupported", "supported"), 0.75)],
)
def test_the_label_that_means_supported_is_known_by_its_name(model, labels, likely):
    sample = SAMPLE.model_copy(update={"retrieved_documents": ("In proof.",), "response": "Blue."})

    # The last of the labels has 3/4, whatever its name.
    found = labels_of(model("pair", labels=labels), sample).probabilities
    assert found.supported == pytest.approx({"a": likely})


@pytest.mark.parametrize("kind", ["pair", "number"])
def test_of_a_long_sample_the_window_that_supports_most_counts(model, kind):
    # 600 sentences of 4 tokens for a model that reads 512, GOOD in the very last one.
    long = " ".join(["It is long."] * 600)
    sample = SAMPLE.model_copy(update={"response": "It is blue."})
    with_proof = sample.model_copy(update={"retrieved_documents": (long, "In proof.")})
    without = sample.model_copy(update={"retrieved_documents": (long,)})
    path = model(kind)

    assert labels_of(path, with_proof).probabilities.supported == pytest.approx({"a": 0.75})
    assert labels_of(path, without).probabilities.supported == pytest.approx({"a": 0.5})


def test_a_sentence_longer_than_the_model_reads_is_read_in_parts(model):
    one_sentence = "long " * 1500 + "proof."
    sample = SAMPLE.model_copy(
        update={"retrieved_documents": (one_sentence,), "response": "It is blue."}
    )
    assert labels_of(model("pair"), sample).probabilities.supported == pytest.approx({"a": 0.75})


@pytest.mark.parametrize(("kind", "likely"), [("tokens", 0.25), ("pair", 0.25)])
def test_a_claim_longer_than_the_model_reads_is_as_supported_as_its_weakest_part(
    model, kind, likely
):
    answer = "It is " + "long " * 1500 + "lie."
    sample = SAMPLE.model_copy(update={"retrieved_documents": ("Blue.",), "response": answer})

    assert labels_of(model(kind), sample).probabilities.supported == pytest.approx({"a": likely})


def test_a_long_answer_is_read_in_parts_by_a_classifier_of_tokens(model):
    answer = " ".join(["It is long."] * 200 + ["It is a lie."])
    found = labels_of(model("tokens"), SAMPLE.model_copy(update={"response": answer}))

    assert [item.support for item in found.sentence_support] == [*[FULL] * 200, NONE]


def test_chinese_is_read_by_its_characters(model):
    sample = Sample(
        id="zh",
        question="桥是谁建的？",
        response="桥是米娜建的。它很谎。",
        retrieved_documents=("桥是米娜建的。", "它很长。"),
    )
    found = labels_of(model("tokens"), sample)

    assert found.probabilities.supported == pytest.approx({"a": 0.75, "b": 0.25})


@pytest.mark.parametrize("documents", [(), ("",)])
def test_without_a_document_nothing_is_supported(model, documents):
    sample = SAMPLE.model_copy(update={"retrieved_documents": documents, "response": "Blue."})
    found = labels_of(model("tokens"), sample)

    assert found.probabilities.supported == {"a": 0.0}
    assert supports(found) == [("a", NONE)]


def test_an_answer_without_a_claim_is_not_read(model):
    sample = SAMPLE.model_copy(update={"response": "The documents do not say."})
    found = labels_of(model("tokens"), sample)

    assert supports(found) == [("a", FULL)]
    assert found.probabilities == Probabilities()


def test_a_sample_that_would_take_it_too_long_fails_with_the_reason(model):
    long = " ".join(["It is long."] * 20_000)
    sample = SAMPLE.model_copy(
        update={"retrieved_documents": (long,), "response": "It is blue. " * 20}
    )
    with pytest.raises(DatasetError, match="would have to read"):
        LocalEvaluator(model=model("pair")).score(sample)


def test_a_run_keeps_the_files_that_it_was_made_with(model):
    path = model("tokens")
    run = evaluate([ROW], LocalEvaluator(model=path), progress=False)
    (spec,) = run.run.evaluators

    assert run.summary()["supported_share"].mean == pytest.approx(2 / 3)
    assert len(spec.params["revision"]) == 40
    # Another model in the same folder is not what this run was made with.
    written.write(local_models.Path(path), labels=("supported", "hallucinated"))
    with pytest.raises(ParameterError, match="are others than those of revision"):
        LocalEvaluator(**spec.params).score(SAMPLE)


def test_probabilities_are_laid_beside_the_labels_of_the_data(model):
    # Of each sample a is true as labelled with 3/4, b is not, labelled with 1/4.
    labels = Labels(
        sentence_support=tuple(
            SentenceSupport(key=key, support=own) for key, own in (("a", FULL), ("b", NONE))
        )
    )
    sentences = sentences_of(SAMPLE)
    samples = tuple(
        SAMPLE.model_copy(
            update={"id": str(number), "question": f"{number}?", "labels": labels}
            | {"sentences": sentences}
        )
        for number in range(8)
    )
    data = Dataset(name="labelled", samples=samples)
    run = evaluate(data, LocalEvaluator(model=model("tokens")), progress=False)
    found = run.probabilities(against="gold").by_kind

    assert set(found) == {"supported"}
    assert found["supported"].auroc == 1.0


def test_who_judges_the_answer_alone_agrees_or_not_about_the_answer_alone():
    support = tuple(SentenceSupport(key=key, support=FULL) for key in "abc")
    alone = Labels(sentence_support=support, of_support_alone=True)
    gold = Labels(sentence_support=support, relevant_keys=("0a",))
    labelled = [(Cell(0, 0, 0), sentences_of(SAMPLE), {"local": alone, "gold": gold})]

    assert [(own.label, own.sentences) for own in agreement(labelled)] == [("support", 3)]
    assert {kind for kind, _ in votes_of(alone, sentences_of(SAMPLE))} == {"support"}
    assert evidence_for(SAMPLE, alone, ()) is None


# Where it lies, and what it is: all of this without what loads models


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no config.json"),
        ({"config__json": b"{"}, "cannot be read"),
        ({"config__json": b"[" * 100_000}, "cannot be read"),
        ({"config__json": b"{}" + b" " * 2**20}, "cannot be read"),
        ({"config__json": written.config(architectures=["Qwen3ForCausalLM"])}, "no classifier"),
        (
            {"config__json": written.config(architectures=["T5ForConditionalGeneration"])},
            "no class",
        ),
        ({"config__json": b"{}"}, "no classifier"),
        ({"config__json": written.config(auto_map={"AutoModel": "m.M"})}, "never run"),
        ({"config__json": written.config()}, "no model.safetensors"),
        ({"config__json": written.config(), "pytorch_model__bin": b"x"}, "can run code"),
    ],
)
def test_a_folder_without_a_model_of_this_kind_is_told(folder, files, message):
    with pytest.raises(ParameterError, match=message):
        local_models.place(folder(**files))


@pytest.mark.parametrize(
    ("labels", "architecture"),
    [
        (["O", "B-PER", "I-PER"], "BertForTokenClassification"),
        (["O", "B-PER"], "BertForTokenClassification"),
        (["positive", "negative"], "BertForSequenceClassification"),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "BertForSequenceClassification"),
    ],
)
def test_labels_of_another_kind_are_told(folder, labels, architecture):
    facts = written.config(architectures=[architecture], id2label=dict(enumerate(labels)))
    path = folder(config__json=facts, model__safetensors=b"")

    with pytest.raises(ParameterError, match=f"is not known: {', '.join(labels)}"):
        local_models.place(path)


@pytest.mark.parametrize(
    ("labels", "shape"),
    [
        (["entailment", "neutral", "contradiction"], ("pair", 0)),
        (["not_supported", "supported"], ("pair", 1)),
        (["hallucinated", "fine"], ("pair", 1)),
        (["score"], ("number", 0)),
    ],
)
def test_labels_are_known_by_their_names(folder, labels, shape):
    facts = written.config(
        architectures=["BertForSequenceClassification"], id2label=dict(enumerate(labels))
    )
    path = folder(config__json=facts, model__safetensors=b"")

    assert local_models.shape_of(local_models.Path(path)) == shape


@pytest.mark.parametrize("model", ["bert", "../owner/name", "a/b/c", "a/..b", "", "a/b\0"])
def test_what_is_neither_a_folder_nor_an_id_is_never_asked_for(model, monkeypatch):
    with Hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        with pytest.raises(ParameterError, match=r"owner/name|config\.json"):
            local_models.place(model)

    assert not hub.asked


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub with these files of a model, whose copies lie in a folder of the test."""
    started = []

    def start(files=None, **more):
        repos = {} if files is None else {"owner/tiny": Repo(files, **more)}
        server = Hub(repos)
        started.append(server)
        server.__enter__()
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        return server

    yield start
    for server in started:
        server.__exit__()


WHOLE = {
    "config.json": written.config(),
    "tokenizer.json": b"{}",
    "model.safetensors": b"x" * 100_000,
    "pytorch_model.bin": b"never",
    "modeling.py": b"never",
}


def test_a_model_of_the_hub_is_fetched_once_with_progress_and_pinned(hub):
    server = hub(WHOLE)
    told = []
    first = local_models.fetch("owner/tiny", on_progress=lambda *own: told.append(own))
    asked = len(server.asked)
    again = local_models.fetch("owner/tiny")

    assert first == again
    assert first.revision == REVISION
    assert len(server.asked) == asked
    assert told[-1] == (100_000 + len(WHOLE["config.json"]) + 2,) * 2
    assert {path.name for path in first.folder.iterdir()} == {
        "config.json",
        "tokenizer.json",
        "model.safetensors",
    }
    assert not any("authorization" in one.headers for one in server.asked)
    assert LocalEvaluator(model="owner/tiny").spec().params["revision"] == REVISION


def test_a_model_that_was_not_fetched_whole_is_not_taken_for_one(hub):
    server = hub(WHOLE)
    server.fault = lambda path: "404" if path.endswith("model.safetensors") else ""
    with pytest.raises(ParameterError, match="could not be fetched"):
        local_models.fetch("owner/tiny")

    assert local_models.place("owner/tiny") is None


@pytest.mark.parametrize(
    ("files", "more", "message"),
    [
        (None, {}, "has no model owner/tiny"),
        (WHOLE, {"gated": True}, "agreed to its conditions"),
        ({"model.safetensors": b"x"}, {}, "no config.json"),
        ({**WHOLE, "config.json": written.config(auto_map={"AutoModel": "m.M"})}, {}, "never run"),
        (
            {"config.json": written.config(), "pytorch_model.bin": b"x"},
            {},
            "no model.safetensors",
        ),
    ],
)
def test_a_model_of_the_hub_that_cannot_be_used_is_told_before_its_weights_are_fetched(
    hub, files, more, message
):
    server = hub(files, **more)
    with pytest.raises(ParameterError, match=message):
        local_models.fetch("owner/tiny")

    assert not any(path.endswith((".safetensors", ".bin")) for path in server.paths)


def test_a_revision_that_is_not_there_is_told(hub):
    hub(WHOLE)
    with pytest.raises(ParameterError, match="has no revision 'v9'"):
        local_models.fetch("owner/tiny", "v9")


def test_a_model_that_is_too_large_is_not_fetched(hub, monkeypatch):
    server = hub(WHOLE)
    monkeypatch.setattr(local_models, "MOST_BYTES", 1000)
    with pytest.raises(ParameterError, match="Choose a smaller one"):
        local_models.fetch("owner/tiny")

    assert not any(path.endswith(".safetensors") for path in server.paths)


def test_without_a_connection_the_remedy_is_a_folder(hub, monkeypatch):
    hub(WHOLE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free.getsockname()[1]}")
        with pytest.raises(ParameterError, match="is this computer offline"):
            local_models.fetch("owner/tiny")


@pytest.mark.parametrize("fault", ["no id", "html"])
def test_a_reply_of_the_hub_that_is_none_is_told(hub, fault):
    hub(WHOLE).fault = lambda path: fault
    with pytest.raises(ParameterError, match="could not be fetched"):
        local_models.fetch("owner/tiny")


def test_a_public_host_runs_none(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    with pytest.raises(ParameterError, match="A public host runs no local model"):
        LocalEvaluator().score(SAMPLE)
    with pytest.raises(ParameterError, match="A public host runs no local model"):
        local_models.fetch("owner/tiny")


def test_what_is_not_installed_is_told_with_the_command():
    if local_models.find_spec("torch"):
        pytest.skip("the extra `local` is installed")
    with pytest.raises(ParameterError, match=r"pip install \"transformers\[torch\]=="):
        LocalEvaluator().score(SAMPLE)


def test_broken_weights_are_told(model):
    path = local_models.Path(model("tokens"))
    (path / "model.safetensors").write_bytes(b"no weights")

    with pytest.raises(ParameterError, match="cannot be loaded"):
        LocalEvaluator(model=str(path)).score(SAMPLE)


def test_weights_that_are_missing_are_not_made_up(model):
    from safetensors.torch import load_file, save_file

    path = local_models.Path(model("tokens")) / "model.safetensors"
    weights = load_file(path)
    del weights["classifier.weight"]
    save_file(weights, path, metadata={"format": "pt"})

    with pytest.raises(ParameterError, match="is not whole"):
        LocalEvaluator(model=str(path.parent)).score(SAMPLE)


def test_weights_that_give_no_number_are_told(model):
    import torch
    from safetensors.torch import load_file, save_file

    path = local_models.Path(model("tokens")) / "model.safetensors"
    weights = load_file(path)
    weights["classifier.weight"] = torch.full_like(weights["classifier.weight"], float("nan"))
    save_file(weights, path, metadata={"format": "pt"})

    with pytest.raises(ParameterError, match="gives no number"):
        LocalEvaluator(model=str(path.parent)).score(SAMPLE)


def test_every_listed_model_has_its_figures_with_their_source():
    for own in local_models.KNOWN.values():
        assert own.published, own.id
        assert own.source, own.id
        assert own.asks in ("", *local_models.ASKS), own.id
