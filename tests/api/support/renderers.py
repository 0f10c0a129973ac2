"""Programs named posed-render that misbehave, for --worker-dir: real processes that speak the real protocol, wrongly."""
import pathlib
import sys
import textwrap

from conftest import BUILD

STAND_IN = pathlib.Path(__file__).resolve().parent / "stand_in"
PROGRAM = """#!{python} -SE
import os, sys
if "--attempt" in sys.argv or os.path.exists({good!r}):
    os.execv({real!r}, [{real!r}] + sys.argv[1:])
sys.path.insert(0, {here!r})
from render_stand_in import *
{misdeed}
"""


def install(folder, misdeed, workers=1):
    """Options for a server whose renderers run this Python with the names of render_stand_in.py, and a file: when it exists, a new renderer
    is a real one. The real one answers the server's requests at its start."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    good = folder / "good"
    program = folder / "posed-render"
    real = str((BUILD / "posed-render").resolve())
    program.write_text(PROGRAM.format(python=sys.executable, good=str(good), real=real, here=str(STAND_IN),
                                      misdeed=textwrap.dedent(misdeed)))
    program.chmod(0o755)
    importer = folder / "posed-import"
    if not importer.exists():
        importer.symlink_to((BUILD / "posed-import").resolve())
    return ("--worker-dir", str(folder), "--render-workers", str(workers)), good


# What each does, and the status, code and a word of the error that the picture gets.
FAILED, SLOW, MEMORY, SYSCALL, COMPUTED = (500, "render_failed"), (503, "render_timeout"), (503, "render_memory"), (500, "render_syscall"), \
    (422, "render_cpu")
NO_ANSWER = "sent something that is no answer"
NO_PICTURE = "sent a picture that is none"
MISDEEDS = {
    "another magic": ("ready(); draw(*job(), magic=1)", FAILED, NO_ANSWER),
    "a job of the past": ("ready(); n, w, h = job(); draw(n - 1, w, h)", FAILED, NO_ANSWER),
    "the next job": ("ready(); n, w, h = job(); draw(n + 1, w, h)", FAILED, NO_ANSWER),
    "2^63 bytes": ("ready(); n, w, h = job(); send(result(n, size=1 << 63)); wait()", FAILED, NO_ANSWER),
    "minus one byte": ("ready(); n, w, h = job(); send(result(n, size=2**64 - 1)); wait()", FAILED, NO_ANSWER),
    "above two gigabytes": ("ready(); n, w, h = job(); send(result(n, size=(1 << 31) + 1)); wait()", FAILED, NO_ANSWER),
    "no byte": ("ready(); n, w, h = job(); send(result(n)); wait()", FAILED, NO_ANSWER),
    "an error with a picture": ("ready(); n, w, h = job(); send(result(n, number=51, size=9) + bytes(9)); wait()", FAILED, NO_ANSWER),
    "two gigabytes and no more": ("ready(); n, w, h = job(); send(result(n, size=1 << 31)); wait()", SLOW, "within"),
    "a cut picture": ("ready(); n, w, h = job(); send(result(n, size=999) + picture(w, h)[:50]); os._exit(0)", FAILED, "status 0"),
    "a cut answer": ("ready(); n, w, h = job(); send(result(n)[:-1]); os._exit(0)", FAILED, "status 0"),
    "too short": ("ready(); n, w, h = job(); draw(n, w, h, size=40); wait()", FAILED, NO_PICTURE),
    "noise": ("ready(); n, w, h = job(); draw(n, w, h, png=os.urandom(3000)); wait()", FAILED, NO_PICTURE),
    "a page": ("ready(); n, w, h = job(); draw(n, w, h, png=b'<script>alert(1)</script>' * 9); wait()", FAILED, NO_PICTURE),
    "more pixels": ("ready(); n, w, h = job(); draw(n, w, h, png=picture(w, h + 1)); wait()", FAILED, NO_PICTURE),
    "fewer pixels": ("ready(); n, w, h = job(); draw(n, w, h, png=picture(1, 1)); wait()", FAILED, NO_PICTURE),
    "more behind the picture": ("ready(); n, w, h = job(); draw(n, w, h, png=picture(w, h) + bytes(9)); wait()", FAILED, NO_PICTURE),
    "two pictures in one": ("ready(); n, w, h = job(); draw(n, w, h, png=2 * picture(w, h)); wait()", FAILED, NO_PICTURE),
    "no number": ("ready(); n, w, h = job(); draw(n, w, h, numbers=[float('nan')] * SHOWN); wait()", FAILED, NO_ANSWER),
    "no text": ("ready(); n, w, h = job(); draw(n, w, h, unmatched=b'a\\r\\nSet-Cookie: b'); wait()", FAILED, NO_ANSWER),
    "a text without end": ("ready(); n, w, h = job(); draw(n, w, h, unmatched=b'x' * 2000); wait()", FAILED, NO_ANSWER),
    "part of an answer before it is asked": ("ready(); send(result(1, size=4)[:-8]); job(); send(bytes(8) + b'abcd'); wait()",
                                             FAILED, "sent something that is no"),
    "a number of no table": ("ready(); n, w, h = job(); send(result(n, number=9999, message=b'so')); job(); os._exit(0)", FAILED, "so"),
    "a number beyond numbers": ("ready(); n, w, h = job(); send(result(n, number=2**32 - 1, message=b'so')); job(); os._exit(0)", FAILED, "so"),
    "another's number": ("ready(); n, w, h = job(); send(result(n, number=16, message=b'so')); job(); os._exit(0)", FAILED, "so"),
    "a message without end": ("ready(); n, w, h = job(); send(result(n, number=51, message=b'm' * 999)); job(); os._exit(0)", FAILED, "mmm"),
    "a message that is no text": ("ready(); n, w, h = job(); send(result(n, number=51, message=b'a\\xff\\xc0\\n\\\"b\\x1b')); job(); os._exit(0)",
                                  FAILED, "a???\"b?"),
    "an endless dribble": ("ready(); job()\nwhile True: send(b'\\0'); time.sleep(0.01)", SLOW, "within"),
    "endless bytes": ("ready(); job()\nwhile True: send(bytes(65536))", FAILED, NO_ANSWER),
    "endless words": ("ready(); job()\nwhile True: os.write(2, b'w' * 65536)", SLOW, "within"),
    "no end of its work": ("ready(); job()\nwhile True: pass", COMPUTED, "took more than 1 s of processor time; see --render-cpu 1"),
    "deaf": ("ready(); wait()", SLOW, "within"),
    "its socket closed": ("signal.signal(signal.SIGTERM, signal.SIG_IGN); ready(); job(); posed.close(); wait()", FAILED, "socket"),
    "its socket half closed": ("signal.signal(signal.SIGTERM, signal.SIG_IGN); ready(); job(); posed.shutdown(1); wait()", FAILED,
                               "socket"),
    "a child with the socket": ("ready(); job()\nif os.fork() == 0: time.sleep(300)\nos._exit(0)", FAILED, "status 0"),
    "a child of its own session": ("ready(); job()\nif os.fork() == 0: os.setsid(); time.sleep(60)\nos._exit(0)", FAILED, "status 0"),
    "stopped": ("ready(); job(); os.kill(os.getpid(), signal.SIGSTOP); wait()", SLOW, "within"),
    **{f"status {n}": (f"ready(); job(); os._exit({n})", FAILED, f"status {n}") for n in (0, 2, 255)},
    **{f"signal {n}": (f"ready(); job(); die({n})", FAILED, f"signal {n}") for n in (1, 6, 7, 11, 15)},
    "signal 9": ("ready(); job(); die(9)", MEMORY, "signal 9"),
    "signal 31": ("ready(); job(); die(31)", SYSCALL, "no renderer may do"),
}

# Things that they do without a job, and a word of the line in the log.
UNASKED = {
    "an answer before it is asked": ("ready(); draw(1, 64, 64); wait()", NO_ANSWER),
    "ready twice": ("ready(); ready(); wait()", NO_ANSWER),
    "bytes": ("ready()\nwhile True: send(bytes(65536))", NO_ANSWER),
    "its socket closed": ("signal.signal(signal.SIGTERM, signal.SIG_IGN); ready(); posed.close(); wait()", "closed its socket"),
    "its end": ("ready(); os._exit(0)", "ended with status 0"),
}


def install_script(folder, render):
    """--worker-dir with the real importer and this text as posed-render."""
    folder.mkdir()
    (folder / "posed-import").symlink_to((BUILD / "posed-import").resolve())
    (folder / "posed-render").write_text(render)
    (folder / "posed-render").chmod(0o755)
    return ("--worker-dir", str(folder))
