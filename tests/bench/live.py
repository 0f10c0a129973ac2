"""The live model of the page (clients/page/viewer) in a browser without a graphics processor: frames a second while a clip plays."""
import json
import shutil
import subprocess

import peers

TITLE = "the live model"
PLAYWRIGHT = peers.conftest.REPOSITORY / "tests/web/node_modules/playwright-core"
MODELS = ("robot.glb", "dragon.glb")


def run(bench):
    if not PLAYWRIGHT.is_dir() or not any(map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))):
        bench.skip("a browser")
        return
    program = subprocess.Popen(["node", peers.conftest.REPOSITORY / "tests/bench/programs/live.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def frames_a_second(model):
        program.stdin.write(model + "\n")
        program.stdin.flush()
        return json.loads(program.stdout.readline())["fps"]

    for model in MODELS:
        rounds = bench.interleave({"live": lambda name=model: frames_a_second(name)})
        target = "live" if model == "robot.glb" else ""
        bench.add("live", model, "frames a second", rounds.figure("live"), target=target, headline=True)
    program.stdin.close()
    program.wait()
