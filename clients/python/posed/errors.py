"""The exceptions of the client."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

#: number of the binary protocol: (code, HTTP status). A test compares it with protocol/errors.def.
CODES: Dict[int, Tuple[str, int]] = {
    1: ("bad_request", 400),
    2: ("unknown_parameter", 400),
    3: ("bad_parameter", 400),
    4: ("duplicate_parameter", 400),
    5: ("missing_parameter", 400),
    6: ("bad_path", 400),
    7: ("too_many_frames", 400),
    8: ("forbidden", 403),
    9: ("not_found", 404),
    10: ("method_not_allowed", 405),
    11: ("request_timeout", 408),
    12: ("body_too_large", 413),
    13: ("uri_too_long", 414),
    14: ("headers_too_large", 431),
    15: ("unsupported_media_type", 415),
    70: ("expectation_failed", 417),
    16: ("unauthorized", 401),
    17: ("origin_not_allowed", 403),
    18: ("host_not_allowed", 421),
    19: ("conflict", 409),
    20: ("model_not_found", 404),
    21: ("clip_not_found", 404),
    22: ("skin_not_found", 404),
    23: ("joint_not_found", 404),
    24: ("mesh_not_found", 404),
    25: ("ambiguous_name", 409),
    26: ("hash_mismatch", 409),
    27: ("camera_not_found", 404),
    64: ("variant_not_found", 404),
    67: ("texture_not_found", 404),
    77: ("morph_not_found", 404),
    78: ("expression_not_found", 404),
    68: ("light_not_found", 404),
    65: ("not_in_gltf", 422),
    29: ("bad_keys", 422),
    30: ("unknown_format", 415),
    31: ("lfs_pointer", 415),
    32: ("empty_file", 415),
    33: ("not_a_model", 415),
    76: ("unsupported_file", 415),
    34: ("bad_model", 422),
    35: ("model_limit", 422),
    36: ("unsupported_extension", 422),
    37: ("companion_missing", 422),
    38: ("import_crashed", 422),
    39: ("import_timeout", 503),
    40: ("import_memory", 422),
    41: ("bad_bake", 422),
    42: ("not_finite", 422),
    43: ("nothing_to_draw", 422),
    44: ("not_rigid", 422),
    45: ("clip_no_match", 422),
    66: ("humanoid_incomplete", 422),
    46: ("import_aborted", 422),
    47: ("import_cpu", 422),
    48: ("import_syscall", 422),
    49: ("import_too_large", 422),
    74: ("bad_hitboxes", 422),
    62: ("import_killed", 503),
    50: ("internal", 500),
    51: ("render_failed", 500),
    52: ("render_timeout", 503),
    75: ("render_cpu", 422),
    53: ("overloaded", 503),
    54: ("shutting_down", 503),
    55: ("no_memory", 503),
    60: ("storage", 507),
    56: ("unavailable", 503),
    57: ("model_changing", 503),
    69: ("source_unavailable", 503),
    58: ("render_syscall", 500),
    59: ("render_memory", 503),
    63: ("batch_cpu", 400),
}


class PosedError(Exception):
    """The server refused a request, or could not be reached or understood.

    code           for programs, stable: ``"clip_not_found"``
    status         the HTTP status of the code; 0 if no server answered
    message        a sentence for people
    candidates     what exists instead of something not found or ambiguous: ``[{"index": 2, "name": "fly"}, ..]``
    retry_after_s  when to try again, in seconds; 0 if trying again does not help
    offset         malformed packet: the offset of the wrong byte; else None
    server         the address of the server that refused; else ""
    """

    def __init__(self, code: str, message: str, status: int = 0, candidates: Optional[List[Dict[str, Any]]] = None,
                 retry_after_s: int = 0, offset: Optional[int] = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.status = code, message, status
        self.candidates: List[Dict[str, Any]] = candidates or []
        self.retry_after_s, self.offset = retry_after_s, offset
        self.server = ""

    def __str__(self) -> str:
        there_are = ", ".join(f"{one.get('index')} {one.get('name')!r}" for one in self.candidates[:8])
        return (super().__str__() + (f"; there are {there_are}" if there_are else "") + (", ..." if len(self.candidates) > 8 else "")
                + (f" (server {self.server})" if self.server else ""))

    def of(self, server: object) -> "PosedError":
        """Note which server refused; returns the exception itself."""
        self.server = str(server)
        return self


class ProtocolError(PosedError):
    """The server broke the protocol, or is not posed. The connection is closed."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_answer", message)


class SpeaksHttp(ProtocolError):
    """The port does not speak the binary protocol. `Client` uses HTTP instead."""

    def __init__(self) -> None:
        super().__init__("this port speaks HTTP only")


class ConnectionLost(PosedError, ConnectionError):
    """The server cannot be reached, or closed the connection before it answered.

    tries          the number of tries; 1: nothing was repeated
    waited_s       their duration in seconds
    is_unreachable  no connection could be made: nothing was sent
    """

    def __init__(self, message: str, tries: int = 1, waited_s: float = 0.0, is_unreachable: bool = False) -> None:
        PosedError.__init__(self, "connection_lost", message)
        self.tries, self.waited_s, self.is_unreachable = tries, waited_s, is_unreachable


class AnswerCut(ProtocolError, ConnectionLost):
    """The connection ended within an answer."""

    def __init__(self, message: str) -> None:
        ConnectionLost.__init__(self, message)
        PosedError.__init__(self, "bad_answer", message)


class TimedOut(PosedError, TimeoutError):
    """The server sent nothing for ``timeout_s``. The connection is closed."""

    def __init__(self, message: str) -> None:
        PosedError.__init__(self, "timed_out", message)


def is_of_balancer(error: PosedError) -> bool:
    """Whether the error comes from a balancer whose server is gone. posed itself never sends 502, and sends a code with each 503."""
    return error.code == "bad_gateway"


def from_json(body: bytes, status: int, retry_after_s: int = 0, code: str = "", offset: Optional[int] = None,
              message: str = "") -> PosedError:
    """Make the exception for the JSON body of an error. The other arguments replace missing members."""
    error: Dict[str, Any] = {}
    try:
        error = json.loads(body)["error"]
        error = error if isinstance(error, dict) else {}
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    if not error and status in (502, 503) and not code:
        code, message = "bad_gateway", f"a balancer answered HTTP {status}"
    candidates = error.get("candidates")
    return PosedError(str(error.get("code") or code or "internal"), str(error.get("message") or message or f"HTTP {status}"), status,
                      candidates if isinstance(candidates, list) else None, retry_after_s, offset)
