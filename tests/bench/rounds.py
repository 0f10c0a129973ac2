"""Rounds of measurements: medians, spread, and ratios, if they are valid.

A round measures all compared tasks once, one after the other, so that changes on the machine affect all of them. A ratio is the median of
the rounds' own ratios. Disturbed rounds (quiet.py) are measured again, a few times. If too few undisturbed ones remain, or they differ by
more than the bound, there is no ratio: it is "disturbed", and the reasons are kept.
"""
import dataclasses
import statistics

ROUNDS = 5  # undisturbed ones that a ratio needs
SPREAD_MAX = 0.15  # between the quartiles of the rounds, relative to the median


def spread(values):
    """The distance of the quartiles, relative to the median: 0.02 is "half of all within two per cent"."""
    middle = statistics.median(values)
    if len(values) < 2 or middle == 0:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / abs(middle)


@dataclasses.dataclass
class Figure:
    """A median of rounds. `disturbed` has the reasons why it does not count; none: it is valid."""

    median: float
    spread: float
    rounds: list
    disturbed: list

    @property
    def is_good(self):
        return not self.disturbed

    def times(self, factor):
        """The same in another unit."""
        return Figure(self.median * factor, self.spread, [value * factor for value in self.rounds], self.disturbed)

    def json(self):
        short = lambda value: float(f"{value:.5g}")
        return {"median": short(self.median), "spread": round(self.spread, 4), "rounds": [short(one) for one in self.rounds],
                "disturbed": self.disturbed}


def make_figure(clean, every, reasons, wanted=ROUNDS, spread_max=SPREAD_MAX):
    """clean: values of the undisturbed rounds; every: of all; reasons: {why others were disturbed: how often}."""
    if len(clean) < wanted:
        why = [f"{len(clean)} clean rounds of {wanted}"] + sorted(reasons, key=lambda one: -reasons[one])
        return Figure(statistics.median(every), spread(every), every, why)
    why = [f"rounds differ by {spread(clean):.0%}"] if spread(clean) > spread_max else []
    return Figure(statistics.median(clean), spread(clean), clean, why)


class Rounds:
    """What each of several tasks measured, round by round."""

    def __init__(self, wanted=ROUNDS):
        self.wanted = wanted
        self.rows = []  # for each round {task: (value, [reasons])}

    def add(self, row):
        self.rows.append(row)

    def is_clean(self, row, names=None):
        return all(not row[name][1] for name in names or row)

    def count_clean(self, names=None):
        return sum(self.is_clean(row, names) for row in self.rows)

    def _reasons(self, names):
        count = {}
        for row in self.rows:
            for name in names:
                for reason in row[name][1]:
                    count[reason] = count.get(reason, 0) + 1
        return count

    def _figure(self, names, value_of, spread_max):
        clean = [value_of(row) for row in self.rows if self.is_clean(row, names)]
        return make_figure(clean, [value_of(row) for row in self.rows], self._reasons(names), self.wanted, spread_max)

    def figure(self, name, of=lambda value: value, spread_max=SPREAD_MAX):
        """The median of a task's undisturbed rounds. If there are too few, the median of all, marked as disturbed. `of` takes a number from
        the task's result."""
        return self._figure([name], lambda row: of(row[name][0]), spread_max)

    def ratio(self, above, below, of=lambda value: value, spread_max=SPREAD_MAX):
        """The median of above / below over the rounds in which both are undisturbed. It may be disturbed, like a figure."""
        return self._figure([above, below], lambda row: of(row[above][0]) / of(row[below][0]), spread_max)


def interleave(watch, tasks, wanted=ROUNDS, again=ROUNDS, settle=lambda: None):
    """Run the tasks {name: function} in turn, until `wanted` rounds were undisturbed or `again` more were tried. watch(function) returns
    (the function's result, [reasons]). settle() is called after a disturbed round, before the next."""
    rounds = Rounds(wanted)
    while rounds.count_clean() < wanted and len(rounds.rows) < wanted + again:
        if rounds.rows and not rounds.is_clean(rounds.rows[-1]):
            settle()
        rounds.add({name: watch(task) for name, task in tasks.items()})
    return rounds
