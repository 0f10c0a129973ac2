"""The bench's measurements, from the tables of tests/bench/README.md, the only place with the figures of a whole run."""
import dataclasses
import pathlib
import re

README = pathlib.Path(__file__).resolve().parents[1] / "bench" / "README.md"
THOUSANDS = {"": 1, "k": 1e3, "M": 1e6}


@dataclasses.dataclass(frozen=True)
class Figures:
    """posed's own figures by the row's first column, in the row's unit. If a row was measured again, the later one counts."""

    values: dict
    machine: str

    def of(self, what):
        if what not in self.values:
            raise SystemExit(f"scale: tests/bench/{README.name} has no row '{what}'")
        return self.values[what]


def read(text=None):
    text = README.read_text() if text is None else text
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+)([kM]?)(?: \u00b1\d+%)? [^|]* \|", text, re.M)
    machine = re.search(r"^On (.*), commit", text, re.M)
    return Figures({name: float(number) * THOUSANDS[letter] for name, number, letter in rows}, machine[1])
