"""Answers, the same over every transport."""
from __future__ import annotations

import io
import json
from typing import Any, Dict

from .arrays import Buffer, has_numpy, numpy
from .errors import ProtocolError
from .frames import Frames


class Answer:
    """content_type, body (bytes-like), HTTP headers about the body (names in lower case), number of warnings."""

    def __init__(self, content_type: str, body: Buffer, headers: Dict[str, str], warnings: int = 0) -> None:
        self.content_type, self.body, self.headers, self.warnings = content_type, body, headers, warnings

    def json(self) -> Any:
        if not self.content_type.startswith("application/json"):
            raise ProtocolError(f"an answer of the type {self.content_type} where JSON was expected")
        try:
            return json.loads(bytes(self.body))
        except (ValueError, RecursionError) as error:
            raise ProtocolError(f"the answer is not JSON: {error}") from error

    def frames(self) -> Frames:
        if self.content_type != "application/vnd.posed.frames":
            raise ProtocolError(f"an answer of the type {self.content_type} where binary frames were expected")
        return Frames(self.body, self.warnings)


#: of a file of passes (.npz)
PASSES_TYPE = "application/zip"


class Picture(bytes):
    """A picture: its bytes, which a notebook shows.

    content_type  "image/png", or the format of the request; "application/zip" for passes, which arrays() reads
    headers       of the answer: "x-posed-clip", "x-posed-time", "x-posed-camera"
    """

    content_type: str
    headers: Dict[str, str]

    @classmethod
    def of(cls, answer: Answer) -> "Picture":
        if not answer.content_type.startswith("image/") and answer.content_type != PASSES_TYPE:
            raise ProtocolError(f"an answer of the type {answer.content_type} where a picture was expected")
        picture = cls(answer.body)
        picture.content_type, picture.headers = answer.content_type, answer.headers
        return picture

    def save(self, path: Any) -> None:
        with open(path, "wb") as file:
            file.write(self)

    def arrays(self) -> Dict[str, Any]:
        """Return the passes of a picture with ``passes`` as NumPy arrays by name. It needs NumPy."""
        if not has_numpy():
            raise ValueError("arrays need NumPy")
        if self.content_type != PASSES_TYPE:
            raise ProtocolError(f"a picture of the type {self.content_type} where passes were expected")
        with numpy.load(io.BytesIO(self), allow_pickle=False) as file:
            return {name: file[name] for name in file}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, bytes]:
        return {self.content_type: bytes(self)} if self.content_type != PASSES_TYPE else {"text/plain": repr(self).encode()}

    def _repr_png_(self) -> Any:
        return bytes(self) if self.content_type == "image/png" else None

    def __repr__(self) -> str:
        return f"<posed.Picture {self.content_type}, {len(self)} bytes>"

    __str__ = __repr__
