"""A fork server (server/worker/fork_server.h) whose processes run a shell script instead of an import."""
import array
import ctypes
import os
import platform
import signal
import socket
import struct
import sys

SOCKET_FD, FD_COUNT = 3, 3
CLONE_PARENT, PR_SET_PDEATHSIG, PR_SET_NAME = 0x8000, 1, 15
SYS_CLONE = {"x86_64": 56, "aarch64": 220, "riscv64": 220}
MODEL, ATTEMPT = 1, 2

libc = ctypes.CDLL(None)


def receive(channel):
    """The descriptors of a message, or None at the end."""
    data, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_LEN(FD_COUNT * 4))
    if not data:
        return None
    fds = array.array("i")
    fds.frombytes(ancillary[0][2])
    return list(fds)


def become(fds, program, real, script, options):
    """In the new process: become the script, with the arguments of a manual import."""
    os.setpgid(0, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    for source, target in zip(fds, (2, 3, 4)):
        os.dup2(source, target, inheritable=True)
    os.closerange(5, 64)
    order = os.read(3, 8192)
    _, kind = struct.unpack_from("<II", order)
    text = order[8:order.index(b"\0", 8)].decode("utf-8", "surrogateescape")
    if kind == ATTEMPT:
        os.execv(real, [real, *options, "--attempt", text])
    os.execv("/bin/sh", ["sh", "-c", script, program, *options, "--", text])


def main(real, script):
    program, *options = sys.argv
    if "--fork-server" not in options:
        os.execv(real, [real, *options])
    options = [option for option in options if option not in ("--fork-server", "--libraries")]
    libc.prctl(PR_SET_NAME, b"posed-forks", 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    channel = socket.socket(fileno=SOCKET_FD)
    while (fds := receive(channel)) is not None:
        pid = libc.syscall(SYS_CLONE[platform.machine()], CLONE_PARENT | signal.SIGCHLD, None, None, None, None)
        if pid == 0:
            try:
                become(fds, program, real, script, options)
            finally:
                os._exit(126)
        for fd in fds:
            os.close(fd)
        channel.send(struct.pack("<ii", pid, 0))
