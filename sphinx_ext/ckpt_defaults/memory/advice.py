"""What to change where a save or a load does not fit: every suggestion is computed, none is a rule of thumb."""

from __future__ import annotations

from ..formats import GATHER, LEAN
from .estimate import Estimate, FormatEstimate
from .formula import SaveFormat
from .models import EstimateError
from .request import Request


def gigabytes(size: int) -> str:
    """Bytes as decimal gigabytes for a reader: three digits that count."""
    value = size / 1e9
    if value >= 99.95 or value == 0:
        return f"{value:,.0f} GB"
    return f"{value:.1f} GB" if value >= 0.95 else f"{value:.2g} GB"


def host_size(size: int) -> str:
    """A host's memory as people name it: whole terabytes as such, else :func:`gigabytes`."""
    return f"{size // 10**12} TB" if size % 10**12 == 0 else gigabytes(size)


def advice(request: Request, estimate: Estimate, host_bytes: int | None, default: SaveFormat | None) -> tuple[str, ...]:
    """Sentences about what to change, the most useful first; none where all fits or no host memory is given."""
    if host_bytes is None:
        return ()
    asked = (default,) if default is not None else tuple(SaveFormat)
    lines: list[str] = []
    for fmt in asked:
        if not estimate.formats[fmt].fits_save(host_bytes):
            lines += _save_advice(request, estimate, fmt, host_bytes)
    loads = [fmt for fmt in asked if not estimate.formats[fmt].fits_load(host_bytes)]
    if loads:
        lines.append(_load_advice(estimate, loads))
    return tuple(dict.fromkeys(lines))


def _save_advice(request: Request, estimate: Estimate, fmt: SaveFormat, host_bytes: int) -> list[str]:
    lines = []
    held = estimate.formats[fmt].saving.held
    efficient = estimate.formats[SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT]
    if fmt is SaveFormat.FULLY_RESHARDABLE and efficient.fits_save(host_bytes):
        lines.append(
            f"{fmt.value}: {LEAN}: True keeps the copies on data-parallel rank 0 alone; the worst host then "
            f"needs {_needs(efficient)} at save"
        )
    sharded = estimate.formats[SaveFormat.DP_RESHARDABLE]
    if fmt.gathers and sharded.fits_save(host_bytes):
        lines.append(
            f"{fmt.value}: {GATHER}: False needs {_needs(sharded)} on the worst host; "
            "such a checkpoint is resumed with the same TP, PP and EP"
        )
    layout = request.layout
    tried = (
        ({"tp": layout.tp * 2, "etp": layout.expert_tensor}, f"TP {layout.tp * 2}"),
        ({"pp": layout.pp * 2}, f"PP {layout.pp * 2}"),
        ({"world": layout.world * 2}, f"{layout.world * 2} GPUs"),
        ({"world": layout.world * 4}, f"{layout.world * 4} GPUs"),
        ({"world": layout.world * 2, "pp": layout.pp * 2}, f"{layout.world * 2} GPUs with PP {layout.pp * 2}"),
        ({"world": layout.world * 4, "pp": layout.pp * 4}, f"{layout.world * 4} GPUs with PP {layout.pp * 4}"),
    )
    for sizes, words in tried:
        try:
            other = request.with_layout(**sizes).answer().formats[fmt]
        except EstimateError:
            continue
        if other.fits_save(host_bytes):
            lines.append(f"{fmt.value}: {words} would need {_needs(other)} on the worst host")
            break
    if held:
        lines.append(f"{fmt.value}: {gigabytes(held)} of that host are held by offloading all the time")
    if not lines:
        lines.append(f"{fmt.value}: nothing tried here fits; spread the model over more hosts (PP, TP or EP)")
    return lines


def _needs(estimate: FormatEstimate) -> str:
    return gigabytes(estimate.saving.save + estimate.saving.held)


def _load_advice(estimate: Estimate, formats: list[SaveFormat]) -> str:
    worst = max((estimate.formats[fmt] for fmt in formats), key=lambda other: other.loading.load)
    names = " and ".join(fmt.value for fmt in formats)
    return (
        f"{names}: the save may fit and the resume not: loading takes up to "
        f"{gigabytes(worst.loading.load + worst.loading.held)} on a host, "
        "every rank its part and whatever the flags; resume on more hosts or with a larger TP, PP or EP"
    )
