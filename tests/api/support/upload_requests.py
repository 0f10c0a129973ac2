"""Uploads and deletions over HTTP, and the contents of a folder of uploads."""
import io
import os
import zipfile

from small_models import gltf

TRIANGLE = gltf().encode()


def put(server, name, body, *headers, chunk=None, **options):
    with server.connect(**options) as connection:
        lines = "".join(line + "\r\n" for line in headers)
        framing = f"Content-Length: {len(body)}" if chunk is None else "Transfer-Encoding: chunked"
        connection.send(f"PUT /v1/models/{name} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n{lines}\r\n")
        if chunk is None:
            connection.send(body)
        else:
            for at in range(0, len(body), chunk):
                part = body[at:at + chunk]
                connection.send(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            connection.send("0\r\n\r\n")
        return connection.answer()


def delete(server, name):
    return server.get(f"/v1/models/{name}", method="DELETE")


def files(root):
    """Paths of all files in a folder, which may be changing."""
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, folders, names in os.walk(root) for name in folders + names)


def packed(entries, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return out.getvalue()
