"""The directive ``ckpt-memory``: what a save and a load need on a host, as a table and a chart."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.locale import get_translation
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ..checkpoint import Default
from ..formats import FORMATS, N_
from ..nodes import CONTAINER_CLASS, failure
from ..rendering.format_table import TABLE_CLASS
from ..rendering.media import MARK
from ..settings import ConfigError
from ..sources import confdir_of, default_for_page, line_url, page_path
from . import chart
from .advice import gigabytes, host_size
from .estimate import Estimate, usable_bytes
from .formula import SaveFormat
from .models import EstimateError, find_model
from .report import layout_words
from .request import SIZES, Request, layout_of, parse_bytes

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import OptionSpec
    from sphinx.writers.html5 import HTML5Translator
    from sphinx.writers.latex import LaTeXTranslator

_logger = logging.getLogger(__name__)
_translated = get_translation("ckpt_defaults")


def _(message: str) -> str:
    """``message`` in the language of the build."""
    return str(_translated(message))


ROWS = (
    "qwen2.5-7b gpus=8 tp=2",
    "qwen3-8b gpus=8 tp=2",
    "qwen2.5-32b gpus=16 tp=4 pp=2",
    "llama-3-70b gpus=64 tp=8 pp=4",
    "moonlight-16b-a3b gpus=8 tp=2 ep=8 etp=1",
    "qwen3-30b-a3b gpus=8 tp=1 ep=8",
    "qwen3-30b-a3b gpus=16 tp=2 ep=8 etp=1",
    "qwen3-235b-a22b gpus=128 tp=4 pp=8 ep=4 etp=1 first-stage-layers=11 last-stage-layers=11",
    "deepseek-v3 gpus=256 tp=8 pp=16 ep=16 etp=1",
)
"""The rows of a directive that names none: models of several sizes in layouts that are used for them."""

_TITLES = {fmt: next(each.title for each in FORMATS if each.name == fmt.value) for fmt in SaveFormat}
_MAX_ROWS = 200


class MemoryChart(nodes.General, nodes.Element):
    """A :class:`~ckpt_defaults.memory.chart.Drawing` in ``data``, and ``prefix``, which the page has once."""


class CkptMemory(SphinxDirective):
    """Host memory that saving and loading the optimizer needs, by model and layout.

    The content has one row a line: a model of the catalogue and sizes, as ``qwen3-30b-a3b gpus=8 tp=1 ep=8``; or
    ``:models:`` and ``:layouts:`` (separated by commas and semicolons) are combined. Without either there are rows
    for a choice of models. ``:host-memory:`` (``2TB``) is the line in the chart and what figures are measured against,
    ``:gpus-per-host:`` how many ranks share a host, ``:offload:`` that the optimizer's state lies on the host.
    ``:config:`` chooses the config whose format is marked as the default, ``:no-chart:`` leaves the chart out.
    """

    has_content = True
    option_spec: ClassVar[OptionSpec] = {
        "models": directives.unchanged_required,
        "layouts": directives.unchanged_required,
        "host-memory": directives.unchanged_required,
        "gpus-per-host": directives.unchanged_required,
        "offload": directives.flag,
        "config": directives.unchanged_required,
        "no-chart": directives.flag,
        "name": directives.unchanged,
        "class": directives.class_option,
    }

    def run(self) -> list[nodes.Node]:
        self.state.document[MARK] = "yes"
        try:
            host_memory = parse_bytes(self.options.get("host-memory", "2TB"), ":host-memory:")
            answers = [self.answer(row) for row in self.rows()]
        except EstimateError as error:
            return [self.failed(str(error), "memory")]
        try:
            default = self.default()
        except ConfigError as error:
            return [self.failed(str(error), "config")]
        ranks = answers[0].layout.ranks_per_host
        table = self.table(answers, host_memory, default)
        self.add_name(table)
        parts: list[nodes.Node] = [table]
        if default is not None:
            parts.append(self.mark(default))
        parts += self.remarks(ranks, host_memory)
        if "no-chart" not in self.options:
            parts.append(self.chart(answers, ranks, host_memory))
        container = nodes.container(
            "", *parts, classes=[CONTAINER_CLASS, "ckpt-memory", *self.options.get("class", [])]
        )
        self.set_source_info(container)
        return [container]

    # -- what is asked -------------------------------------------------------------------------------------------

    def rows(self) -> list[str]:
        """The rows as text. Raises :class:`EstimateError` for none, for too many, and for half a combination."""
        rows = [line.strip() for line in self.content if line.strip() and not line.lstrip().startswith("#")]
        models = _listed(self.options.get("models", ""), ",")
        layouts = _listed(self.options.get("layouts", ""), ";")
        if layouts and not models:
            raise EstimateError(":layouts: needs :models: beside it")
        rows += [f"{model} {layout}" for model in models for layout in layouts or [""]]
        if len(rows) > _MAX_ROWS:
            raise EstimateError(f"{len(rows)} rows are more than {_MAX_ROWS}; name fewer models and layouts")
        return rows or list(ROWS)

    def answer(self, row: str) -> Estimate:
        """The estimate for a row. Raises :class:`EstimateError`, with the row."""
        model, *words = row.split()
        sizes = dict(word.partition("=")[::2] for word in words)
        if "gpus-per-host" in self.options:
            sizes.setdefault("gpus-per-host", self.options["gpus-per-host"])
        wrong = [name for name in sizes if name not in SIZES]
        if wrong:
            raise EstimateError(f"row {row!r}: {wrong[0]!r} is no size; write one of {', '.join(SIZES)} as name=number")
        try:
            request = Request(find_model(model), layout_of(sizes), optimizer_offload="offload" in self.options)
            return request.answer()
        except EstimateError as error:
            raise EstimateError(f"row {row!r}: {error}") from None

    def default(self) -> Default | None:
        """The project's default, ``None`` where conf.py names no config. Raises :class:`ConfigError`."""
        if not self.config.ckpt_defaults_config and "config" not in self.options:
            return None
        return default_for_page(self.env, self.options.get("config", ""))

    def failed(self, message: str, subtype: str) -> nodes.Node:
        return failure(f"ckpt-memory: {message}", *self.get_source_info(), subtype)

    # -- what is shown -------------------------------------------------------------------------------------------

    def table(self, answers: list[Estimate], host_memory: int, default: Default | None) -> nodes.table:
        """Rows are models in layouts, columns formats; a cell is the worst host's sum at save."""
        table = nodes.table(classes=[TABLE_CLASS, "ckpt-memory", "colwidths-given"])
        self.set_source_info(table)
        table += self.told(nodes.title(), _("Host memory for the optimizer checkpoint: the sum on the fullest host"))
        group = nodes.tgroup(cols=6)
        table += group
        for index, width in enumerate((30, 12, 14, 14, 14, 16)):
            column = nodes.colspec(colwidth=width)
            if index == 0:
                column["stub"] = 1
            group += column
        head = nodes.row()
        head += self.entry(self.paragraph(_("Model and layout")))
        head += self.entry(self.paragraph(_("Parameters on a GPU")))
        for fmt, title in _TITLES.items():
            chosen = default is not None and default.format.name == fmt.value
            head += self.entry(self.paragraph((_("Save, %s (the default)") if chosen else _("Save, %s")) % title))
        head += self.entry(self.paragraph(_("Load, either fully-reshardable")))
        body = nodes.tbody()
        for answer in answers:
            body += self.row(answer, host_memory, default)
        group += [nodes.thead("", head), body]
        return table

    def row(self, answer: Estimate, host_memory: int, default: Default | None) -> nodes.row:
        layout = answer.layout
        name = self.plain("", nodes.strong("", answer.shape.name))
        where = _("GPUs: %(gpus)d, hosts: %(hosts)d") % {"gpus": layout.world, "hosts": layout.hosts}
        row = nodes.row("", self.entry(name, self.plain(where), self.plain(layout_words(answer))))
        row += self.entry(self.plain(f"{answer.fullest.numel / 1e9:.2f} B"))
        for fmt, one in answer.formats.items():
            cell = self.figure(one.saving.save + one.saving.held, host_memory)
            if default is not None and default.format.name == fmt.value:
                cell["classes"].append("ckpt-default")
            row += cell
        gathered = answer.formats[SaveFormat.FULLY_RESHARDABLE]
        row += self.figure(gathered.loading.load + gathered.loading.held, host_memory)
        return row

    def figure(self, size: int, host_memory: int) -> nodes.entry:
        """A cell: the figure, and in words that it does not fit into what processes may use of a host."""
        if size <= usable_bytes(host_memory):
            return self.entry(self.plain(gigabytes(size)))
        words = _("does not fit into %s") % host_size(host_memory)
        return self.entry(self.plain("", nodes.strong("", gigabytes(size))), self.plain(words))

    def mark(self, default: Default) -> nodes.paragraph:
        """Says which format is the project's default, and which line of which file says so."""
        setting, confdir = default.section.gather, confdir_of(self.env)
        text = f"{page_path(setting.file, self.config, confdir)}:{setting.line}"
        url = line_url(setting.file, setting.line, self.config, confdir)
        place: nodes.Node = nodes.literal("", text)
        if url:
            place = nodes.reference("", "", place, refuri=url, internal=False)
        before, _place, after = (_("The default is %s, set in %%s.") % default.format.title).partition("%s")
        mark = nodes.paragraph("", before, place, translatable=False)
        mark += nodes.Text(after)
        return mark

    def remarks(self, ranks: int, host_memory: int) -> list[nodes.Node]:
        """What the figures are, and from where on the host is full."""
        meaning = _(
            "On top of what training takes, 1 GB = 10^9 bytes, %(ranks)d GPUs on a host unless the row says otherwise. "
            "Rollout engines, pinned buffers and the page cache come on top."
        )
        return [
            self.paragraph(meaning % {"ranks": ranks}),
            self.paragraph(self.limits(ranks, host_memory)),
        ]

    def limits(self, ranks: int, host_memory: int) -> str:
        """From how many parameters on a GPU on a host of ``host_memory`` bytes is full, for each line of the chart."""

        def billions(fmt: SaveFormat, load: bool = False) -> str:
            return f"{chart.limit_parameters(host_memory, ranks, fmt, load=load) / 1e9:.1f}"

        sharded, gathered, lean = SaveFormat
        return _(
            "For a dense model with TP 1, %(ranks)d GPUs fill a host with %(memory)s from %(gathered)s billion "
            "parameters on a GPU on with fully-reshardable, from %(lean)s billion with its mem-efficient variant and "
            "from %(sharded)s billion with dp-reshardable; loading either fully-reshardable checkpoint fills it from "
            "%(load)s billion on."
        ) % {
            "ranks": ranks,
            "memory": host_size(host_memory),
            "gathered": billions(gathered),
            "lean": billions(lean),
            "sharded": billions(sharded),
            "load": billions(gathered, load=True),
        }

    def chart(self, answers: list[Estimate], ranks: int, host_memory: int) -> MemoryChart:
        points = tuple(
            chart.Point(answer.fullest.numel, one.saving.save, fmt)
            for answer in answers
            for fmt, one in answer.formats.items()
        )
        data = chart.ChartData(
            ranks_per_host=ranks,
            host_memory=host_memory,
            points=points,
            title=_("Host memory of a save by parameters on a GPU"),
            caption=_("Lines: a dense model on one host, TP 1. Marks: the rows of the table."),
            description=self.limits(ranks, host_memory),
            axis_parameters=_("parameters on a GPU"),
            axis_memory=_("memory on the fullest host, on top of training"),
            host_label=_("a host's memory: %s") % host_size(host_memory),
            labels=(*_TITLES.values(), _("loading either fully-reshardable")),  # type: ignore[arg-type]
        )
        node = MemoryChart(data=data, prefix=f"ckpt-memory-{self.env.new_serialno('ckpt-memory')}-")
        self.set_source_info(node)
        return node

    def told(self, node: Any, text: str) -> Any:
        """``node`` filled with ``text``, known to message catalogues by its place."""
        node.rawsource = text
        node += nodes.Text(text)
        self.set_source_info(node)
        return node

    def paragraph(self, text: str) -> nodes.paragraph:
        """A paragraph of computed text: translated here already, no message of the page."""
        paragraph: nodes.paragraph = self.told(nodes.paragraph(translatable=False), text)
        return paragraph

    @staticmethod
    def plain(text: str, *children: nodes.Node) -> nodes.paragraph:
        return nodes.paragraph("", text, *children, translatable=False)

    @staticmethod
    def entry(*children: nodes.Node) -> nodes.entry:
        return nodes.entry("", *children)


