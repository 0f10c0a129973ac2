"""Reads the text of /metrics, in either form. Shares no code with the server."""
import re

SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)')


class Metrics:
    """families: name to (kind, unit, help). samples: (name, frozenset of labels) to value."""

    def __init__(self, text):
        assert text.endswith("\n")
        self.families, self.samples = {}, {}
        kinds, units, helps, current = {}, {}, {}, None
        for line in text.splitlines():
            if line == "# EOF":
                continue
            if line.startswith("#"):
                _, what, current, rest = line.split(" ", 3)
                table = {"HELP": helps, "TYPE": kinds, "UNIT": units}[what]
                assert current not in table, line
                table[current] = rest
                continue
            name, labels, value = SAMPLE.match(line).groups()
            assert name.startswith(current), (line, current)
            pairs = LABEL.findall(labels or "")
            assert ",".join(f'{key}="{text}"' for key, text in pairs) == (labels or ""), line
            key = name, frozenset(pairs)
            assert key not in self.samples, line
            self.samples[key] = float(value)
        assert set(kinds) == set(helps) and set(units) <= set(kinds)
        self.families = {name: (kinds[name], units.get(name), helps[name]) for name in kinds}

    def get(self, name, **labels):
        """The value of one series, or 0 if it does not exist."""
        return self.samples.get((name, frozenset(labels.items())), 0)

    def series(self, name):
        """Label sets and values of all series of a name."""
        return {labels: value for (found, labels), value in self.samples.items() if found == name}


def read(server, form="text/plain", port=None):
    """Read /metrics of a server, from a port of its ready line (default: the port for clients)."""
    from conftest import Connection
    with Connection(server.ports[port]) if port else server.connect() as connection:
        answer = connection.get("/metrics", f"Accept: {form}")
    assert answer.status == 200, answer.body
    return Metrics(answer.body.decode())
