"""Statements in sentences: "The default of K is V", "K (default V)", "默认为 V"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..phrases import CLOSE, OPEN, phrases
from .blocks import as_key, unmarked

_LITERAL = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")
_BARE_KEY = re.compile(r"(?<![\w./])([A-Za-z_][\w\-]*(?:\.[A-Za-z_][\w\-]*)+|[A-Za-z]\w*_\w+)(?![\w(/])", re.A)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]\s*(?=$)|[。！？；]")
_UNITS = re.compile(
    r"^\s?((?:ms|msec|milliseconds?|s|secs?|seconds?|mins?|minutes?|hours?|days?|[KMGT]i?B|bytes?|秒|分钟|小时|天)\b)"
)
_LONG = 400
"""The characters around a word for "default" in which its value and key are looked for."""

_EQUALS = re.compile(f"{OPEN}([A-Za-z_][\\w.\\-]*)(?:\\s*=\\s*|:\\s+)([^=\\s{CLOSE}][^{CLOSE}]*){CLOSE}$")
_ASSIGNED = re.compile(r"(?<![\w.])([A-Za-z_][\w.\-]*)\s?=\s?$")
_CASES = re.compile(r"[^\s,:]+,\s?[A-Za-z]\w*:\S")  # of "default:200,mongodb:50": a value for each of several cases
_SUBJECT = re.compile(r"(?:^|[.;:!?。]\s+)(?:the\s+)?([A-Za-z]\w*)\s$", re.I)
_TITLE = re.compile(r"[A-Z][A-Za-z]+")
_OF_ITS_OWN = re.compile(rf"[A-Za-z]+(?: [a-z]+){{1,3}}\s?[:：]\s|{OPEN}--")
"""How a text begins that is not about the plain title over it: "with memory: …", "``--flag`` …"."""
OPTION = re.compile(r"[(（](?:(?:the )?default|(?:默认|缺省|預設|默認|既定|デフォルト|初期|規定)[值値]?)[)）]", re.I)
"""What marks one of several values as the default."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value in a block's text: its keys, likeliest first; ``start`` is its offset in the marked text."""

    keys: tuple[str, ...]
    value: str
    start: int
    literal: bool
    loose: bool = False
    conditional: bool = False


def find(
    text: str,
    head: str = "",
    parents: tuple[str, ...] = (),
    heading: str = "",
    owned: bool = False,
    block: str = "",
) -> Iterator[Found]:
    """The statements in the marked text of one block.

    ``head`` is the key that the block stands under (its bullet's first literal, its row's key), ``parents`` the keys of
    the bullets around it, ``heading`` the section's title where it is a key. ``owned`` says that the whole text speaks
    of ``head`` (a row of a table), so that another key just before "(default X)" is not meant. ``block`` is the one key
    of a block of YAML just above.
    """
    p = phrases()
    if not p.word.search(text):
        return
    if _TITLE.fullmatch(heading) and _OF_ITS_OWN.match(text) and not head:
        heading = ""
    beside = (heading, block) if _BARE_KEY.fullmatch(heading) else (block, heading)
    around = tuple(k for k in (head, *parents, *beside) if k)
    taken: list[tuple[int, int]] = []
    found: list[Found] = []
    label = re.match(r"^\s*([^:：\n]{1,20}?)\s*[:：]\s*", unmarked(text))
    if label and p.is_label(label.group(1)) and around:
        value = text[re.match(r"^[^:：]*[:：]\s*", text).end() :]  # type: ignore[union-attr]
        said = list(_labelled(value, text, around))
        again = find(value, head, parents, heading, owned, block) if said and p.word.search(said[0].value) else ()
        inner = [
            replace(hit, keys=around, start=hit.start + len(text) - len(value))
            for hit in again
            if hit.value.startswith(OPEN)
        ]
        yield from inner or [
            hit for hit in said if not _CASES.match(hit.value)
        ]  # "default: if unset, defaults to ``0``"
        return
    begin, end = _stretch(text)
    spoken = [language for language, word in enumerate(p.words) if word.search(text)]
    for pattern in p.patterns:
        if pattern.language not in spoken:
            continue
        for hit in pattern.find(text, begin, end):
            if any(a < hit.end() and hit.start() < b for a, b in taken) or _forbidden(text, hit):
                continue
            value, start = _whole_value(text, hit.start("value"), hit.end("value"))
            if _is_name(value, text, hit) or _CASES.match(value):
                continue
            own = as_key(hit.group("key")) if pattern.has_key else ""
            own = "" if owned and head and hit.start("value") > hit.start("key" if pattern.has_key else 0) else own
            assigned = _ASSIGNED.search(text, max(0, start - 120), start)
            own = own or (assigned.group(1) if assigned and not p.is_label(assigned.group(1)) else "")
            equals = _EQUALS.match(value)
            if equals:
                own = own or equals.group(1)
                start, value = start + equals.start(2), value[equals.start(2) : -1]
            value, start, plain = _qualified(text, value, start)
            keys = _candidates(text, hit.start(), start, value, own, around, not head and not parents)
            taken.append((hit.start(), max(hit.end(), start + len(value))))
            if keys:
                nearer = _nearer(text, hit.start(), start, head) if not (own or owned) else ""
                other = not own and _has_subject(text, hit.start())
                loose = other or (not own and ((keys[0] != head and keys[0] not in around) or nearer != ""))
                sure = plain and (bool(equals) or _is_literal(value))
                found.append(Found(keys, value, start, sure, loose, _in_one_case(text, hit.start())))
            if pattern.has_key:
                found.extend(_following(text, hit.end(), taken))
    others = (*_undone(text, around), *_named(text, around, spoken))
    found += [other for other in others if not any(a <= other.start < b for a, b in taken)]
    yield from sorted(found, key=lambda f: f.start)
    if not found and head and parents and OPTION.search(text):
        first = _LITERAL.search(text)
        if first and as_key(first.group(1)) == head:
            yield Found(parents, first.group(0), first.start(), True)


