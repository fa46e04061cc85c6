"""From bytes to text, read in pieces: packed or not, in the encodings that programs write."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

from evaluators.config import Config
from evaluators.datasets.encoding_guess import (
    EncodingGuess,
    encoding_named,
    guess_encoding,
    title_of,
)
from evaluators.errors import DatasetError
from evaluators.records import Remedy
from evaluators.text.language import mark, say

GZIP = b"\x1f\x8b"
DAMAGED = re.compile("[\ud800-\udfff]")
"""Stands where a byte fits no character."""
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
_PIECE = 2**20
_BLOCK = 2**16
"""Bytes by which the encoding of a stream is told."""
_MOST_BLANK = 1_000_000
"""Lines without a letter in a row: packed, as many as take minutes are a few hundred KB."""
_BYTES_PER_NUL = 1000
"""A file with more NUL characters is not a text: of random bytes each 256th is one."""


@dataclass(frozen=True)
class Text:
    """A text file whose encoding is known; `guess` is what it was told by, where nobody named it.

    Each call of a method reads it anew, so that it is never held whole.
    """

    data: bytes
    encoding: str
    nuls: int = 0
    guess: EncodingGuess | None = None

    def stream(self) -> io.TextIOWrapper:
        """The text as a stream that leaves line ends as they are."""
        return io.TextIOWrapper(
            _binary(self.data),
            encoding=self.encoding,
            errors=_errors(self.encoding),
            newline="",
        )

    def lines(self, longest: int) -> Iterator[str]:
        """Line by line; one longer than `longest` is cut, but stays longer than that."""
        return lines_of(self.stream(), longest)

    def pieces(self) -> Iterator[str]:
        """The text in pieces of a million characters."""
        stream = self.stream()
        while piece := stream.read(_PIECE):
            yield piece

    def start(self, most: int) -> str:
        """Its first characters, so many at most."""
        return self.stream().read(most)

    @property
    def is_whole(self) -> bool:
        """Whether every byte is known to be part of a character."""
        return self.encoding.startswith("utf-16") or self.encoding == "utf-8-sig"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed."""
        if self.nuls:
            return (say("{nuls:,} NUL characters were left out.", nuls=self.nuls),)
        if self.guess:
            title = title_of(self.encoding)
            return (say("The text is not UTF-8; it was read as {encoding}.", encoding=title),)
        is_damaged = self.encoding == "utf-8"
        return (say("Some bytes are not UTF-8; their rows were left out."),) if is_damaged else ()


def lines_of(stream: io.TextIOWrapper, longest: int) -> Iterator[str]:
    """The lines of a stream; one longer than `longest` is cut, but stays longer than that.

    Raises `DatasetError` where it goes on and on without a letter.
    """
    blank = 0
    while line := stream.readline(longest + 1):
        blank = 0 if line.strip() else blank + 1
        if blank > _MOST_BLANK:
            words = mark("{most:,} lines in a row are empty. Save the file without them.")
            raise DatasetError(say(words, most=_MOST_BLANK))
        is_cut = len(line) > longest and not line.endswith(("\n", "\r"))
        # Blanks at its end would be stripped, and then it would not be known to be too long.
        yield f"{line}…" if is_cut else line
        while len(line) > longest and not line.endswith(("\n", "\r")):
            line = stream.readline(longest + 1)
            if not line:
                break


def text_of(
    name: str,
    data: bytes,
    limits: Config,
    encoding: str = "",
    *,
    is_cut: bool = False,
) -> Text:
    """The text in a file, in the `encoding` that somebody names, or that it seems to have.

    Raises `DatasetError` for one that is too large, broken or no text. What `is_cut` may end within
    a character.
    """
    try:
        nuls = _few_nuls(name, data, limits)
        if nuls:
            data = b"".join(_pieces(name, data, limits)).replace(b"\0", b"")
        if encoding:
            encoding = encoding_named(encoding)
        found = _encoding(name, data, limits, encoding, is_cut=is_cut)
        if isinstance(found, EncodingGuess):
            return Text(data, found.encoding, nuls, found)
        return Text(data, found, nuls)
    except (EOFError, OSError, zlib.error) as error:
        raise DatasetError(
            say(
                "{name} cannot be unpacked ({error}). Pack it again, or choose it unpacked.",
                name=name,
                error=error,
            )
        ) from error


def text_stream(binary: BinaryIO, limits: Config, encoding: str = "") -> io.TextIOWrapper:
    """The text in a stream of any length, read once and in blocks, without NUL characters.

    Its encoding is the one that somebody names, or is told by the first block that is not plain
    ASCII. Bytes that fit no character become half characters. Where it is no text, or may be in
    several encodings, reading it raises `DatasetError`.
    """
    blocks = _as_utf8(binary, limits, encoding_named(encoding) if encoding else "")
    buffered = io.BufferedReader(_Blocks(block.replace(b"\0", b"") for block in blocks), _BLOCK)
    # The mark that Excel puts in front would else belong to the first column's name
    return io.TextIOWrapper(buffered, "utf-8-sig", "surrogateescape", newline="")


