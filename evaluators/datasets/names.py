"""What columns are called: the names of each field, and names that never hold one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from evaluators.text.language import mark, say
from evaluators.text.normalise import nfkc

COLUMNS = {
    "question": ("question", "query", "user_input"),
    "response": ("response", "llm_response", "prediction", "output"),
    "retrieved_documents": (
        "retrieved_documents", "retrieved_contexts", "retrieval_context", "documents", "contexts",
        "context", "docs",
    ),
    "gold_documents": (
        "gold_documents", "gold_contexts", "gold_context", "reference_contexts", "gt_contexts",
    ),
    "ground_truth": ("ground_truth", "reference", "expected_answer", "answer", "ans"),
}  # fmt: skip
"""The usual names of each field, the best first."""

_WORDS = {
    "question": mark("question"),
    "response": mark("response"),
    "retrieved_documents": mark("documents"),
    "ground_truth": mark("ground truth"),
    "gold_documents": mark("gold documents"),
    "generator": mark("generator"),
    "group": mark("group"),
    "labels": mark("labels"),
    "nuggets": mark("facts"),
}

FURTHER = {
    "question": (
        "user_query user_question question_text query_text sample_query test_question input ask "
        "问题 提问 查询 用户问题 用户提问 测试问题 問題 使用者問題 "
        "frage fragen testfrage benutzerfrage nutzerfrage pregunta consulta pregunta_del_usuario "
        "requête question_utilisateur pergunta pergunta_do_usuário domanda vraag spørgsmål fråga "
        "вопрос вопросы запрос питання pytanie pytania soru pertanyaan câu_hỏi प्रश्न "
        "質問 質問文 設問 ユーザー質問 ユーザーの質問 クエリ 질문 문의 사용자_질문 질의 "
        "السؤال سؤال الأسئلة أسئلة الاستعلام سؤال_المستخدم שאלה سوال prompt"
    ),
    "response": (
        "pred_answer predicted_answer generated_answer generated_response generated_text "
        "generated_output output_text model_answer model_response model_output "
        "system_answer llm_answer answer_llm llm_output rag_answer rag_response bot_answer "
        "agent_answer agent_response ai_answer ai_response assistant_response chatbot_response "
        "actual_output actual_answer actual_response completion generation generated pred "
        "filtered_resp resp "
        "回答 模型回答 回复 答复 输出 模型输出 生成答案 生成回答 系统回答 系统生成的回答 "
        "模型答案 回應 回覆 "
        "modellantwort systemantwort generierte_antwort "
        "réponse_générée réponse_du_modèle réponse_du_système réponse_modèle réponse_llm sortie "
        "respuesta_generada respuesta_del_modelo respuesta_modelo respuesta_del_sistema "
        "respuesta_llm salida resposta_gerada resposta_do_modelo resposta_do_sistema "
        "risposta_generata risposta_del_modello "
        "ответ_модели ответ_системы сгенерированный_ответ ответ_llm ответ_бота "
        "応答 モデル回答 モデルの回答 生成回答 生成された回答 システム回答 出力 モデル出力 "
        "응답 모델_답변 모델_응답 생성_답변 생성된_답변 시스템_답변 출력 "
        "الاستجابة استجابة الرد رد_النموذج إجابة_النموذج الإجابة_المولدة إجابة_النظام "
        "استجابة_النموذج"
    ),
    "retrieved_documents": (
        "retrieved_doc retrieved_content retrieved_text retrieved_fact retrieved_paragraph "
        "passage retrieved_passage chunk retrieved_chunk ctx context_text document_text "
        "llm_context rag_context source_document source_node search_result retrieval_result "
        "paragraph knowledge evidence abstract source "
        "上下文 文档 检索文档 检索内容 检索结果 检索片段 检索上下文 检索到的文档 检索到的内容 "
        "召回文档 召回内容 召回片段 召回结果 参考文档 参考资料 引用内容 资料 段落 文檔 檢索文檔 "
        "檢索結果 參考資料 "
        "kontext kontexte dokument dokumente textstelle textstellen fundstelle fundstellen "
        "gefundene_dokumente abgerufene_dokumente abgerufener_kontext quelltext "
        "contexte extrait contexte_récupéré contextes_récupérés documents_récupérés "
        "documents_retrouvés passages_récupérés "
        "contexto contexto_recuperado contextos_recuperados documento documentos_recuperados "
        "fragmento fragmentos_recuperados pasaje trecho documentos_encontrados contesto "
        "контекст контексты документы документ фрагмент фрагменты найденные_документы "
        "извлечённые_документы извлеченный_контекст kontekst kontekstas bağlam konteks ngữ_cảnh "
        "संदर्भ 文脈 コンテキスト 文書 参照文書 関連文書 検索文書 検索結果 検索された文書 "
        "取得文書 参考文書 資料 컨텍스트 문맥 문서 검색_문서 검색_결과 검색된_문서 참고_문서 "
        "السياق سياق السياقات المستندات مستندات الوثائق وثائق المقاطع السياق_المسترجع "
        "المستندات_المسترجعة الوثائق_المسترجعة المقاطع_المسترجعة النصوص הקשר متن"
    ),
    "gold_documents": (
        "gold_doc gold_passage gold_evidence golden_context golden_document ground_truth_context "
        "ground_truth_document relevant_document supporting_document positive_chunk "
        "positive_passage corpus_relevant_doc 标准上下文 标准文档 正解文書 정답_문서"
    ),
    "ground_truth": (
        "expected_output expected_response gold_answer golden_answer correct_answer right_answer "
        "accepted_answer best_answer true_answer reference_answer reference_response target_answer "
        "ground_truth_answer gt_answer "
        "generation_gt answer_gt answer_orig gold_option truth gt expected ideal ideal_answer "
        "reference_output target ref "
        "标准答案 参考答案 正确答案 真实答案 期望答案 预期答案 标准回答 参考回答 標準答案 參考答案 "
        "正確答案 "
        "数据集标准答案 musterlösung musterloesung lösung referenzantwort musterantwort "
        "sollantwort erwartete_antwort erwartetes_verhalten richtige_antwort "
        "réponse_attendue réponse_correcte réponse_de_référence bonne_réponse vérité_terrain "
        "référence "
        "respuesta_esperada respuesta_correcta respuesta_de_referencia respuesta_real "
        "verdad_fundamental referencia "
        "resposta_esperada resposta_correta resposta_de_referência referência gabarito "
        "risposta_attesa risposta_corretta risposta_di_riferimento "
        "эталонный_ответ правильный_ответ ожидаемый_ответ верный_ответ эталон "
        "正解 正答 模範解答 模範回答 期待回答 期待される回答 参照回答 参考回答 "
        "정답 모범_답안 모범답안 기대_답변 예상_답변 참조_답변 기준_답변 "
        "الإجابة_الصحيحة الإجابة_المرجعية الإجابة_المتوقعة الجواب_الصحيح الإجابة_النموذجية "
        "إجابة_صحيحة الحقيقة"
    ),
    "id": (
        "id sample_id trace_id traceid record_id request_id question_id query_id qid idx index "
        "uuid 编号 序号"
    ),
    "generator": "generator generation_model_name",
    "group": "group situation",
    "labels": "labels",
    "nuggets": "nugget",
}
"""Names that are known beside the usual ones, as `canonical` writes them, the best first."""

FIELDS = tuple(FURTHER)
"""What a column can be mapped to."""

TEXT_FIELDS = ("question", "response", "id", "generator", "group")
"""Of these, what is an object cannot be read."""

ANSWER = (
    "answer", "答案", "antwort", "antworten", "reponse", "respuesta", "resposta",
    "risposta", "antwoord", "svar", "ответ", "ответы", "відповідь", "odpowiedz", "cevap", "yanıt",
    "jawaban", "जवाब", "答え", "解答", "답변", "답", "الاجابة", "اجابة", "الجواب", "جواب", "תשובה",
    "پاسخ",
)  # fmt: skip
"""Either the response or the ground truth; what else the table has decides."""

TEXT_KEYS = ("text", "page_content", "content", "passage", "document", "body", "value")
"""What the text in an object is called, the usual first,
as retrievers and chat programs write it.
"""

HINTS = {
    "question": re.compile(
        "question|query|prompt|message|utterance|user|问|問|frage|pregunta|consulta|requete"
        "|pergunta|domanda|sp[øo]rgsmal|вопрос|질문|سوال|سؤال"
    ),
    "response": re.compile(
        "answer|response|repl(y|ie)|output|prediction|completion|result|generat|summary|答"
        "|antwort|reponse|respuesta|resposta|risposta|ответ|답변|응답|اجاب|جواب"
    ),
    "retrieved_documents": re.compile(
        "context|passage|chunk|docs|document|retriev|evidence|snippet|source|paragraph|knowledge"
        "|excerpt|检索|召回|片段|资料|上下文|文档|kontext|dokument|quell|textstelle|fundstelle"
        "|context[eo]|fragment|extrait|контекст|документ|文脈|文書|検索|문서|문맥|سياق|مستند|وثائق"
    ),
    "ground_truth": re.compile(
        "gold|ideal|ideel|expected|erwartet|reference|correct|right|truth|标准|参考|正确|attendu"
        "|esperad|muster|soll|эталон|ожида|правильн|正解|模範|期待|정답|모범|صحيح|مرجعي|متوقع"
    ),
}
"""Stands in the name of a column that may hold such texts."""

SCORES = re.compile(
    "score|faithful|relevan|adheren|grounded|utiliz|completeness|precision|recall|bleu|rouge|f1"
    "|similarity|rating|accuracy|truthful|hallucinat|confidence|得分|评分"
)
"""Stands in the name of a column that says how good an answer was."""

RECORDED = re.compile("(^|_)(model|temperature|latency|retriev|top_k|token)")
"""Stands in the name of a column that says how an answer was made."""

PUBLISHED = re.compile(
    "supporting_fact|is_supporting|alias|(^|_)alt_ans|justification|answerable|decomposition"
    "|is_impossible|distractor|evidence_doc|(^|_)doc_name"
)
"""Stands in the name of a column of published questions, whose answers are the true ones."""

_NEVER = frozenset(
    word
    for words in (
        "reason reasons reasoning rationale explanation explanations explain critique critiques",
        "note notes comment comments feedback score scores rating id ids uuid uuids incorrect",
        "wrong hallucination hallucinations span spans quote verdict judge judgement judgment",
        "metadata meta url urls link links timestamp error errors",
        # Without accents, as `folded` writes them
        "begrundung kommentar anmerkung notiz 原因 理由 解释 备注 评语 评分 得分 错误答案",
        "explicacion comentario puntuacion nota explication commentaire explicacao pontuacao",
        "説明 備考 評価 スコア 설명 비고 점수 이유 оценка причина комментарий السبب التقييم",
    )
    for word in words.split()
)
"""A column with one of these words in its name holds no field, unless the name is known."""

_PATH = re.compile(r"\w+(\.\w+)+")
"""How a field in an object is named, and a column that a program made of one."""


def canonical(name: str) -> str:
    """A column name without case, spaces, punctuation and plural: "Retrieved Contexts" is
    "retrieved_context".
    """
    singular = re.sub(r"ies$", "y", folded(name))
    # Neither "corpus" nor "class" is a plural
    return re.sub(r"(?<=[a-z][^su])s$", "", singular)


def folded(name: str) -> str:
    """A column name without case, accents and punctuation: "userQuestions" is "user_questions"."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", _without_accents(nfkc(name)))
    return re.sub(r"[\W_]+", "_", split.casefold()).strip("_")


