#!/usr/bin/env python3
"""Eight threads play crowds of one model with libposed-eval, and cast rays at their volumes and meshes: for a minute under
AddressSanitizer with UndefinedBehaviorSanitizer, and for a minute under ThreadSanitizer. The sample models share the time equally.

    library.py [--seconds 60]

Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
import sanitized_crowds  # noqa: E402


def export_samples(folder):
    server = conftest.Server(conftest.SAMPLES)
    files = []
    for model in server.json("/v1/models")["models"]:
        files.append(folder / f"{model['model']}.posed")
        files[-1].write_bytes(server.get(f"/v1/export?model={model['model']}&format=posed").body)
    server.end()
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        files = export_samples(pathlib.Path(folder))
        for sanitizer in sanitized_crowds.PROGRAMS:
            path = sanitized_crowds.program(sanitizer)
            if path is None:
                print(f"{sanitizer}: example_crowd is not built so: make library-sanitized")
                skipped += 1
                continue
            for file in files:
                status, said = sanitized_crowds.play(path, file, seconds / len(files))
                print(f"{sanitizer}, {file.name}: {said.strip()}")
                passed, failed = (passed + 1, failed) if status == 0 else (passed, failed + 1)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
