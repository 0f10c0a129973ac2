"""When a connection ends: how often and how long a client tries again."""
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
#: a connection that worked for so long, or brought an answer, ends the count
_SETTLED_S = 1.0


@dataclass(frozen=True)
class Reconnect:
    """tries: connections after one that ended; 0: none, and nothing is repeated. within_s: for all of them together. called: with what
    was asked, the number of tries and the seconds since the connection ended, each time that one works again."""

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
        """Before the next try: not at all, then longer each time, at random, so that the clients of a server that died do not come to the
        next one all at once. Raises `error` where nothing is to be tried, and a `ConnectionLost` that says what was tried after the
        last one."""
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
        """What to raise after the last try, which failed with `error`."""
        waited_s = time.monotonic() - self._since_s if self.tries else 0.0
        return ConnectionLost(f"gave up on {self.what} after {self.tries + 1} tries in {waited_s:.1f} s: {error.message}",
                              tries=self.tries + 1, waited_s=waited_s)

    def reopen(self, begin: Callable[[], None], error: PosedError) -> None:
        """Calls `begin`, which makes another connection after the `error` that ended one, until it works. Raises what else goes wrong, and
        a `ConnectionLost` that says what was tried after the last try."""
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
        """It brought an answer."""
        self.is_back()
        self.tries, self._back_s = 0, None


def is_end(error: PosedError) -> bool:
    """Whether a connection, or the one behind a balancer, ended before the answer was complete: the request may be made again. No other
    error of a server is."""
    return isinstance(error, ConnectionLost) or error.code == "shutting_down" or errors.is_of_balancer(error)
