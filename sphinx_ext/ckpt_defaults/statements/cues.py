"""What the sentence before a block of YAML and the titles around it say of it: a listing of defaults, or an example."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import nodes

from ..phrases import CLOSE, OPEN, phrases
from . import DEFAULTS, DESCRIBED, EXAMPLE, SURE, UNKNOWN
from .blocks import head_key, marked
from .listings import Entry, declares_defaults

_BELOW = re.compile(r"\bbelow\b|以下|次の")
_ANNOUNCES = re.compile(r"\bbelow\b|\bfollowing\b|以下|如下|次の")


def _announces(text: str) -> bool:
    """Whether a sentence says that something follows."""
    return text.rstrip().endswith((":", "：")) or _ANNOUNCES.search(text) is not None


def announces_blocks(text: str, before_block: bool) -> bool:
    """Whether a sentence announces all blocks of its section ("variables are listed below with their defaults").

    One that ends with a colon right before a block (``before_block``) announces that one, unless it looks further.
    """
    p = phrases()
    if before_block and text.rstrip().endswith((":", "：")) and not _BELOW.search(text):
        return False
    if not (_announces(text) and p.announces.search(text)):
        return False
    return not (p.listing_example.search(text) or p.listing_usage.search(text))


def cue_of_block(lead: str, section: int, titles: Sequence[str]) -> int:
    """What the next block is, by the marked text before it, what its section says (``section``), and the titles around
    it, outermost first."""
    p = phrases()
    lead = re.sub(f"{OPEN}[^{CLOSE}]*{CLOSE}", "", lead)
    last = re.split(r"(?<=[.。!?])\s+", lead.strip())[-1] if lead else ""
    announces = _announces(last)
    uses = bool(p.listing_usage.search(last))
    if announces and p.listing_example.search(last):
        return EXAMPLE
    if section < SURE and p.listing_example.search(" ".join(titles)):
        return EXAMPLE
    if announces and (p.listing_values if uses else p.listing_defaults).search(last):
        return max(DEFAULTS, section)
    if uses and section < DEFAULTS:
        return EXAMPLE
    label = re.match(r"^([^:：]{1,20})[:：]\s*\S", last)
    if label and p.is_label(label.group(1)):
        return section  # "Default: 3" is about what stands above it
    if p.listing_defaults.search(last) and not uses and not p.listing_example.search(last):
        return max(DEFAULTS, section)
    title = titles[-1] if titles else ""
    if p.word.search(title) and p.listing_defaults.search(title):
        return max(DEFAULTS, section)
    return section


def cue_of_entries(block: nodes.Node, found: Sequence[Entry]) -> int:
    """What a block says of itself by its entries: values that name their own default, keys that the list behind it
    explains one by one."""
    if declares_defaults(found):
        return DEFAULTS
    paths = [entry.path.split(".") for entry in found if entry.leaf]
    following = block.next_node(descend=False, siblings=True)
    if len(paths) < 2 or not isinstance(following, nodes.bullet_list):
        return UNKNOWN
    explained = {head_key(marked(item)).rpartition(".")[2] for item in following.children}
    told = sum(not explained.isdisjoint(path) for path in paths)
    return DESCRIBED if told >= 0.6 * len(paths) else UNKNOWN