def _undone(text: str, around: tuple[str, ...]) -> Iterator[Found]:
    """What does not happen by default, where the name of a key that stands in the text or around it has the verb."""
    for pattern in phrases().undone:
        for hit in pattern.finditer(text):
            keys = _keys_with(hit.group("verb"), text, around)
            if keys:
                yield Found(keys, hit.group("value"), hit.start("value"), False, True)


def _named(text: str, around: tuple[str, ...], spoken: list[int]) -> Iterator[Found]:
    """ "The default port is 80", where the name of a key that stands in the text or around it has the noun."""
    for pattern in phrases().named:
        for hit in pattern.regex.finditer(text) if pattern.language in spoken else ():
            if _forbidden(text, hit):
                continue
            value, start = _whole_value(text, hit.start("value"), hit.end("value"))
            keys = _keys_with(hit.group("noun"), text[: hit.start()], around)
            if keys and not _is_name(value, text, hit):
                yield Found(keys, value, start, _is_literal(value), True, _in_one_case(text, hit.start()))


def _keys_with(word: str, text: str, around: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a text and around it whose names have a word."""
    literals = [as_key(literal.group(1)) for literal in _LITERAL.finditer(text)]
    words = {key: re.split(r"[_.\-]+", key.rpartition(".")[2].lower()) for key in (*literals, *around) if key}
    return tuple(key for key, parts in words.items() if word.lower() in parts)


def _in_one_case(text: str, start: int) -> bool:
    """Whether the sentence begins with the case in which it holds ("In the asynchronous mode, …")."""
    begin = max((m.end() for m in _SENTENCE_END.finditer(text, 0, start)), default=0)
    return phrases().in_one_case.match(text, begin, start) is not None


def _stretch(text: str) -> tuple[int, int]:
    """The part of a long text that can hold a statement: around the words for "default"."""
    if len(text) < _LONG:
        return 0, len(text)
    places = [hit.start() for hit in phrases().word.finditer(text)]
    end = text.find(" ", min(places[-1] + _LONG, len(text)))
    return max(places[0] - _LONG, 0), len(text) if end < 0 else end


def _labelled(value: str, text: str, around: tuple[str, ...]) -> Iterator[Found]:
    """``default: X`` under the key: a leading literal, else the first sentence."""
    start = text.index(value) if value else len(text)
    literal = _LITERAL.match(value)
    if literal:
        yield Found(around, literal.group(0), start, True)
        return
    sentence = re.split(r"\.\s|\n|。", value, maxsplit=1)[0].strip()
    if sentence:
        yield Found(around, sentence, start, False)


def _following(text: str, position: int, taken: list[tuple[int, int]]) -> Iterator[Found]:
    """ "A defaults to 3, B to 1": the second half."""
    for pattern in phrases().follow_on:
        while hit := pattern.regex.match(text, position):
            value, start = _whole_value(text, hit.start("value"), hit.end("value"))
            key = as_key(hit.group("key"))
            position = max(hit.end(), start + len(value))
            taken.append((hit.start(), position))
            if key:
                yield Found((key,), value, start, _is_literal(value))


def _forbidden(text: str, hit: re.Match[str]) -> bool:
    """Whether the sentence is about the word itself ("changed the default from …", "default branch")."""
    begin = max((m.end() for m in _SENTENCE_END.finditer(text, 0, hit.start())), default=0)
    end = _SENTENCE_END.search(text, hit.end())
    return bool(phrases().never.search(text, begin, end.end() if end else len(text)))


def _whole_value(text: str, start: int, end: int) -> tuple[str, int]:
    """The value with the unit behind a number, without stops."""
    value = text[start:end]
    unit = _UNITS.match(text[end : end + 16]) if re.fullmatch(r"[-+]?[\d_.,]+", value) else None
    if unit and not value.endswith((".", ",")):
        value = text[start : end + unit.end()]
    more = re.match(r"(?:,\s?[\w.-]+)+(?=[;.)\s]|$)", text[end : end + 80]) if re.fullmatch(r"[\w.-]+", value) else None
    if more and not unit and " " not in more.group(0).replace(", ", ","):
        listed = value + more.group(0)
        if re.fullmatch(r"[a-z]\w*(?:,\s?[a-z]\w*)+", listed) and text[end + more.end() :][:1] in (";", ")", ""):
            value = listed
    return value.rstrip(",.;:，。；" if len(value) > 1 and not value.startswith(OPEN) else ""), start


def _qualified(text: str, value: str, start: int) -> tuple[str, int, bool]:
    """The value with a "not" before it, or with the condition behind it; and whether it had neither."""
    p = phrases()
    no = p.negation.search(text, max(0, start - 16), start)
    if no is not None and no.end() == start:
        return text[no.start() : start] + value, no.start(), False
    end = start + len(value)
    sentence = _SENTENCE_END.search(text, end)
    rest = text[end : sentence.start() if sentence else len(text)]
    if p.otherwise.match(rest):
        return value + rest, start, False
    return value, start, True


def _is_name(value: str, text: str, hit: re.Match[str]) -> bool:
    """Whether a bare word is part of a name or of a call, and so no value."""
    return not value or (value[0].isalpha() and text[hit.end("value") : hit.end("value") + 1] == "(")


def _is_literal(value: str) -> bool:
    return (
        value[:1] in (OPEN, '"', "'", "“", "‘", "[", "{") or value[:1].isdigit() or value[:2].strip("-")[:1].isdigit()
    )


def _candidates(
    text: str, start: int, value_start: int, value: str, own: str, around: tuple[str, ...], titled: bool
) -> tuple[str, ...]:
    """The keys that the sentence may mean: named by its words, its bullet's head, a literal before, the parents.

    ``titled`` says that nothing but the section's title stands around.
    """
    inner = unmarked(value)
    begin = max((m.end() for m in _SENTENCE_END.finditer(text, 0, start)), default=0)
    near = [(m.start(), as_key(m.group(1))) for m in _LITERAL.finditer(text, 0, value_start)]
    near += [
        (m.start(), m.group(1)) for m in _BARE_KEY.finditer(text, 0, value_start) if _outside_literal(text, m.start())
    ]
    near = sorted((at, key) for at, key in near if key and at != value_start)
    close = [key for at, key in reversed(near) if at >= begin][:1]
    keys = [own] if own else []
    # a literal in the sentence says more than the section's title, and less than the bullet that it stands in
    keys += [*close, *around[:1]] if titled else [*around[:1], *close]
    keys += close or [key for at, key in reversed(near)][:1]
    after = (
        [as_key(m.group(1)) for m in _LITERAL.finditer(text, value_start + len(value))]
        if not near and not around
        else []
    )
    keys += [key for key in after[:1] if key]
    keys += around[1:]
    return tuple(dict.fromkeys(key for key in keys if key and key != inner))


def _has_subject(text: str, start: int) -> bool:
    """Whether a noun of its own begins the sentence ("File defaults to …"), so that the key around may not be meant."""
    subject = _SUBJECT.search(text, max(0, start - 60), start)
    return (
        subject is not None
        and text[start : start + 7].lower() == "default"
        and subject.group(1).lower() not in phrases().itself
    )


def _nearer(text: str, start: int, value_start: int, head: str) -> str:
    """A literal of the sentence that stands nearer to the value than the key that its bullet stands under."""
    begin = max((m.end() for m in _SENTENCE_END.finditer(text, 0, start)), default=0)
    near = [key for m in _LITERAL.finditer(text, begin, value_start) if (key := as_key(m.group(1)))]
    return near[-1] if near and head and near[-1] != head else ""


def _outside_literal(text: str, position: int) -> bool:
    return text.count(OPEN, 0, position) == text.count(CLOSE, 0, position)