def _without_accents(name: str) -> str:
    """A name as people write it who have no accents on their keyboard: "reponse_generee"."""
    if name.isascii():
        return name
    letters = unicodedata.normalize("NFD", name)
    kept = [letter for letter in letters if not unicodedata.combining(letter)]
    return unicodedata.normalize("NFC", "".join(kept))


def is_plural(name: str) -> bool:
    """Whether a column is named for many; Chinese makes no difference between one and many."""
    return canonical(name) != folded(name) or not name.isascii()


def is_called_documents(name: str) -> bool:
    """Whether a column of this name holds documents."""
    return canonical(name) in KNOWN["retrieved_documents"] + KNOWN["gold_documents"]


def is_never_a_field(name: str) -> bool:
    """Whether the name says that the column holds a score, an id, a reason or a wrong answer.

    What begins with two underscores is an instruction to promptfoo, such as "__expected".
    """
    words = folded(name).split("_")
    return name.startswith("__") or not _NEVER.isdisjoint(words)


def field_of(name: str) -> str:
    """The field that a column of this name holds; empty where the name is not known."""
    known = canonical(last_part(name))
    return next((field for field, names in KNOWN.items() if known in names), "")


def last_part(column: str) -> str:
    """The name by which a column is known; of a field in an object the last telling part.

    "output.text" says what it is by the object's name, "input.passage" by its own; whose answer
    "outputs.answer" and "reference_outputs.answer" hold, LangSmith says by the object alone.
    """
    if not _PATH.fullmatch(column):
        return column
    *_, outer, last = column.split(".")
    is_only_text = last.casefold() in TEXT_KEYS and last.casefold() not in _ALL_KNOWN
    is_either_answer = canonical(last) in ANSWER
    is_told_by_object = is_either_answer and canonical(outer) in _ANSWERS
    return outer if is_only_text or is_told_by_object else last


