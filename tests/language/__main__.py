"""Brings the catalogue up to date: adds texts that are new, drops those that no code has any more."""

from tests.language.messages import FILE, ROOT, texts_of_code, translations, write

if __name__ == "__main__":
    known = translations() if FILE.exists() else {}
    texts = texts_of_code()
    write({text: known.get(text, "") for text in texts})
    missing = [text for text in texts if not known.get(text)]
    for text in missing:
        print(f"{texts[text]}: {text.english!r}")
    dropped = len(known.keys() - texts.keys())
    where = FILE.relative_to(ROOT)
    print(f"{where}: {len(texts)} texts, {len(missing)} to translate, {dropped} dropped.")
