"""Requests sent by hand, and many connections at a time."""
import json
import resource
import socket

from conftest import PATIENCE_S


def post(server, path, body, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"Content-Length: {len(data)}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n" + "".join(line + "\r\n" for line in lines) + "\r\n")
        connection.send(data)
        return connection.answer()


def ask(server, target, method="GET", version="1.1"):
    connection = server.connect()
    connection.send(f"{method} {target} HTTP/{version}\r\nHost: localhost\r\n\r\n")
    return connection


def final_answer(connection, **options):
    """The answer on a connection without further requests. None of them asked for an interim answer."""
    answer = connection.answer(**options)
    assert answer.status >= 200
    connection.socket.close()
    return answer


def file_limit(count):
    """True if this process may open that many files; raises its own limit for it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 200
    if hard != resource.RLIM_INFINITY and hard < wanted:
        return False
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return True


def connect_many(server, count):
    clients = []
    host, port = server.address.rsplit(":", 1)
    for _ in range(count):
        clients.append(socket.create_connection((host, int(port)), timeout=PATIENCE_S))
    return clients
