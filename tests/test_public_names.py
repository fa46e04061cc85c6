"""The names that `from plumbline import ...` and `from evaluators import ...` give: all there, loaded late, and known to type
checkers.
"""

import ast
import json
import pickle
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import mypy.api
import pytest

import evaluators
import plumbline
from evaluators import _HOMES

ROOT = Path(__file__).parents[1]
DOCUMENTED = (
    "RGBEvaluator",
    "EvaluationResult",
    "TRACEEvaluator",
    "TRACEScores",
    "AdvancedRAGEvaluator",
    "GPTLabelingPromptGenerator",
    "GPTLabelingOutput",
    "DocumentSentencizer",
    "UnifiedEvaluationPipeline",
    "ContextRecall",
    "AnswerMatchAcc",
    "RetrieverRecall",
    "LLMasJudge",
    "GEvalJudgeEvaluator",
    "GEvalLLMJudge",
    "BaseEvaluator",
    "DefaultLLMJudge",
    "LLMEvalResult",
    "NLGTask",
)


def in_a_new_process(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", evaluators.__all__)
def test_a_public_name_is_what_its_module_holds(name):
    assert getattr(evaluators, name) is getattr(import_module(_HOMES[name]), name)


def test_the_documented_classes_are_public():
    assert set(DOCUMENTED) <= set(evaluators.__all__)


def test_type_checkers_are_told_the_same_names_from_the_same_modules():
    tree = ast.parse(Path(evaluators.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]

    told = {alias.asname: node.module for node in block.body for alias in node.names}

    assert told == _HOMES


def test_the_package_alone_loads_nothing():
    code = (
        "import evaluators, sys, json; print(json.dumps([m for m in sys.modules if "
        "m.startswith('evaluators.')]))"
    )

    assert in_a_new_process(code) == []


def test_a_list_of_samples_is_measured_without_loading_tables_or_charts():
    code = (
        "import json, sys; from evaluators import evaluate; "
        "from evaluators.runs.store import Store; "
        "evaluate([{'response': 'Yes.', 'ground_truth': 'Yes.', 'question': 'Is it?'}], "
        "'answer_match', store=Store(':memory:'), progress=False); "
        "print(json.dumps(sorted({'pandas', 'pyarrow', 'plotly', 'scipy'} & sys.modules.keys())))"
    )

    assert in_a_new_process(code) == []


def test_a_star_gives_all_of_them():
    code = (
        "from evaluators import *; import json; print(json.dumps(sorted(name for name in "
        "dir() if name[0] != '_')))"
    )

    assert set(in_a_new_process(code)) == {*evaluators.__all__, "json"}


def test_a_name_that_is_not_there_is_told_as_python_does():
    with pytest.raises(ImportError, match="cannot import name 'Rouge'"):
        exec("from evaluators import Rouge")
    assert not hasattr(evaluators, "Rouge")


def test_all_names_are_listed():
    assert set(evaluators.__all__) <= set(dir(evaluators))


def test_plumbline_has_the_same_names_and_objects():
    assert plumbline.__all__ == evaluators.__all__
    assert plumbline.__version__ == evaluators.__version__
    assert set(plumbline.__all__) <= set(dir(plumbline))
    for name in plumbline.__all__:
        assert getattr(plumbline, name) is getattr(evaluators, name)


def test_plumbline_alone_loads_nothing_of_the_modules():
    code = (
        "import plumbline, sys, json; print(json.dumps([m for m in sys.modules if "
        "m.startswith(('evaluators.', 'plumbline.'))]))"
    )

    assert in_a_new_process(code) == []


def test_a_star_of_plumbline_gives_all_of_them():
    code = (
        "from plumbline import *; import json; print(json.dumps(sorted(name for name in "
        "dir() if name[0] != '_')))"
    )

    assert set(in_a_new_process(code)) == {*evaluators.__all__, "json"}


def test_plumbline_has_no_other_names():
    with pytest.raises(ImportError, match="cannot import name 'Rouge'"):
        exec("from plumbline import Rouge")
    # The modules lie under one name alone, or a class would be there twice.
    assert find_spec("plumbline.rgb_evaluator") is None


def test_what_comes_by_plumbline_is_pickled_under_its_module():
    sample = plumbline.Sample(id="1", question="When?")

    assert pickle.loads(pickle.dumps(sample)) == sample
    assert type(sample).__module__ == "evaluators.records"


def test_type_checkers_know_what_comes_by_plumbline(tmp_path):
    """As those see it who use it: without the plugin that knows pydantic's ways."""
    (tmp_path / "use.py").write_text(
        "import plumbline\n"
        'reveal_type(plumbline.Sample(id="1", question="?"))\n'
        "reveal_type(plumbline.__version__)\n"
        "plumbline.TRACEEvaluator(chunk_size=100)\n"
        'plumbline.AnswerMatchAcc(type="f1_score")\n'
        "plumbline.RGBEvaluator()\n"
        "plumbline.LLMasJudge()\n"
        "plumbline.Cap(calls=1)\n"
    )
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\nfollow_imports = silent\n")

    said, wrong, code = mypy.api.run(
        ["--cache-dir", str(tmp_path / "cache"), "--config-file", str(tmp_path / "mypy.ini"),
         str(tmp_path / "use.py")]
    )  # fmt: skip

    assert (wrong, code) == ("", 0), said
    assert '"evaluators.records.Sample"' in said
    assert '"str"' in said
