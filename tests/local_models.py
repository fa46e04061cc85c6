"""A BERT of two layers with weights set by hand, so that what it says can be worked out.

Of its words GOOD and BAD alone count. A classifier of tokens says 3/4 for every word but BAD, which
has 1/4. One of pairs, or of a number, looks at the whole text: with GOOD in it 3/4, with BAD 1/4,
with neither 1/2.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

GOOD, BAD = "proof", "lie"
CHINESE = "桥是米娜建的它很长蓝色谎证"
WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", GOOD, BAD, *CHINESE),
    *(
        "mina",
        "built",
        "the",
        "bridge",
        "it",
        "opened",
        "in",
        "is",
        "long",
        "blue",
        "who",
        "passage",
    ),
    *(".", ",", ":", "?", *"0123456789"),
]
ARCHITECTURES = {
    "tokens": "BertForTokenClassification",
    "pair": "BertForSequenceClassification",
    "number": "BertForSequenceClassification",
}


def write(
    folder: Path, kind: str = "tokens", labels: tuple[str, ...] = (), positions: int = 514
) -> Path:
    """Writes such a model; of a number has one label."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    labels = labels or (("support",) if kind == "number" else ("LABEL_0", "LABEL_1"))
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=4,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=positions,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    model = getattr(transformers, ARCHITECTURES[kind])(config)
    # Two directions that a layer's normalisation leaves as they are: of words that count, of others
    counts = torch.tensor([1.0, -1.0, 0.0, 0.0]) * math.sqrt(2)
    neutral = torch.tensor([0.0, 0.0, 1.0, -1.0]) * math.sqrt(2)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.zero_()
            if name.endswith("LayerNorm.weight"):
                weights.fill_(1.0)
        words = model.bert.embeddings.word_embeddings.weight
        words[:] = neutral
        for good, bad in ((GOOD, BAD), ("证", "谎")):
            words[WORDS.index(good)], words[WORDS.index(bad)] = counts, -counts
        if kind == "tokens":
            # ln 3 of all words but BAD, which has -ln 3
            model.classifier.weight[0] = math.log(3) * (neutral + counts) / 4
        else:
            # Without queries and keys each word looks at all alike: 100 times their mean is added.
            first = model.bert.encoder.layer[0].attention
            first.self.value.weight[:] = torch.eye(4)
            first.output.dense.weight[:] = 100 * torch.outer(counts, counts) / 4
            # 1 with GOOD, -1 with BAD, 0 with neither
            model.bert.pooler.dense.weight[0] = 1000 * counts / 4
            model.classifier.weight[-1, 0] = math.log(3)
    model.save_pretrained(folder)
    tokenizer = Tokenizer(
        models.WordPiece({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=positions - 2,
    ).save_pretrained(folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name, as a hub has them."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def config(**facts: object) -> bytes:
    """A config.json of a classifier of tokens with these facts beside or instead."""
    return json.dumps({"architectures": [ARCHITECTURES["tokens"]], **facts}).encode()
