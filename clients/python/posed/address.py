"""Addresses of servers."""
from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass
from typing import Union
from urllib.parse import urlsplit

from .errors import ConnectionLost

DEFAULT = "127.0.0.1:7879"
_PORTS = {"packets": 7879, "http": 7878, "https": 443, "ws": 7878, "wss": 443}


@dataclass(frozen=True)
class Address:
    """scheme: "packets" (the binary protocol), "http", "https", or "ws" and "wss" (the binary protocol over a WebSocket). With `path` it is
    a Unix socket."""

    scheme: str
    host: str = ""
    port: int = 0
    path: str = ""

    def connect(self, timeout_s: float) -> socket.socket:
        """Return a connected socket, with TLS for https and wss."""
        try:
            if self.path:
                link = socket.socket(socket.AF_UNIX)
                link.settimeout(timeout_s)
                link.connect(self.path)
                return link
            link = socket.create_connection((self.host, self.port), timeout_s)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return ssl.create_default_context().wrap_socket(link, server_hostname=self.host) if self.scheme in ("https", "wss") else link
        except OSError as error:
            # A reset at once: the server, or a proxy before it, accepted the connection.
            is_unreachable = not isinstance(error, ConnectionResetError)
            raise ConnectionLost(f"cannot connect to {self}: {error}", is_unreachable=is_unreachable) from error

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine, where compression costs more than it saves."""
        return bool(self.path) or self.host in ("localhost", "::1") or self.host.startswith("127.")

    @property
    def host_header(self) -> str:
        """The value of HTTP's `Host` header."""
        if self.path:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        scheme = "" if self.scheme == "packets" else self.scheme + ("+" if self.path else "://")
        return f"{scheme}unix:{self.path}" if self.path else scheme + self.host_header


def parse(text: Union[str, "os.PathLike[str]", None]) -> Address:
    """Parse ``host:port``, ``port`` (of 127.0.0.1), ``unix:/path`` or ``/path`` (these four: the binary protocol), ``http://host:port``,
    ``https://host`` or ``http+unix:/path``. With ``ws`` for ``http`` it is the binary protocol over a WebSocket. None: ``POSED_SERVER`` of the environment,
    else 127.0.0.1:7879."""
    address = os.fspath(text) if text is not None else os.environ.get("POSED_SERVER") or DEFAULT
    for prefix, scheme in ("unix:", "packets"), ("http+unix:", "http"), ("ws+unix:", "ws"):
        if address.startswith(prefix):
            path = address[len(prefix):]
            return Address(scheme, path="/" + path.lstrip("/") if path.startswith("//") else path)
    if address.startswith("/"):
        return Address("packets", path=address)
    if address.isascii() and address.isdigit():
        address = f"127.0.0.1:{address}"
    scheme, has_scheme, rest = address.partition("://")
    if not has_scheme:
        scheme, rest = "tcp", address
    if scheme not in ("tcp", "http", "https", "ws", "wss"):
        raise ValueError(f"'{address}': a server is host:port, unix:/path or http://host:port")
    parts = urlsplit("//" + rest)
    if not parts.hostname or parts.path.strip("/") or parts.query or parts.username:
        raise ValueError(f"'{address}': a server is host:port, unix:/path or http://host:port")
    name = "packets" if scheme == "tcp" else scheme
    return Address(name, parts.hostname, parts.port or _PORTS[name])
