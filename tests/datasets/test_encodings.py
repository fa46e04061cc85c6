"""Texts that are not UTF-8: read rightly, or asked about, and never wrongly in silence."""

import csv
import io

import pytest

from evaluators.datasets.mapping import load, open_file
from evaluators.errors import DatasetError, ParameterError

GERMAN = (
    ("Wie lange ist die Rückgabe möglich?", "Innerhalb von dreißig Tagen.",
     "Die Rückgabe ist innerhalb von dreißig Tagen möglich, wenn die Ware nicht geöffnet ist."),
    ("Wann öffnet die Bücherei?", "Sie öffnet um acht Uhr.",
     "Die Bücherei öffnet an Werktagen um acht Uhr und schließt für das Frühstück nicht."),
    ("Was kostet ein Schlüssel?", "Er kostet fünf Euro.",
     "Für einen Schlüssel zahlen die Gäste fünf Euro; die Gebühr wird bei der Rückgabe erlassen."),
)  # fmt: skip
FRENCH = (
    ("À quelle heure ouvre le musée ?", "Il ouvre à dix heures.",
     "Le musée est ouvert à partir de dix heures, sauf le mardi, où il est fermé."),
    ("Où se trouve la bibliothèque ?", "Près de la forêt.",
     "La bibliothèque se trouve près de la forêt, à côté de l'école des métiers."),
    ("Qui a écrit cette pièce ?", "C'est Molière qui l'a écrite.",
     "La pièce a été écrite par Molière et jouée pour la première fois à Noël."),
)  # fmt: skip
SPANISH = (
    ("¿Cuándo abre la oficina de atención?", "Abre a las nueve de la mañana.",
     "La oficina de atención abre de lunes a viernes a las nueve de la mañana, según el año."),
    ("¿Qué documentos se necesitan?", "El número de identificación.",
     "Para la inscripción se necesita el número de identificación y una fotografía pequeña."),
    ("¿Cuál es el límite de días?", "Son treinta días.",
     "El límite para la devolución es de treinta días después de la compra, también en línea."),
)  # fmt: skip
ENGLISH = (
    ("What’s the refund policy?", "Customers don’t pay for it.",
     "“Returns” are free of charge – it’s what the customers of this café are told."),
    ("Where is the office?", "It is in the old town.",
     "The office is in the old town, next to the museum that was built in 1812."),
    ("How long is it open?", "It is open for the whole day…",
     "It’s open for the whole day, and on Sundays it isn’t."),
)  # fmt: skip
POLISH = (
    ("Jak długo można zwrócić książkę?", "Można ją zwrócić w ciągu miesiąca.",
     "Książkę można zwrócić w ciągu miesiąca, jeśli nie jest zniszczona i ma okładkę."),
    ("Gdzie jest najbliższy urząd?", "Jest w śródmieściu.",
     "Najbliższy urząd znajduje się w śródmieściu, na ulicy Łąkowej, obok kościoła."),
    ("Kiedy można złożyć wniosek?", "Od poniedziałku do piątku.",
     "Wniosek można złożyć od poniedziałku do piątku, także przez internet, bez opłaty."),
)  # fmt: skip
CZECH = (
    ("Jak dlouho je možné vrátit knihu?", "Knihu je možné vrátit do měsíce.",
     "Knihu je možné vrátit do měsíce, pokud není poškozená a má původní přebal."),
    ("Kde je nejbližší úřad?", "Je v centru města, u řeky.",
     "Nejbližší úřad je v centru města u řeky, který je otevřený od pondělí do čtvrtka."),
    ("Kdy byl most postaven?", "Most byl postaven v roce 1357.",
     "Most byl postaven v roce 1357 za Karla IV. a je to nejstarší most, který ve městě stojí."),
)  # fmt: skip
RUSSIAN = (
    ("Когда открывается библиотека?", "Она открывается в восемь часов.",
     "Библиотека открывается в восемь часов утра и не работает по воскресеньям."),
    ("Как вернуть товар?", "Это можно сделать в течение месяца.",
     "Вернуть товар можно в течение месяца, если он не был в использовании."),
    ("Где находится музей?", "На площади у реки.",
     "Музей находится на площади у реки, рядом с мостом, который построили в 1812 году."),
)  # fmt: skip
GREEK = (
    ("Πότε ανοίγει η βιβλιοθήκη;", "Ανοίγει στις οκτώ το πρωί.",
     "Η βιβλιοθήκη ανοίγει στις οκτώ το πρωί και είναι κλειστή την Κυριακή."),
    ("Πού είναι το μουσείο;", "Είναι στην πλατεία.",
     "Το μουσείο είναι στην πλατεία, κοντά στο ποτάμι και το παλιό λιμάνι της πόλης."),
    ("Ποιος έγραψε το βιβλίο;", "Το έγραψε ο Καβάφης.",
     "Το βιβλίο το έγραψε ο Καβάφης και δεν εκδόθηκε από τον ίδιο."),
)  # fmt: skip
TURKISH = (
    ("Kütüphane ne zaman açılıyor?", "Sabah sekizde açılıyor.",
     "Kütüphane sabah sekizde açılıyor ve pazar günü için kapalı olan bir gün seçildi."),
    ("Ürünü nasıl iade ederim?", "Bir ay içinde iade edilir.",
     "Ürün bir ay içinde iade edilir; bu süre çok kısa değil, ama daha uzun olan da var."),
    ("Müze nerede?", "Şehir meydanında.",
     "Müze şehir meydanında, en eski köprü ile ırmak arasında ve çarşıya çok yakın."),
)  # fmt: skip
HEBREW = (
    ("מתי נפתחת הספרייה?", "היא נפתחת בשמונה בבוקר.",
     "הספרייה נפתחת בשמונה בבוקר, והיא לא פתוחה גם ביום שבת."),
    ("איך מחזירים את המוצר?", "אפשר להחזיר את המוצר עם הקבלה.",
     "אפשר להחזיר את המוצר עם הקבלה בתוך חודש, אם הוא לא נפתח."),
    ("מה שעות הפתיחה של המוזיאון?", "המוזיאון פתוח כל היום.",
     "המוזיאון של העיר פתוח כל היום, או עד שהאחרון יוצא."),
)  # fmt: skip
ARABIC = (
    ("متى تفتح المكتبة؟", "تفتح في الثامنة صباحا.",
     "تفتح المكتبة في الثامنة صباحا من كل يوم، إلا يوم الجمعة، مع بداية العام."),
    ("كيف يمكن إعادة المنتج؟", "يمكن ذلك في خلال شهر.",
     "يمكن إعادة المنتج في خلال شهر من الشراء، على أن لا يكون قد استعمل."),
    ("ما هو موقع المتحف؟", "هو في وسط المدينة.",
     "المتحف في وسط المدينة على ضفة النهر، وهذا هو الموقع الذي كان فيه القصر."),
)  # fmt: skip
JAPANESE = (
    ("図書館は何時に開きますか？", "午前八時に開きます。",
     "図書館は午前八時に開館し、日曜日は休みです。貸出カードをお持ちください。"),
    ("商品はいつまで返品できますか？", "購入から三十日以内です。",
     "商品は購入から三十日以内であれば返品できます。ただし、使用したものは返品できません。"),
    ("美術館はどこにありますか？", "町の中心にあります。",
     "美術館は町の中心にあり、駅から歩いて五分ほどのところです。"),
)  # fmt: skip
KOREAN = (
    ("도서관은 언제 문을 여나요?", "오전 여덟 시에 문을 엽니다.",
     "도서관은 오전 여덟 시에 문을 열고 일요일에는 쉽니다. 대출증을 가지고 오시기 바랍니다."),
    ("상품은 언제까지 반품할 수 있나요?", "구입한 날부터 삼십 일 이내입니다.",
     "상품은 구입한 날부터 삼십 일 이내에 반품할 수 있습니다. 사용한 상품은 제외합니다."),
    ("박물관은 어디에 있나요?", "시내 중심에 있습니다.",
     "박물관은 시내 중심에 있으며 역에서 걸어서 오 분 정도 걸립니다."),
)  # fmt: skip
CHINESE = (
    ("图书馆什么时候开门？", "上午八点开门。",
     "图书馆上午八点开门，星期天不开放。借书的人要出示证件，不能把书带到国外。"),
    ("商品可以在多长时间内退货？", "在购买后的三十天内。",
     "在购买后的三十天内可以退货，但是用过的商品不能退。这是公司的规定。"),
    ("博物馆在哪里？", "在市中心。",
     "博物馆在市中心，从车站走路五分钟就到。它是这个城市最大的博物馆。"),
)  # fmt: skip
TRADITIONAL = (
    ("圖書館什麼時候開門？", "上午八點開門。",
     "圖書館上午八點開門，星期天不開放。借書的人要出示證件，不能把書帶到國外。"),
    ("商品可以在多長時間內退貨？", "在購買後的三十天內。",
     "在購買後的三十天內可以退貨，但是用過的商品不能退。這是公司的規定。"),
    ("博物館在哪裡？", "在市中心。",
     "博物館在市中心，從車站走路五分鐘就到。它是這個城市最大的博物館。"),
)  # fmt: skip
THAI = (
    ("ห้องสมุดเปิดกี่โมง", "เปิดตอนแปดโมงเช้า",
     "ห้องสมุดเปิดตอนแปดโมงเช้าและปิดในวันอาทิตย์ ผู้ที่จะยืมหนังสือต้องมีบัตรของห้องสมุด"),
    ("คืนสินค้าได้ภายในกี่วัน", "ภายในสามสิบวัน",
     "คุณคืนสินค้าได้ภายในสามสิบวันจากวันที่ซื้อ และสินค้าต้องไม่มีการใช้งาน"),
    ("พิพิธภัณฑ์อยู่ที่ไหน", "อยู่ในใจกลางเมือง",
     "พิพิธภัณฑ์อยู่ในใจกลางเมือง และเป็นอาคารที่เก่าที่สุดของเมืองนี้"),
)  # fmt: skip
LITHUANIAN = (
    ("Kada atidaroma biblioteka?", "Ji atidaroma aštuntą valandą.",
     "Biblioteka atidaroma aštuntą valandą ir yra uždaryta sekmadienį, kad būtų tvarkoma."),
    ("Kaip grąžinti prekę?", "Ją galima grąžinti per mėnesį.",
     "Prekę galima grąžinti per mėnesį nuo pirkimo, kai ji nenaudota, ir už tai nereikia mokėti."),
    ("Kur yra muziejus?", "Jis yra prie upės.",
     "Muziejus yra prie upės, į jį galima eiti iš stoties, o apie kainą kas nors pasakys."),
)  # fmt: skip

