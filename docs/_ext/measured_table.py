"""``measured-table``: a CSV table in which each measured column stands together with the one that predicts it.

Columns are pairs where the second is called as the first with ``predicted`` or ``bound`` behind it. ``:leave-out:``
names columns that are not shown.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from docutils.parsers.rst import directives
from sphinx.directives.patches import CSVTable

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class MeasuredTable(CSVTable):
    option_spec: ClassVar[Any] = {**CSVTable.option_spec, "leave-out": directives.unchanged_required}

    def get_csv_data(self) -> Any:
        lines, source = super().get_csv_data()
        without = {name.strip() for name in self.options.get("leave-out", "").split(",")}
        written = io.StringIO()
        csv.writer(written).writerows(paired(csv.reader(lines), without))
        return written.getvalue().splitlines(), source


def paired(rows: Iterable[list[str]], without: set[str]) -> Iterator[list[str]]:
    """The rows with the second of each pair in brackets behind the first; the head says so of bounds alone."""
    rows = iter(rows)
    head = next(rows)
    second = {name: f"{name} {word}" for name in head for word in ("predicted", "bound") if f"{name} {word}" in head}
    kept = [name for name in head if name not in without and name not in second.values()]
    yield [f"{name} (bound)" if second.get(name, "").endswith("bound") else name for name in kept]
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        yield [f"{cells[name]} ({cells[second[name]]})" if name in second else cells[name] for name in kept]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("measured-table", MeasuredTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
