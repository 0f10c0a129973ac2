#!/usr/bin/env python3
"""A tick of a crowd as a Python program asks for it, with NumPy's arrays: crowd_python.py ADDRESS MODEL CHARACTERS NODE.

Answers a line of JSON for each line on stdin, as crowd.c does: "measure LAYERS SECONDS" tells the nanoseconds of a tick."""
import json
import pathlib
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))
import posed  # noqa: E402
from posed import crowd  # noqa: E402


class Crowd:
    def __init__(self, client, path, characters, node, layers):
        self.client, self.path = client, path
        self.masks = [crowd.Mask(subtree=[node])]
        self.duration_s = client.model(path).info()["clips"][0]["duration"]
        self.entities = numpy.zeros(characters, crowd.entity_dtype())
        self.entities["world"] = -1
        self.entities["layer_count"] = layers
        self.entities["first_layer"] = layers * numpy.arange(characters)
        self.layers = numpy.zeros((characters, layers), crowd.layer_dtype())
        self.layers["mask"], self.layers["weight"] = -1, 1
        if layers > 1:
            self.layers["mask"][:, 1], self.layers["weight"][:, 1] = 0, 0.5
        self.chance = numpy.random.default_rng(1)

    def tick(self):
        self.layers["time_s"] = self.chance.random(self.layers.shape) * self.duration_s
        found = self.client.crowd([self.path], self.entities, layers=self.layers, masks=self.masks)
        if found.errors:
            raise SystemExit(f"crowd_python: {found.errors}")
        return found.floats


def measure(one, seconds):
    begin, ticks = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        one.tick()
        ticks += 1
    return {"ns": (time.perf_counter() - begin) * 1e9 / ticks, "ticks": ticks, "characters": len(one.entities)}


def main(address, path, characters, node):
    with posed.connect(address) as client:
        crowds = [Crowd(client, path, int(characters), int(node), layers) for layers in (1, 2)]
        for line in sys.stdin:
            _, layers, seconds = line.split()
            print(json.dumps(measure(crowds[int(layers) - 1], float(seconds))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
