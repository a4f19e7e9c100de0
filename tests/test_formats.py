"""The facts about Megatron-Core's optimizer checkpoint formats, and which flags select one."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import pytest
from ckpt_defaults import formats
from ckpt_defaults.formats import FORMATS, GATHER, LEAN, Fact, Format, named_format, selected_format


@pytest.mark.parametrize(
    ("gather", "lean", "name"),
    [
        (False, False, "dp-reshardable"),
        (False, True, "dp-reshardable"),
        (True, False, "fully-reshardable"),
        (True, True, "fully-reshardable-mem-efficient"),
    ],
)
def test_flags_select_a_format(gather: bool, lean: bool, name: str) -> None:
    assert selected_format(gather, lean).name == name


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (None, "null"),
        (2, "2"),
        (0, "0"),
        (1, "1"),
        (1.0, "1.0"),
        ("True", "the text 'True'"),
        ("", "the text ''"),
        ({}, "a mapping"),
        ([True], "a list"),
    ],
)
@pytest.mark.parametrize("key", [GATHER, LEAN])
def test_a_value_that_no_format_has_is_refused_by_name(key: str, value: Any, spelled: str) -> None:
    values = {GATHER: True, LEAN: True, key: value}
    with pytest.raises(ValueError, match=r"selects no checkpoint format; set it to True or False") as error:
        selected_format(values[GATHER], values[LEAN])
    assert str(error.value).startswith(f"{key} is {spelled}, ")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("dp-reshardable", "dp-reshardable"),
        ("dp_reshardable", "dp-reshardable"),
        ("Fully-Reshardable", "fully-reshardable"),
        ("fully-reshardable-mem-efficient", "fully-reshardable-mem-efficient"),
        ("fully-reshardable, mem-efficient", "fully-reshardable-mem-efficient"),
        ("False", None),
        ("reshardable", None),
        ("", None),
    ],
)
def test_names(text: str, name: str | None) -> None:
    found = named_format(text)
    assert (found.name if found else None) == name


def _changes(each: Format, outcome: str) -> set[str]:
    return {case.change for case in each.resume if case.outcome == outcome}


def test_the_resume_matrix() -> None:
    """What was run (see the sources of the cells): model parallelism is what the formats differ in."""
    plain, full, lean = FORMATS
    kept = {formats.DATA, formats.CONTEXT, formats.EXPERT_DATA, formats.NODES}
    model = {formats.TENSOR, formats.PIPELINE, formats.EXPERT}
    assert _changes(plain, "works") == kept
    assert _changes(plain, "fails") == model | {formats.EXPERT_ONE, formats.BUCKETS}
    for each in (full, lean):
        assert _changes(each, "works") == kept | model
        assert _changes(each, "fails") == {formats.EXPERT_ONE}, "one optimizer or two: the files differ"
    assert {case.change for case in plain.resume} == {case.change for case in full.resume}


def test_every_statement_has_a_source() -> None:
    for each in FORMATS:
        facts = [each.gather, each.host_memory, each.device_memory, each.load, each.speed, each.when, *each.warning]
        assert all(isinstance(fact, Fact) and fact.text and fact.sources for fact in facts), each.name
        sources = [source for fact in facts for source in fact.sources]
        sources += [case.source for case in each.resume] + [defect.source for defect in each.defects]
        assert all(source.where and source.how in ("code", "run", "derived", "report") for source in sources)


def test_what_works_or_fails_was_run_or_follows() -> None:
    for case in itertools.chain.from_iterable(each.resume for each in FORMATS):
        if case.outcome != "untried":
            assert case.source.how in ("run", "derived"), case


def test_defects_name_versions_and_only_formats_that_have_them() -> None:
    plain, full, lean = FORMATS
    assert full.defects == lean.defects
    assert set(plain.defects) & set(full.defects), "the version without the formats concerns all"
    assert any("0.19.2" in defect.versions and "corrupted" in defect.text for defect in full.defects)
    assert not any("corrupted" in defect.text for defect in plain.defects)


def test_the_warning_says_who_holds_a_copy_and_what_to_set() -> None:
    plain, full, lean = (" ".join(fact.text for fact in each.warning) for each in FORMATS)
    assert "**every** process, not data-parallel rank 0 alone" in full
    assert "rank 0 holds a full fp32 copy" in lean
    for text in (full, lean):
        assert text.startswith("The default gathers: ")
        assert "Set ``%(gather)s: False``" in text
    assert plain.startswith("The default gathers nothing.")
    assert "Keep ``%(gather)s: False``" in plain
    for text in (plain, full, lean):
        assert "Loading such a checkpoint" in text, "loading costs as much, whatever the flag"


def test_formats_pickle_and_are_hashable_parts() -> None:
    assert pickle.loads(pickle.dumps(FORMATS)) == FORMATS