def _listed(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator) if part.strip()]


# -- writing the chart -----------------------------------------------------------------------------------------------

NO_CHART = N_("The chart is left out: it is drawn by matplotlib, which is not installed (the extra \u201cplot\u201d).")


def _note() -> str:
    _logger.info("ckpt-memory: matplotlib is not installed, so there is no chart; install sphinx-ckpt-defaults[plot]")
    return _(NO_CHART)


def visit_html(self: HTML5Translator, node: MemoryChart) -> None:
    """An inline SVG, so that it takes the colours of the page."""
    if chart.has_matplotlib():
        svg = chart.draw_svg(node["data"], node["prefix"])
        words = self.encode(f"{node['data'].title}. {node['data'].caption}")
        self.body.append(f'<figure class="ckpt-chart" style="margin:1em 0">\n{svg}<figcaption>{words}</figcaption>\n')
        self.body.append("</figure>\n")
    else:
        self.body.append(f"<p>{self.encode(_note())}</p>\n")
    raise nodes.SkipNode


def visit_latex(self: LaTeXTranslator, node: MemoryChart) -> None:
    """A PDF beside the document."""
    if not chart.has_matplotlib():
        self.body.append(f"\n\n{self.encode(_note())}\n\n")
        raise nodes.SkipNode
    pdf = chart.draw_pdf(node["data"])
    words = f"{node['data'].title}. {node['data'].caption}"
    name = f"ckpt-memory-{hashlib.sha256(pdf).hexdigest()[:16]}.pdf"
    target = Path(self.builder.outdir) / name
    if not target.exists():
        target.write_bytes(pdf)
    self.body.append(f"\n\n{{\\centering\\sphinxincludegraphics{{{name}}}\\par}}\n")
    self.body.append(f"\\begin{{center}}\\small {self.encode(words)}\\end{{center}}\n\n")
    raise nodes.SkipNode


def visit_other(self: Any, node: MemoryChart) -> None:
    """Nothing: the paragraph before says in words what the chart shows."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Adds the directive and the node of its chart."""
    other = (visit_other, None)
    app.add_node(
        MemoryChart,
        html=(visit_html, None),
        latex=(visit_latex, None),
        text=other,
        man=other,
        texinfo=other,
    )
    app.add_directive("ckpt-memory", CkptMemory)
