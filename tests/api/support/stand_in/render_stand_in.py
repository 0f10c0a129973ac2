"""The parts of a program named posed-render that speak server/worker/render_job.h, correctly or wrongly. It imports few modules, because a
worker that is started for each test must start at once."""
import array
import os
import signal
import socket
import struct
import time
import zlib

JOB_MAGIC, RESULT_MAGIC = 0x424F4A50, 0x53455250
MESSAGE_BYTES, UNMATCHED_BYTES = 480, 1536
SHOWN = 1 + 16 + 16 + 2  # numbers: the time, two matrices, the range of a pass
JOB_SIZE_AT = 5048  # of width and height

posed = socket.socket(fileno=3)


def result(job=0, number=0, size=0, message=b"", numbers=(0.0,) * SHOWN, unmatched=b"", magic=RESULT_MAGIC):
    return (struct.pack("<IIQQ", magic, number, job, size) + message.ljust(MESSAGE_BYTES, b"\0")[:MESSAGE_BYTES]
            + struct.pack(f"<{SHOWN}d", *numbers) + unmatched.ljust(UNMATCHED_BYTES, b"\0")[:UNMATCHED_BYTES])


def send(data):
    posed.sendall(data)


def ready(**what):
    send(result(**{"message": b"stand-in", **what}))


def job():
    """The next job's number, width and height. Its files are closed."""
    files = array.array("i")
    data, control, _, _ = posed.recvmsg(1 << 20, socket.CMSG_SPACE(20 * files.itemsize))
    for _, _, part in control:
        files.frombytes(part[:len(part) - len(part) % files.itemsize])
    for fd in files:
        os.close(fd)
    if not data:
        os._exit(0)
    assert struct.unpack_from("<I", data)[0] == JOB_MAGIC
    return struct.unpack_from("<Q", data, 8)[0], *struct.unpack_from("<II", data, JOB_SIZE_AT)


def picture(width, height):
    """A PNG of black pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress((b"\0" + b"\0\0\0\xff" * width) * height, 1)) + chunk(b"IEND", b""))


def draw(number, width, height, **what):
    """A correct answer, except for the given values."""
    png = what.pop("png", None) or picture(width, height)
    send(result(**{"job": number, "size": len(png), **what}) + png)


def wait():
    """Lives on until it is killed."""
    while True:
        time.sleep(1000)


def die(number):
    signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
    os.kill(os.getpid(), number)
    wait()


# --- between posed and a real renderer ---

def receive_job():
    """The bytes of a job, and its files."""
    files = array.array("i")
    data, control, _, _ = posed.recvmsg(1 << 20, socket.CMSG_SPACE(20 * files.itemsize))
    for _, _, part in control:
        files.frombytes(part)
    if not data:
        os._exit(0)
    return data, files


def job_number(data):
    return struct.unpack_from("<Q", data, 8)[0]


def job_size(data):
    return struct.unpack_from("<II", data, JOB_SIZE_AT)


class Real:
    """A real posed-render, started by the stand-in."""

    def __init__(self, command):
        self.socket, theirs = socket.socketpair()
        if os.fork() == 0:
            os.dup2(theirs.fileno(), 3)
            os.execv(command[0], command)
        theirs.close()

    def ask(self, data, files):
        self.socket.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        for fd in files:
            os.close(fd)

    def _take(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                os._exit(1)
            data += more
        return data

    def read(self):
        """A complete answer."""
        head = self._take(len(result()))
        return head + self._take(struct.unpack_from("<Q", head, 16)[0])