WRITTEN = {
    "utf-8-sig": (GERMAN, JAPANESE),
    "utf-16": (GERMAN, RUSSIAN, CHINESE),
    "utf-16-le": (ENGLISH, JAPANESE, KOREAN),
    "cp1252": (GERMAN, FRENCH, SPANISH, ENGLISH),
    "iso8859-15": (GERMAN, FRENCH),
    "mac-roman": (GERMAN, FRENCH, SPANISH, ENGLISH),
    "cp850": (GERMAN, FRENCH, SPANISH),
    "cp1250": (POLISH, CZECH),
    "iso8859-2": (POLISH, CZECH),
    "cp852": (POLISH, CZECH),
    "cp1251": (RUSSIAN,),
    "koi8-r": (RUSSIAN,),
    "cp866": (RUSSIAN,),
    "iso8859-5": (RUSSIAN,),
    "cp1253": (GREEK,),
    "cp1254": (TURKISH,),
    "cp1255": (HEBREW,),
    "cp1256": (ARABIC,),
    "cp1257": (LITHUANIAN,),
    "cp874": (THAI,),
    "shift_jis": (JAPANESE,),
    "euc-jp": (JAPANESE,),
    "iso2022_jp": (JAPANESE,),
    "cp949": (KOREAN,),
    "big5": (TRADITIONAL,),
    "gb18030": (CHINESE,),
}
TABLES = [(encoding, rows) for encoding, languages in WRITTEN.items() for rows in languages]


