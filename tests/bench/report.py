"""The results of make bench: lines, their targets, the table for people, the one for README.md beside it, and the JSON."""
import dataclasses
import textwrap

WIDTH = 58
TITLES = {"poses": "one palette", "palette_json": "a palette as JSON", "serving": "50 connections", "crowd_ticks": "a tick of 120 characters",
          "beside_renders": "palettes beside renders", "probes": "probes beside clients",
          "pictures": "thumbnails", "passes": "passes", "cold_folder": "cold folder", "comparisons": "converted and compared", "imports": "imports",
          "restarts": "restart with a disk cache", "live": "the live model in a browser", "memory": "memory of a model"}
UP, DOWN = "at least", "at most"


@dataclasses.dataclass(frozen=True)
class Target:
    """The goal of a line: its ratio, or posed's own figure if `is_figure`."""

    way: str
    bound: float
    is_figure: bool = False

    def __str__(self):
        return f"{self.way} {self.bound:g}"

    def is_met(self, value):
        return value >= self.bound if self.way == UP else value <= self.bound


# The targets of the project; a line names its own.
TARGETS = {
    "pose_ns_per_node": Target(DOWN, 8, is_figure=True),
    "pose_classic": Target(UP, 30),
    "pose_three": Target(UP, 15),
    "pose_error": Target(DOWN, 1e-6, is_figure=True),
    "blend_per_layer": Target(DOWN, 1.3, is_figure=True),
    "json": Target(UP, 15),
    "http_redis": Target(UP, 0.9),
    "http_nginx": Target(UP, 1.2),
    "tcp_redis": Target(UP, 1.0),
    "crowd_unix": Target(DOWN, 0.8, is_figure=True),
    "crowd_process": Target(DOWN, 0.25, is_figure=True),
    "crowd_single": Target(DOWN, 0.6, is_figure=True),
    "crowd_given": Target(DOWN, 1.3, is_figure=True),
    "crowd_python": Target(DOWN, 1.5, is_figure=True),
    "rays": Target(DOWN, 1, is_figure=True),
    "p99_beside_renders": Target(DOWN, 5),
    "p99_livez": Target(DOWN, 20, is_figure=True),
    "memory": Target(DOWN, 1.5),
    "thumbnails_base": Target(UP, 600, is_figure=True),
    "thumbnails_full": Target(UP, 300, is_figure=True),
    "thumbnails_heavy": Target(UP, 260, is_figure=True),
    "passes": Target(UP, 60, is_figure=True),
    "passes_cost": Target(DOWN, 2.5),
    "cold_folder": Target(UP, 100, is_figure=True),
    "compare_s": Target(DOWN, 60, is_figure=True),
    "tiny_import_ms": Target(DOWN, 3, is_figure=True),
    "first_thumbnail_ms": Target(DOWN, 300, is_figure=True),
    "live": Target(UP, 30, is_figure=True),
}


@dataclasses.dataclass
class Line:
    """One comparison. ratio: how many times better posed is, or, if `is_share`, posed's figure as a part of the other. A headline is in
    README.md."""

    part: str
    what: str
    unit: str
    ours: object
    peer: str = ""
    theirs: object = None
    ratio: object = None
    target: str = ""
    is_share: bool = False
    headline: bool = False
    facts: dict = dataclasses.field(default_factory=dict)  # further values for programs

    def judged(self):
        """The figure for the target."""
        if not self.target:
            return self.ratio or self.ours
        return self.ours if TARGETS[self.target].is_figure else self.ratio

    def verdict(self):
        """"met", "missed", "disturbed", or nothing without a target."""
        if not self.judged().is_good:
            return "disturbed"
        if not self.target:
            return ""
        return "met" if TARGETS[self.target].is_met(self.judged().median) else "missed"

    def json(self):
        one = lambda figure: figure.json() if figure else None
        row = {"part": self.part, "what": self.what, "unit": self.unit, "posed": one(self.ours), "peer": self.peer,
               "theirs": one(self.theirs), "ratio": one(self.ratio), "is_share": self.is_share, "headline": self.headline, "facts": self.facts,
               "target": None, "verdict": self.verdict()}
        if row["ratio"] and not self.ratio.is_good:
            row["ratio"]["median"] = None  # no number to quote
        if self.target:
            target = TARGETS[self.target]
            row["target"] = {"text": str(target), "bound": target.bound, "is_figure": target.is_figure, "is_most": target.way == DOWN}
        return row


def number(value):
    """Three significant digits, and a unit of thousands for large numbers."""
    for size, letter in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):.{0 if abs(value) >= 1e5 and letter == 'k' else 1}f}{letter}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def figure_text(row):
    """A figure of the JSON, with its spread if it was measured and not counted."""
    if not row:
        return ""
    return number(row["median"]) + (f" \u00b1{row['spread'] / 2:.0%}" if len(row["rounds"]) > 1 else "")


def ratio_text(row):
    if not row["ratio"]:
        return ""
    return "disturbed" if row["ratio"]["disturbed"] else f"{row['ratio']['median']:.3g}{' of it' if row['is_share'] else 'x'}"


def target_text(row):
    if not row["target"]:
        return ""
    return row["target"]["text"] + ("" if row["target"]["is_figure"] or row["is_share"] else "x")



def table(title, rows):
    """A part's lines, aligned."""
    yield f"{title:{WIDTH}} {'posed':>15} {'others':>26} {'ratio':>10}  {'target':14} "
    former = None
    for row in rows:
        label = f"{row['what']}, {row['unit']}"
        words = textwrap.wrap(label, WIDTH - 2) if label != former else [""]
        ours = figure_text(row["posed"]) if label != former else ""
        theirs = f"{row['peer']} {figure_text(row['theirs'])}" if row["theirs"] else ""
        yield (f"  {words[0]:{WIDTH - 2}} {ours:>15} {theirs:>26} {ratio_text(row):>10}  {target_text(row):14} "
               f"{row['verdict']}").rstrip()
        yield from (f"    {one}" for one in words[1:])
        former = label


def markdown(report):
    """The table of README.md: the headlines."""
    yield "| what | posed | compared with | ratio | target | |"
    yield "|---|---|---|---|---|---|"
    for row in report["lines"]:
        if row["headline"]:
            theirs = f"{row['peer']}: {figure_text(row['theirs'])}" if row["theirs"] else ""
            yield (f"| {TITLES[row['part']]}: {row['what']} | {figure_text(row['posed'])} {row['unit']} | {theirs} | {ratio_text(row)} | "
                   f"{target_text(row)} | {row['verdict']} |")


def machine_text(report):
    machine, builds = report["machine"], report["builds"]
    yield f"{machine['processor']}, {machine['processors']} processors, {machine['memory_gib']:g} GiB, {machine['system']}, Linux {machine['kernel']}"
    yield f"governor: {machine['governor']}; hypervisor: {machine['hypervisor']}"
    for name, text in builds.items():
        yield f"{name}: {text}"
