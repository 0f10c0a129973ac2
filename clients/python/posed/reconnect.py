"""Decides how often and how long a client tries again when a connection ends."""
from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Callable, Optional

from . import errors
from .errors import ConnectionLost, PosedError

TRIES = 10
WITHIN_S = 10.0
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0
#: a connection that worked for this long, or brought an answer, resets the count
_SETTLED_S = 1.0


@dataclass(frozen=True)
class Reconnect:
    """tries: connections to try after one has ended; 0: none, and nothing is repeated. within_s: for all of them together. called: receives
    the request, the number of tries and the seconds since the connection ended, each time a connection works again."""

    tries: int = TRIES
    within_s: float = WITHIN_S
    called: Optional[Callable[[str, int, float], None]] = None


class Outage:
    """The tries since a connection ended. For one thread at a time."""

    def __init__(self, policy: Reconnect, what: str) -> None:
        self.policy, self.what = policy, what
        self.tries = 0
        self._since_s = 0.0
        self._back_s: Optional[float] = None

    def wait(self, error: PosedError) -> None:
        """Wait before the next try. The first wait is zero, the later ones grow. They are random, so that the clients of a server that died
        do not all reach the next one at the same time. Raises `error` if no try is allowed; after the last try raises a `ConnectionLost`
        that lists the tries."""
        now_s = time.monotonic()
        if self.policy.tries <= 0:
            raise error
        if self.tries == 0 or (self._back_s is not None and now_s - self._back_s >= _SETTLED_S):
            self.tries, self._since_s = 0, now_s
        self._back_s = None
        pause_s = 0.0 if self.tries == 0 else min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** (self.tries - 1)) * random.uniform(0.5, 1)
        if self.tries >= self.policy.tries or now_s + pause_s - self._since_s > self.policy.within_s:
            raise self.gave_up(error) from error
        self.tries += 1
        time.sleep(pause_s)

    def gave_up(self, error: PosedError) -> ConnectionLost:
        """Return the error to raise after the last try, which failed with `error`."""
        waited_s = time.monotonic() - self._since_s if self.tries else 0.0
        return ConnectionLost(f"gave up on {self.what} after {self.tries + 1} tries in {waited_s:.1f} s: {error.message}",
                              tries=self.tries + 1, waited_s=waited_s)

    def reopen(self, begin: Callable[[], None], error: PosedError) -> None:
        """Call `begin`, which makes another connection after `error` has ended one, until it succeeds. Raises other errors of it; after the
        last try raises a `ConnectionLost` that lists the tries."""
        while True:
            self.wait(error)
            try:
                begin()
            except PosedError as another:
                if not is_end(another):
                    raise
                error = another
            else:
                self.is_back()
                return

    def is_back(self) -> None:
        """A connection works again."""
        if self.tries and self._back_s is None:
            self._back_s = time.monotonic()
            if self.policy.called is not None:
                self.policy.called(self.what, self.tries, self._back_s - self._since_s)

    def is_over(self) -> None:
        """The connection brought an answer."""
        self.is_back()
        self.tries, self._back_s = 0, None


def is_end(error: PosedError) -> bool:
    """Whether a connection, or the one behind a balancer, ended before the answer was complete. Then the request may be sent again. Every
    other error of a server is an answer."""
    return isinstance(error, ConnectionLost) or error.code == "shutting_down" or errors.is_of_balancer(error)
