"""A relay between clients and a server that ends connections when a test wants: after a number of bytes of the server, or now."""
import socket
import struct
import threading


class CuttingRelay:
    """Takes connections on a port of its own and passes their bytes to `target` (host:port, or the path of a Unix socket).

    cuts: for each connection, in the order in which they come, after how many bytes of the server it ends; None, and behind the list: never.
    is_reset: whether the client's end is reset instead of closed. passed: the bytes of the server that each connection let through."""

    def __init__(self, target, cuts=(), is_reset=False):
        self.target, self.cuts, self.is_reset = target, list(cuts), is_reset
        self.passed, self.open = [], []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._serve()

    def _serve(self):
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.refuse()
        self.sever()

    def refuse(self):
        """Refuse connections from now on; open ones stay."""
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    def listen(self):
        """After refuse(): accept connections again, on the same port."""
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(64)
        self._serve()

    def sever(self):
        """End all open connections."""
        with self.lock:
            pairs, self.open = self.open, []
        for pair in pairs:
            self._end(pair)

    def _end(self, pair):
        client, server = pair
        for one in (server, client):
            try:
                if self.is_reset and one is client:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.shutdown(socket.SHUT_RD)  # wakes the reading thread, which would keep the socket open
                else:
                    one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def _dial(self):
        if self.target.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            return server
        host, port = self.target.rsplit(":", 1)
        return socket.create_connection((host, int(port)))

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = self._dial()
            except OSError:
                client.close()
                continue
            for one in client, server:
                if one.family != socket.AF_UNIX:
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                number = len(self.passed)
                self.passed.append(0)
                cut = self.cuts[number] if number < len(self.cuts) else None
                self.open.append((client, server))
            threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
            threading.Thread(target=self._to_client, args=(client, server, number, cut), daemon=True).start()

    def _to_server(self, client, server):
        try:
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _to_client(self, client, server, number, cut):
        try:
            while cut is None or self.passed[number] < cut:
                data = server.recv(65536 if cut is None else cut - self.passed[number])
                if not data:
                    break
                client.sendall(data)
                self.passed[number] += len(data)
        except OSError:
            pass
        with self.lock:
            if (client, server) in self.open:
                self.open.remove((client, server))
        self._end((client, server))
