"""A relay that does something at a certain request."""
from cutting_relay import CuttingRelay


class ActingRelay(CuttingRelay):
    """Calls `act` once, before it passes the request whose bytes contain `words`."""

    def __init__(self, target, words, act):
        self.words, self.act, self.tail = words, act, b""
        super().__init__(target)

    def _to_server(self, client, server):
        try:
            while data := client.recv(65536):
                seen, self.tail = self.tail + data, data[-len(self.words):]
                if self.act is not None and self.words in seen:
                    act, self.act = self.act, None
                    act()
                server.sendall(data)
        except OSError:
            pass
