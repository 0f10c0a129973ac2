"""--kernel: /v1/version shows which instructions compute palettes. Nothing else does."""
import subprocess

import pytest

from conftest import BUILD, SAMPLES
from importers import NO_RENDERING

TARGETS = ("/v1/palette?model={}&t=0:1:7&format=bin", "/v1/palette?model={}&t=0.1,0.73&layout=mat3x4",
           "/v1/palette?model={}&clip=1&t=0.31&skin=0&format=bin&layout=mat3x4", "/v1/palette?model={}&space=root&t=0.5")


def has(kernel):
    return subprocess.run([BUILD / "posed", "--kernel", kernel, "--check-config"], capture_output=True).returncode == 0


def test_same_bytes_and_tags(start):
    answers = {}
    for kernel in filter(has, ("scalar", "sse2", "avx2", "avx512", "neon", "auto")):
        server = start("--kernel", kernel, *NO_RENDERING, root=SAMPLES)
        assert server.json("/v1/version")["kernel"] == kernel or kernel == "auto"
        for model in ("dragon.glb", "octopus.glb", "robot.glb"):
            for target in TARGETS:
                answer = server.get(target.format(model))
                assert answer.status == 200, answer.body
                first = answers.setdefault((model, target), (answer.body, answer.headers["etag"]))
                assert (answer.body, answer.headers["etag"]) == first, (kernel, model, target)
    assert len(answers) == 12


def test_version_names_the_best():
    said = subprocess.run([BUILD / "posed", "--version"], capture_output=True, text=True, check=True).stdout
    assert any(f"{kernel} kernel" in said for kernel in ("scalar", "sse2", "avx2", "avx512", "neon"))


@pytest.mark.parametrize("kernel", ["mmx", ""])
def test_unknown(kernel):
    ended = subprocess.run([BUILD / "posed", "--kernel", kernel, "--check-config"], capture_output=True, text=True)
    assert ended.returncode == 2 and "--kernel" in ended.stderr