def columns_by_name(columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each canonical name, in the order of the file.

    A name that several objects have in them, equally deep, says nothing: which of them is meant?
    """
    named: dict[str, list[str]] = {}
    deep = [column for column in columns if "." in column]
    inside = Counter((last_part(column), _depth(column)) for column in deep)
    for column in columns:
        name = last_part(column)
        # DeepEval's and promptfoo's results name the same thing in each of many objects
        is_ambiguous = "." in column and inside[name, _depth(column)] > 1
        if is_ambiguous or column.startswith("__"):
            continue
        # They are true answers in one file, and what was cited in another
        if name.casefold() == "references":
            continue
        named.setdefault(canonical(name), []).append(column)
    # What lies less deep is the row's own: a result repeats the test case that it belongs to
    for columns_of_name in named.values():
        columns_of_name.sort(key=_depth)
    return named


def _depth(column: str) -> int:
    return column.count(".")


def _known_names(field: str) -> tuple[str, ...]:
    names = (*COLUMNS.get(field, ()), *FURTHER[field].split())
    return tuple(dict.fromkeys(map(canonical, names)))


KNOWN = {field: _known_names(field) for field in FIELDS}
"""All names of each field in canonical form, the best first."""

_ALL_KNOWN = frozenset(chain.from_iterable(KNOWN.values()))
_ANSWERS = frozenset(KNOWN["response"] + KNOWN["ground_truth"])


def field_in_words(field: str) -> str:
    """What a field of a sample is called in a sentence."""
    return say(_WORDS[field]) if field in _WORDS else field.replace("_", " ")
