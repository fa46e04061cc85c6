"""What texts of a language look like, and the encodings that programs write them in.

By this an encoding is told that nothing in a file names; see `encoding_guess`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from evaluators.text.language import mark

_FOREIGN = "éèêëàâáäåæçíîïñóôöøúûüß"
"""Letters that stand in names and words from abroad in any Western text."""


class Alphabet(NamedTuple):
    """The letters of a language beside those of ASCII, in small letters, and its commonest words.

    Where words are not parted by spaces, `common` are characters or words wherever they stand.
    """

    letters: re.Pattern[str]
    common: tuple[str, ...]
    is_spaced: bool

    @classmethod
    def of(cls, letters: str, common: str, *, is_spaced: bool = True) -> Alphabet:
        return cls(re.compile(f"[{letters}]"), tuple(common.split()), is_spaced)


ALPHABETS = {
    "English": Alphabet.of(
        f"{_FOREIGN}²³¼½¾×÷±µ",
        "the of and to in is for a that on with as are it this by be or from what how which who "
        "when not was can",
    ),
    "German": Alphabet.of(
        _FOREIGN,
        "der die das und ist in den von zu mit nicht ein eine für auf des im wird dem es sich wie "
        "was welche oder sind werden bei kann als",
    ),
    "French": Alphabet.of(
        f"{_FOREIGN}ùÿœ",
        "la le les de des et est un une du que en dans pour il par qui sur au quelle quel sont ce "
        "avec pas à ou plus",
    ),
    "Spanish": Alphabet.of(
        f"{_FOREIGN}¿¡ºª",
        "el la los las de del y es un una que en por para con se qué cuál no su al como más son o "
        "cuándo dónde",
    ),
    "Portuguese": Alphabet.of(
        f"{_FOREIGN}ãõºª",
        "o a os as de do da dos das e é um uma que em no na por para com se qual não são ao como "
        "mais ou",
    ),
    "Italian": Alphabet.of(
        f"{_FOREIGN}ìòù",
        "il la lo gli le di del della e è un una che in per con non si qual quale sono da al come "
        "più i o nel",
    ),
    "Dutch": Alphabet.of(
        _FOREIGN,
        "de het een en van is in op te dat voor met zijn wat niet aan er om of als bij door wordt",
    ),
    "Swedish": Alphabet.of(
        _FOREIGN,
        "och i att det som en på är av för med den till ett har inte vad de om kan eller från",
    ),
    "Danish": Alphabet.of(
        _FOREIGN,
        "og i at det som en på er af for med den til et har ikke hvad de om kan eller fra der hvor",
    ),
    "Finnish": Alphabet.of(
        f"{_FOREIGN}šž",
        "ja on ei se että mitä joka ovat oli kuin tai mutta voi kun myös mikä ole",
    ),
    "Icelandic": Alphabet.of(
        f"{_FOREIGN}ðþý",
        "og í að er á sem til við af um en það ekki var eru með fyrir hvað hvar frá eða þú þessi",
    ),
    "Polish": Alphabet.of(
        "ąćęłńóśźż",
        "i w na z do nie jest się to o że co jak po od za dla są przez który ile kiedy lub jaki "
        "może oraz",
    ),
    "Czech": Alphabet.of(
        "áčďéěíňóřšťúůýž",
        "a v na je se z do že o s co to jak pro k jsou po kdy od byl nebo který není za by",
    ),
    "Slovak": Alphabet.of(
        "áäčďéíĺľňóôŕšťúýž",
        "a v na je sa z do že o s čo to ako pre k sú po kedy od bol alebo ktorý nie za by",
    ),
    "Hungarian": Alphabet.of(
        "áéíóöőúüű",
        "a az és hogy nem is egy van mi meg ez de volt mikor hol milyen vagy lehet mint csak mely",
    ),
    "Romanian": Alphabet.of(
        "ăâîşţ",
        "de şi în la a este cu pe un o care nu din sunt ce pentru al se mai sau cum",
    ),
    "Croatian": Alphabet.of(
        "čćđšž",
        "i u na je se za da od su s što koji ne o kako iz ili do kada nije po biti",
    ),
    "Slovene": Alphabet.of(
        "čšžćđ",
        "in v je na se za da so z s ki ne kaj o kako od ali do pri po ter kdaj",
    ),
    "Turkish": Alphabet.of(
        "çğıöşüâîİ",
        "ve bir bu için ile da de ne nasıl mi olarak en hangi kadar daha olan var çok kaç mı gibi "
        "veya",
    ),
    "Lithuanian": Alphabet.of(
        "ąčęėįšųūž",
        "ir yra kad su ar į iš kas kaip apie nuo per tai už ne buvo dėl kur kada arba po",
    ),
    "Latvian": Alphabet.of(
        "āčēģīķļņšūž",
        "un ir ar no kas par uz kā vai ko pēc kad tas bija lai kur šī nav",
    ),
    "Estonian": Alphabet.of(
        "äöõüšž",
        "ja on ei see et kui mis oma ta ka või kuidas oli millal aga kes saab",
    ),
    "Russian": Alphabet.of(
        "а-яё",
        "и в не на что с по для это как из к от а у за или о при его какой где когда быть",
    ),
    "Ukrainian": Alphabet.of(
        "а-щьюяєіїґ",
        "і в не на що з та до для це як із від у за або про при який де коли є",
    ),
    "Bulgarian": Alphabet.of(
        "а-ъьюя",
        "и в не на да се за от с е по което как при или че са къде кога във през",
    ),
    "Serbian": Alphabet.of(
        "а-ик-шђјљњћџ",
        "и у на је се да за од са су што који не или како до из када",
    ),
    "Greek": Alphabet.of(
        "α-ωάέήίόύώϊϋΐΰ",
        "και το η ο της του να την τα με για από στο που είναι ή θα των δεν οι σε τι πώς",
    ),
    "Hebrew": Alphabet.of("א-ת", "של את על לא זה עם או הוא מה היא כל כי אם גם יש איך היה אל"),
    "Arabic": Alphabet.of(
        "ء-غـ-ْ",
        "في من على إلى أن ما هو هي عن لا أو مع هذا هل كيف التي الذي كل كان",
    ),
    "Persian": Alphabet.of(
        "ء-غـ-ْپچژکگی\u200c",
        "و در به از که این را با است برای یا چه می آن تا هر یک كه اين براي",
    ),
    "Thai": Alphabet.of(
        "\u0e01-\u0e5b",
        "การ ที่ และ ของ ใน เป็น ไม่ มี ได้ ให้ จะ ความ จาก คุณ หรือ นี้ ว่า กับ โดย แล้ว อะไร คือ",
        is_spaced=False,
    ),
    "Japanese": Alphabet.of(
        "ぁ-ヿ一-鿿",
        "の は を に が で と た る す か な も い し て ん あ っ こ り れ さ ま",
        is_spaced=False,
    ),
    "Chinese": Alphabet.of(
        "一-鿿",
        "的 是 了 在 一 不 有 和 人 这 中 大 为 上 个 国 我 以 要 他 时 来 "
        "用 们 到 作 地 于 出 会 可 对 下 过 能 多 么 什 方 年 法 如 何 成",
        is_spaced=False,
    ),
    "traditional Chinese": Alphabet.of(
        "一-鿿",
        "的 是 了 在 一 不 有 和 人 這 中 大 為 上 個 國 我 以 要 他 時 來 "
        "用 們 到 作 地 於 出 會 可 對 下 過 能 多 麼 什 方 年 法 如 何 成",
        is_spaced=False,
    ),
    "Korean": Alphabet.of(
        "가-힣一-鿿",
        "이 다 는 을 의 에 가 고 하 지 기 사 은 를 도 로 한 시 어 자 해 인 대 리 수 정",
        is_spaced=False,
    ),
}

_WESTERN = (
    "English", "German", "French", "Spanish", "Portuguese", "Italian", "Dutch", "Swedish",
    "Danish", "Finnish", "Icelandic",
)  # fmt: skip
_CENTRAL = (
    "English", "German", "Polish", "Czech", "Slovak", "Hungarian", "Romanian", "Croatian",
    "Slovene",
)  # fmt: skip
_CYRILLIC = ("Russian", "Ukrainian", "Bulgarian", "Serbian")

LANGUAGES_OF = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "cp1251": _CYRILLIC,
    "cp1253": ("Greek",),
    "cp1254": ("Turkish",),
    "cp1255": ("Hebrew",),
    "cp1256": ("Arabic", "Persian"),
    "cp1257": ("Lithuanian", "Latvian", "Estonian"),
    "cp874": ("Thai",),
    "gb18030": ("Chinese", "traditional Chinese"),
    "cp932": ("Japanese",),
    "euc_jp": ("Japanese",),
    "cp949": ("Korean",),
    "big5hkscs": ("traditional Chinese",),
    "koi8-u": ("Russian", "Ukrainian"),
    "iso8859-2": _CENTRAL,
    "iso8859-5": _CYRILLIC,
    "iso8859-6": ("Arabic",),
    "iso8859-7": ("Greek",),
    "iso8859-15": _WESTERN,
    "mac-roman": _WESTERN,
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
    "cp866": ("Russian", "Ukrainian"),
}
"""The encodings that are guessed, those that are met most often first."""

TITLES = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": mark("Windows-1252 (Western)"),
    "cp1250": mark("Windows-1250 (Central European)"),
    "cp1251": mark("Windows-1251 (Cyrillic)"),
    "cp1253": mark("Windows-1253 (Greek)"),
    "cp1254": mark("Windows-1254 (Turkish)"),
    "cp1255": mark("Windows-1255 (Hebrew)"),
    "cp1256": mark("Windows-1256 (Arabic)"),
    "cp1257": mark("Windows-1257 (Baltic)"),
    "cp874": mark("Windows-874 (Thai)"),
    "cp932": mark("Shift-JIS (Japanese)"),
    "euc_jp": mark("EUC-JP (Japanese)"),
    "iso2022_jp": mark("ISO-2022-JP (Japanese)"),
    "cp949": mark("CP949 (Korean)"),
    "big5hkscs": mark("Big5 (traditional Chinese)"),
    "gb18030": mark("GB18030 (Chinese)"),
    "koi8-u": mark("KOI8 (Cyrillic)"),
    "iso8859-2": mark("ISO 8859-2 (Central European)"),
    "iso8859-5": mark("ISO 8859-5 (Cyrillic)"),
    "iso8859-6": mark("ISO 8859-6 (Arabic)"),
    "iso8859-7": mark("ISO 8859-7 (Greek)"),
    "iso8859-15": mark("ISO 8859-15 (Western)"),
    "mac-roman": mark("Mac Roman (Western)"),
    "cp850": mark("DOS 850 (Western)"),
    "cp852": mark("DOS 852 (Central European)"),
    "cp866": mark("DOS 866 (Cyrillic)"),
}
"""What encodings are called that can be chosen."""
