"""Whether two doctrees are the same but for values that were replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docutils import nodes

from ..wording import say


class Unlike(Exception):
    """Two doctrees differ in more than the values; the message says in what."""


def check_alike(before: nodes.Node, after: nodes.Node, edits: Sequence[tuple[str, str]]) -> None:
    """Compares the trees of a page before and after ``edits`` of (old, new). Raises :class:`Unlike`."""
    pairs = list(dict.fromkeys(edits))
    for old, new in _differing_texts(before, after):
        if not _explained(old, new, pairs):
            raise Unlike(say("the page would read otherwise there"))


def _differing_texts(a: nodes.Node, b: nodes.Node) -> Iterator[tuple[str, str]]:
    if type(a) is not type(b):
        raise Unlike(say("it would be read as other markup"))
    if isinstance(a, nodes.Text):
        if a.astext() != b.astext():
            yield a.astext(), b.astext()
        return
    if isinstance(a, nodes.Element) and isinstance(b, nodes.Element):
        if a.attributes != b.attributes:
            raise Unlike(say("a name or target of the page would change with it"))
        if len(a.children) != len(b.children):
            raise Unlike(say("it would be read as other markup"))
        for x, y in zip(a.children, b.children, strict=True):
            yield from _differing_texts(x, y)


def _explained(a: str, b: str, pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether ``b`` is ``a`` with some of the old values replaced by their new ones."""
    open_ends = [(0, 0)]
    seen: set[tuple[int, int]] = set()
    while open_ends:
        i, j = open_ends.pop()
        if (i, j) in seen:
            continue
        seen.add((i, j))
        same = _common(a, b, i, j)
        if i + same == len(a) and j + same == len(b):
            return True
        for old, new in pairs:
            for back in range(min(same, max(len(old), len(new))) + 1):
                x, y = i + same - back, j + same - back
                if a.startswith(old, x) and b.startswith(new, y):
                    open_ends.append((x + len(old), y + len(new)))
    return False


def _common(a: str, b: str, i: int, j: int) -> int:
    """How many characters ``a`` from ``i`` and ``b`` from ``j`` have in common."""
    low, high = 0, min(len(a) - i, len(b) - j)
    while low < high:
        middle = (low + high + 1) // 2
        if a[i : i + middle] == b[j : j + middle]:
            low = middle
        else:
            high = middle - 1
    return low