def written(rows, encoding):
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["question", "response", "contexts"])
    writer.writerows(rows)
    # Where an encoding lacks a sign, as Arabic before 1990 does, programs leave it out
    return file.getvalue().encode(encoding, "ignore")


def texts(data):
    return [(each.question, each.response, *each.retrieved_documents) for each in data.samples]


def expected(rows, encoding):
    return [tuple(cell.encode(encoding, "ignore").decode(encoding) for cell in row) for row in rows]


def read_as(name, rows, encoding):
    """The texts in the encoding of that name; none where bytes of them are no characters."""
    try:
        return texts(load("a.csv", written(rows, encoding), encoding=name))
    except DatasetError:
        return []


@pytest.mark.parametrize(("encoding", "rows"), TABLES)
def test_a_table_of_three_rows_is_read_at_once(encoding, rows):
    loaded = open_file("a.csv", written(rows, encoding))

    assert loaded.guess.is_sure
    assert texts(loaded.data) == expected(rows, encoding)


@pytest.mark.parametrize(("encoding", "rows"), TABLES)
@pytest.mark.parametrize("place", range(3))
def test_a_single_row_is_never_read_wrongly_in_silence(encoding, rows, place):
    row = rows[place : place + 1]

    loaded = open_file("a.csv", written(row, encoding))

    if loaded.guess.is_sure:
        assert texts(loaded.data) == expected(row, encoding)
    else:
        offered = [reading.encoding for reading in loaded.encoding.readings]
        assert expected(row, encoding) in [read_as(name, row, encoding) for name in offered]


