"""The picture of a run, as SVG: ratios as bars, and nanoseconds per pose by number of joints, on logarithmic scales."""
import html
import math

import report

WIDTH, LEFT, RIGHT, ROW, HEAD = 1180, 500, 250, 20, 26
FONT = "font-family=\"system-ui, 'DejaVu Sans', Helvetica, sans-serif\""
COLORS = {"met": "#2a7f62", "missed": "#c2571a", "": "#3d6fa5", "disturbed": "#9a9a9a"}
CURVES = {"posed": "#2a7f62", "classic walk": "#c2571a", "walk with a map": "#c9a227", "three.js": "#3d6fa5"}


def text(x, y, words, anchor="start", size=12, color="#222", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" {extra}>{html.escape(words)}</text>'


def line(x1, y1, x2, y2, color, width=1.0, dash=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"' +
            (f' stroke-dasharray="{dash}"' if dash else "") + "/>")


class Scale:
    """A logarithmic axis with room for all values, over the pixels first..last; in whole decades unless `is_tight`."""

    def __init__(self, values, first, last, is_tight=False):
        whole = (lambda value, _: value) if is_tight else (lambda value, to: 10 ** to(math.log10(value)))
        self.low, self.high = whole(min(values), math.floor), whole(max(values) * (1 if is_tight else 1.05), math.ceil)
        self.first, self.last = first, last

    def __call__(self, value):
        share = math.log10(value / self.low) / math.log10(self.high / self.low)
        return self.first + share * (self.last - self.first)

    def decades(self):
        return [10.0 ** i for i in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)]


def is_drawn(row):
    return row["ratio"] and not row["what"].startswith("p50") and (row["headline"] or row["part"] not in ("poses", "serving"))


def bars(rows, top):
    """Bars from 1 to each ratio, by part. Returns (elements, the y below them)."""
    values = [row["ratio"]["median"] for row in rows if row["ratio"]["median"]]
    targets = [row["target"]["bound"] for row in rows if row["target"] and not row["target"]["is_figure"]]
    scale = Scale([0.8, 2.0] + values + targets, LEFT, WIDTH - RIGHT)
    out, y, part = [], top, None
    for row in rows:
        if row["part"] != part:
            part, y = row["part"], y + HEAD
            out.append(text(16, y - 6, report.TITLES.get(part, part), size=13, extra='font-weight="600"'))
        middle, value = y + ROW / 2, row["ratio"]["median"]
        target = row["target"] if row["target"] and not row["target"]["is_figure"] else None
        color = COLORS[row["verdict"] if target and value else "" if value else "disturbed"]
        out.append(text(LEFT - 10, middle + 4, f"{row['what']} : {row['peer']}", "end", 11))
        if value:
            ends = sorted((scale(1), scale(value)))
            out.append(f'<rect x="{ends[0]:.1f}" y="{y + 4}" width="{max(1, ends[1] - ends[0]):.1f}" height="{ROW - 8}" fill="{color}"/>')
        if target:
            x = scale(target["bound"])
            out.append(line(x, y + 1, x, y + ROW - 1, "#111", 2))
        words = f"{value:.3g}{' of it' if row['is_share'] else 'x'}" if value else "disturbed"
        if target:
            words += f"  ({target['text']}{': ' + row['verdict'] if value else ''})"
        end = max(scale(value or 1), scale(1), scale(target["bound"]) if target else 0)
        out.append(text(end + 8, middle + 4, words, size=11, color=color))
        y += ROW
    grid = []
    for value in scale.decades():
        grid += [line(scale(value), top + 8, scale(value), y + 4, "#888" if value == 1 else "#e4e4e4"),
                 text(scale(value), y + 18, f"{value:g}x", "middle", 11, "#666")]
    return grid + out, y + 30


def curves(rows, top):
    """Nanoseconds per pose at random times of the made skeletons, by joints."""
    points, is_disturbed = {}, False
    for row in rows:
        facts = row["facts"]
        if facts.get("model") == "rig" and facts.get("pattern") == "random" and facts.get("layout") == "mat3x4" and row["ratio"]:
            is_disturbed = is_disturbed or row["verdict"] == "disturbed"
            points.setdefault("posed", {})[facts["joints"]] = row["posed"]["median"]
            points.setdefault(row["peer"], {})[facts["joints"]] = row["theirs"]["median"]
    if not points:
        return [], top
    height = 330
    x = Scale([joint for one in points.values() for joint in one], 90, WIDTH - 220, len(points["posed"]) > 1)
    y = Scale([ns for one in points.values() for ns in one.values()], top + height, top + 40)
    words = "nanoseconds per pose by number of joints, random times" + (" (some were disturbed)" if is_disturbed else "")
    out = [text(16, top + 22, words, size=13, extra='font-weight="600"')]
    for value in y.decades():
        out += [line(90, y(value), WIDTH - 220, y(value), "#e4e4e4"), text(82, y(value) + 4, report.number(value), "end", 11, "#666")]
    for joint in sorted(points["posed"]):
        out += [line(x(joint), top + 40, x(joint), top + height, "#e4e4e4"), text(x(joint), top + height + 16, f"{joint}", "middle", 11, "#666")]
    label_y = top + height + 20  # from bottom to top, without overlaps
    for name, one in sorted(points.items(), key=lambda item: max(item[1].values())):
        places = [(x(joint), y(ns)) for joint, ns in sorted(one.items())]
        color = CURVES.get(name, "#444")
        out.append(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in places)}"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>' for a, b in places]
        label_y = min(places[-1][1] + 4, label_y - 15)
        out.append(text(places[-1][0] + 10, label_y, name, size=12, color=color))
    return out, top + height + 36


def svg(found):
    """found: bench.json."""
    machine = found["machine"]
    head = [text(16, 30, "posed beside what others use for the same", size=18, extra='font-weight="600"'),
            text(16, 50, f"{machine['processor']}, {machine['processors']} processors, {machine['system']}, Linux {machine['kernel']}; "
                 f"commit {found['builds']['commit']}", size=11, color="#666"),
            text(16, 66, "How many times better posed is, medians of one run; black: the target. Where it says \"of it\", less is better.",
                 size=11, color="#666")]
    rows = [row for row in found["lines"] if is_drawn(row)]
    body, bottom = bars(rows, 74) if rows else ([], 90)
    more, bottom = curves(found["lines"], bottom)
    inside = "\n".join(head + body + more)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom:.0f}" viewBox="0 0 {WIDTH} {bottom:.0f}" {FONT}>\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{inside}\n</svg>\n')