class _Blocks(io.RawIOBase):
    """Blocks of bytes, read as a stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # An empty block is not the end
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._left = block
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _as_utf8(binary: BinaryIO, limits: Config, encoding: str) -> Iterator[bytes]:
    """The bytes of a text as those of UTF-8, as far as they fit characters."""
    block = _telling_block(binary)
    encoding = encoding or _encoding_of_head(block, limits)
    # ASCII is the same in all encodings but UTF-16, and that is known by its beginning
    while block and encoding == "ascii":
        yield block
        block = _telling_block(binary)
        if not block.isascii():
            encoding = _encoding_of_block(block)
    rest = chain([block], iter(partial(binary.read, _BLOCK), b""))
    if encoding in ("ascii", "utf-8", "utf-8-sig"):
        yield from rest
        return
    errors = _errors(encoding)
    for text in codecs.iterdecode(rest, encoding, errors):
        # Half characters as three bytes each, which can form no other character with neighbours
        yield text.encode("utf-8", "surrogatepass")


def _telling_block(binary: BinaryIO) -> bytes:
    """The next block, and one more where it is not plain ASCII."""
    block = binary.read(_BLOCK)
    # The only other character may be its last one and cut; and one alone tells little
    return block if block.isascii() else block + binary.read(_BLOCK)


def _encoding_of_head(head: bytes, limits: Config) -> str:
    """The encoding by the first block of a text; `ascii` where it may be almost any."""
    if not head.strip():
        return "ascii"
    text = text_of("It", head, limits, is_cut=True)
    if text.guess:
        return _clear(text.guess)
    is_ascii = text.encoding == "utf-8-sig" and head.isascii()
    return "ascii" if is_ascii else text.encoding


def _encoding_of_block(block: bytes) -> str:
    """The encoding by a later block, before which all was ASCII."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block)
    except UnicodeDecodeError:
        other = _other(block)
        return other if isinstance(other, str) else _clear(other)
    return "utf-8"


def _clear(guess: EncodingGuess) -> str:
    """The encoding; raises `DatasetError` where another one is about as likely."""
    if doubt := guess.doubt:
        raise DatasetError(doubt, remedy=Remedy("name_encoding"))
    return guess.encoding


def _errors(encoding: str) -> str:
    """What becomes of damaged bytes: half characters, by which their rows are found."""
    return "strict" if encoding.startswith("utf-16") else "surrogateescape"


def _binary(data: bytes) -> gzip.GzipFile | io.BytesIO:
    file = io.BytesIO(data)
    return gzip.GzipFile(fileobj=file) if data.startswith(GZIP) else file


def _pieces(name: str, data: bytes, limits: Config) -> Iterator[bytes]:
    stream, size = _binary(data), 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > limits.decoded_bytes:
            limit = limits.decoded_bytes // 2**20
            raise DatasetError(
                say(
                    "{name} unpacks to more than {limit} MB, the limit. Split it or leave out "
                    "columns.",
                    name=name,
                    limit=limit,
                )
            )
        yield piece


def _few_nuls(name: str, data: bytes, limits: Config) -> int:
    """How many NUL characters stand in UTF-8 text, where they are few: they came with text copied
    from a PDF.

    0 where there are none, or too many for a text.
    """
    if b"\0" not in data and not data.startswith(GZIP):
        return 0
    size = nuls = 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in _pieces(name, data, limits):
            size += len(piece)
            nuls += piece.count(b"\0")
            decoder.decode(piece)
    except UnicodeDecodeError:
        return 0
    return nuls if nuls * _BYTES_PER_NUL <= size else 0


def _encoding(
    name: str,
    data: bytes,
    limits: Config,
    wanted: str,
    *,
    is_cut: bool,
) -> str | EncodingGuess:
    """One look at every piece: whether it is UTF-8 throughout, or what the first other piece is."""
    encoding = wanted or _by_its_beginning(_binary(data).read(2**16)) or "utf-8"
    is_wide = encoding.startswith("utf-16")
    decoder = codecs.getincrementaldecoder(encoding)()
    is_blank = True
    found: str | EncodingGuess = ""
    # To the end even where the encoding is found: the size is checked, and binary parts come late
    for piece in _pieces(name, data, limits):
        is_blank = is_blank and not piece.strip()
        _check_text(name, not is_wide and b"\0" in piece)
        if found:
            continue
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError:
            _check_text(name, is_wide)
            found = wanted or _other(piece)
        else:
            _check_text(name, is_wide and "\0" in text)
    if is_blank:
        raise DatasetError(say("{name} is empty. Choose a file with rows.", name=name))
    if not found and not is_cut:
        found = "" if _is_whole(name, decoder, is_wide) else encoding
    # Without a damaged byte; and the mark that Excel puts in front is no letter
    return found or ("utf-8-sig" if encoding == "utf-8" else encoding)


def _is_whole(name: str, decoder: codecs.IncrementalDecoder, is_wide: bool) -> bool:
    """Whether a text does not break off within a character; then the last row is damaged."""
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        _check_text(name, is_wide)
        return False
    return True


def _check_text(name: str, is_binary: bool) -> None:
    if is_binary:
        raise DatasetError(
            say(
                "{name} is not text. Save the data as CSV, JSON, JSON Lines, XLSX or Parquet.",
                name=name,
            )
        )


def _by_its_beginning(start: bytes) -> str:
    """UTF-16 by its byte order mark or its zeros, ISO-2022-JP by its marks; empty without any."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if start.isascii() and (b"\x1b$B" in start or b"\x1b$@" in start):
        return "iso2022_jp"
    even = start[::2].count(0)
    odd = start[1::2].count(0)
    # Plain letters have a zero in every second byte, and other characters hardly any
    is_mixed = min(even, odd) * 10 > max(even, odd)
    is_rare = max(even, odd) * 200 < len(start)
    if is_mixed or is_rare:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _other(piece: bytes) -> str | EncodingGuess:
    """The encoding of bytes that are not UTF-8: damaged where they mostly are, or another one."""
    as_utf8 = piece.decode("utf-8", "replace")
    strange = "".join(_NOT_ASCII.findall(as_utf8))
    wrong = strange.count("\ufffd")
    if len(strange) - wrong > 3 * wrong:
        return "utf-8"
    return guess_encoding(piece)