@pytest.mark.parametrize(
    ("word", "encoding"),
    [("а", "cp1251"), ("а", "koi8-r"), ("а", "gb18030"), ("车", "gb18030"), ("é", "cp1252")],
)
def test_a_single_word_is_asked_about_with_what_it_may_be(encoding, word):
    data = f"question,response\n{word},x\n".encode(encoding)

    with pytest.raises(DatasetError) as refused:
        load("a.csv", data)

    assert "The text is not UTF-8. It may be" in refused.value.message
    assert 'encoding="windows-1250"' in str(refused.value)


def test_columns_that_are_named_do_not_say_what_the_letters_are():
    data = "q,a\nа,я\n".encode("cp1251")

    with pytest.raises(DatasetError, match="It may be"):
        load("a.csv", data, {"question": "q", "response": "a"})


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("windows-1251", "cp1251"), ("Shift-JIS", "shift_jis"), ("KOI8-R", "koi8-r"),
     ("latin-1", "latin-1"), ("UTF8", "utf-8"), ("GBK", "gbk"), ("big5", "big5")],
)  # fmt: skip
def test_an_encoding_can_be_named_in_the_usual_ways(name, encoding):
    word = {"cp1251": "да", "shift_jis": "水", "koi8-r": "да", "gbk": "水", "big5": "水"}
    text = word.get(encoding, "é")

    data = load("a.csv", f"question,response\n{text},x\n".encode(encoding), encoding=name)

    assert data.samples[0].question == text


@pytest.mark.parametrize("name", ["klingon", "rot13", "hex", "unicode_escape", "idna"])
def test_what_is_no_encoding_of_texts_is_refused(name):
    with pytest.raises(ParameterError, match="not an encoding that is read"):
        load("a.csv", b"question,response\nq,r\n", encoding=name)


def test_signs_that_another_encoding_lacks_outweigh_a_word_that_it_has_by_chance():
    # Read as ISO 8859-15, "cœur" is "c", a control character, and "ur"; with "d" it leaves "est"
    rows = [*FRENCH * 3, ("Où est le cœur ?", "d\x9cest".encode("latin-1").decode("cp1252"), "x")]

    loaded = open_file("a.csv", written(rows, "cp1252"))

    assert loaded.guess.is_sure
    assert loaded.encoding.encoding == "cp1252"


@pytest.mark.parametrize(("encoding", "rows"), [("cp1251", RUSSIAN), ("shift_jis", JAPANESE)])
def test_json_lines_are_read_by_the_same_rule(encoding, rows):
    lines = [f'{{"question": "{row[0]}", "response": "{row[1]}"}}' for row in rows]

    data = load("a.jsonl", "\n".join(lines).encode(encoding))

    assert [each.question for each in data.samples] == [row[0] for row in rows]
