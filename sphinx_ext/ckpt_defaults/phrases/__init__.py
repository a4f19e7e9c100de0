"""How a language says "default": its words for values, its column heads and its sentences, as data.

One YAML file a language lies beside this module; a new language is a new file. ``{V}`` in a pattern stands for a value
(a bare word only at the end of a clause), ``{W}`` for one that cannot be mistaken for an ordinary word, ``{B}`` for one
that may be any word, ``{K}`` for a key.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..settings import load, yaml_files

OPEN, CLOSE = "\x01", "\x02"
"""Marks around a literal in the text of a block (see statements/blocks.py)."""

_LITERAL = f"{OPEN}[^{CLOSE}]*{CLOSE}"
_QUOTED = r"\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|“[^”\n]{0,80}”|‘[^’\n]{0,80}’|「[^」\n]{0,80}」"
_BRACKETS = r"\[[^\[\]\n]{0,200}\]|\{[^{}\n]{0,200}\}"
_NUMBER = (
    r"(?<![\w.])[-+−]?(?:\d[\d_,]{0,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,4})?(?!\w|\.\d|[:/]\d)(?:\s?%)?"
)
_DOTTED = r"(?<![\w.])v?\d{1,5}(?:\.\d{1,5}){2,8}(?::\d{1,5}|/\d{1,3})?(?![\w./:-]*\w)"  # addresses and versions
_MEASURE = r"(?<![\w.])\d{1,20}(?:\.\d{1,20})?(?:ms|[smhdw]|[KMGTP]i?B?|[kg]b?|px|rem|em)(?![\w.]*\w)"
_WORD = r"[A-Za-z~/$](?:[\w./~:+*\-]*[\w/~+*\-])?"
# Begun at a word's first letter and bounded, so that no long line is gone through from each of its letters.
_KEY = (
    rf"{OPEN}[^{CLOSE}\s]{{1,300}}{CLOSE}"
    r"|(?<![\w.\-])(?:[A-Za-z_][\w\-]{0,80}(?:\.[\w*\-]{1,80}){1,20}|[A-Za-z]\w{0,80}_\w{1,80})"
)


_SIGN = re.compile(r"\{[KVWB]\}")


@dataclass(frozen=True)
class Pattern:
    """A compiled sentence; ``key`` and ``value`` are its groups (``key`` may be absent).

    ``language`` counts the languages in the order of :attr:`Phrases.words`. ``behind`` is what has to stand behind the
    key or value with which a sentence begins: it is sooner looked for than a value at each letter.
    """

    regex: re.Pattern[str]
    has_key: bool
    language: int = 0
    behind: re.Pattern[str] | None = None

    def find(self, text: str, begin: int, end: int) -> Iterator[re.Match[str]]:
        """The sentences of this form between two offsets of ``text``."""
        if self.behind is not None and not self.behind.search(text, begin, end):
            return iter(())
        return self.regex.finditer(text, begin, end)


@dataclass(frozen=True)
class Phrases:
    """All languages together."""

    word: re.Pattern[str]
    words: tuple[re.Pattern[str], ...]
    patterns: tuple[Pattern, ...]
    follow_on: tuple[Pattern, ...]
    never: re.Pattern[str]
    heads: re.Pattern[str]
    labels: frozenset[str]
    values: Mapping[str, str]
    stop: frozenset[str]
    itself: frozenset[str]
    listing_defaults: re.Pattern[str]
    listing_values: re.Pattern[str]
    listing_example: re.Pattern[str]
    listing_usage: re.Pattern[str]
    sections: re.Pattern[str]
    announces: re.Pattern[str]
    negation: re.Pattern[str]
    undone: tuple[re.Pattern[str], ...]
    named: tuple[Pattern, ...]
    in_one_case: re.Pattern[str]
    otherwise: re.Pattern[str]
    weak_heads: re.Pattern[str]
    no_value: frozenset[str]
    inherits: re.Pattern[str]

    def is_head(self, text: str) -> bool:
        """Whether a column head says that its column holds defaults (units in brackets are ignored)."""
        bare = re.sub(r"[(（\[].*?[)）\]]", "", text).strip(" :：*`").lower()
        whole = text.strip(" :：*`").lower()
        return bool(self.heads.fullmatch(whole) or self.heads.fullmatch(bare))

    def may_be_head(self, text: str) -> bool:
        """Whether a column head may mean defaults ("Value"): what its cells say has to show it."""
        return bool(self.weak_heads.fullmatch(text.strip(" :：*`").lower()))

    def is_label(self, text: str) -> bool:
        """Whether a field's or bullet's name says that the default follows."""
        return text.strip(" :：*`").lower() in self.labels


@functools.lru_cache(maxsize=1)
def phrases() -> Phrases:
    """The phrases of every language that has a file here."""
    languages = [load(file)[0].value for file in yaml_files(os.path.dirname(__file__))]
    values: dict[str, str] = {}
    for language in languages:
        for meaning, words in language.get("values", {}).items():
            values.update({word.lower(): meaning for word in words})
    vocabulary = "|".join(re.escape(w) for w in sorted(values, key=len, reverse=True))
    stop, ends = _gather(languages, "stop"), _gather(languages, "ends")

    def compiled(section: str) -> tuple[Pattern, ...]:
        texts = [(text, number) for number, language in enumerate(languages) for text in language.get(section, ())]
        return tuple(replace(_compile(text, vocabulary, stop, ends), language=number) for text, number in texts)

    def either(section: str, *parts: str) -> re.Pattern[str]:
        texts: list[str] = []
        for language in languages:
            said: Any = language.get(section, {} if parts else [])
            for found in [said.get(part, []) for part in parts] if parts else [said]:
                texts += [found] if isinstance(found, str) else found
        return re.compile("|".join(f"(?:{t})" for t in texts) or r"(?!)", re.I)

    return Phrases(
        word=either("word"),
        words=tuple(re.compile(language["word"], re.I) for language in languages),
        patterns=compiled("patterns"),
        follow_on=compiled("follow_on"),
        never=either("never"),
        heads=either("heads"),
        labels=frozenset(_gather(languages, "labels")),
        values=values,
        stop=frozenset(stop),
        itself=frozenset(_gather(languages, "itself")),
        listing_defaults=either("listing", "defaults", "whole"),
        listing_values=either("listing", "values", "whole"),
        listing_example=either("listing", "example"),
        listing_usage=either("listing", "usage"),
        sections=either("sections"),
        announces=either("announces"),
        negation=either("negation"),
        undone=tuple(re.compile(text, re.I) for language in languages for text in language.get("undone", ())),
        named=compiled("named"),
        in_one_case=either("in_one_case"),
        otherwise=either("otherwise"),
        weak_heads=either("weak_heads"),
        no_value=frozenset(_gather(languages, "no_value")),
        inherits=either("inherits"),
    )


def _gather(languages: list[Any], section: str) -> list[str]:
    return [str(word).lower() for language in languages for word in language.get(section, ())]


def _compile(text: str, vocabulary: str, stop: list[str], ends: list[str]) -> Pattern:
    clause_ends = r"(?!\s+(?!(?:by|for|in|on|if|and|when|to|since|because)\b|\()[a-z])"
    western = "|".join(word for word in vocabulary.split("|") if word.isascii())
    words = rf"(?<![\w])(?:{western})(?![\w]){clause_ends}"
    eastern = "|".join(word for word in vocabulary.split("|") if not word.isascii()) or "(?!)"
    cjk = rf"(?:{eastern})(?![\w\"'“‘「\[])"  # "默认是300": the value is what follows
    strict = f"{_LITERAL}|{_QUOTED}|{_BRACKETS}|{_NUMBER}|{_DOTTED}|{_MEASURE}|{words}|{cjk}"
    strict += r"|(?<![\w])(?:[Tt]rue|[Ff]alse|TRUE|FALSE|None|null)(?![\w])"
    stopped = "|".join(re.escape(word) for word in sorted(stop, key=len, reverse=True))
    ended = rf"(?=\s*(?:[.,;:)\]|。，；：、）]|$|{'|'.join(map(re.escape, ends)) or '(?!)'})|\s*\n)"
    begun = rf"(?!(?:{stopped})(?![\w/.\-]))(?<![\w])"
    loose = rf"{strict}|{begun}(?:True|False|None|(?-i:{_WORD})(?:{ended}|(?<=[\d_/~])(?![\w.])))"
    any_word = rf"{strict}|{begun}{_WORD}"
    text = text.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}")
    behind = _SIGN.split(text)[1] if _SIGN.match(text) else ""
    body = text.replace("{K}", f"(?P<key>{_KEY})")
    for sign, value in (("{V}", loose), ("{W}", strict), ("{B}", any_word)):
        body = body.replace(sign, f"(?P<value>{value})")
    if text[0].isascii() and text[0].isalpha():
        body = r"(?<![\w.])" + body
    # ASCII: where no spaces stand between words, "默认为true" and "既定値は5です" are not one word
    flags = re.I | re.A
    return Pattern(
        re.compile(body, flags), "{K}" in text, behind=re.compile(behind, flags) if _is_whole(behind) else None
    )


def _is_whole(part: str) -> bool:
    """Whether a part of a pattern, between two values, is one by itself: it says something, and opens no group."""
    bare = re.sub(r"\\.", "", part)
    return bool(part) and bare.count("(") == bare.count(")")
