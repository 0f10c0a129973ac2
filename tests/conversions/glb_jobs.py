"""three.js and Khronos' validator, in one Node process that runs tests/web/glb_jobs.mjs."""
import json
import pathlib
import shutil
import subprocess

WEB = pathlib.Path(__file__).resolve().parents[1] / "web"


class GlbJobs:
    """ask() returns the answer of a job. RuntimeError if it failed."""

    def __init__(self):
        self.process = subprocess.Popen(["node", WEB / "glb_jobs.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, job, **parameters):
        self.process.stdin.write(json.dumps({"job": job, **{k: str(v) if isinstance(v, pathlib.Path) else v for k, v in parameters.items()}}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"node ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"].splitlines()[0])
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def begin():
    """GlbJobs, or None if there is no node or npm's registry cannot be reached."""
    if not shutil.which("node"):
        return None
    installed = subprocess.run([WEB / "run.sh", "--install"], capture_output=True, text=True, check=False)
    return GlbJobs() if installed.returncode == 0 else None
