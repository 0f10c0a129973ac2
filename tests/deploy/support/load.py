"""Requests with known answers, sent over several connections until the load is stopped."""
import collections
import json
import threading
import time
import urllib.parse

from conftest import PATIENCE_S, Connection, wait_until

Question = collections.namedtuple("Question", "method target body headers status answer etag")


def exchange(connection, method, target, body=None, headers=()):
    """One answer, without interim ones; None if the other side closed without one."""
    lines = [*headers, *([f"Content-Length: {len(body)}"] if body is not None else [])]
    connection.send((f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n" + "".join(line + "\r\n" for line in lines) + "\r\n").encode() + (body or b""))
    while (answer := connection.answer(is_head=method == "HEAD")) is not None and answer.status < 200:
        pass
    return answer


def questions(server, models, headers=()):
    """The answers of `server` to requests about each model, of every kind that a proxy may treat differently. headers: of each."""
    asked = []
    with server.connect() as one:
        for i, model in enumerate(models):
            name = urllib.parse.quote(model)
            content = json.loads(one.get(f"/v1/model?model={name}", *headers).body)["hash"]
            kinds = [("GET", f"/v1/palette?model={name}&t={0.1 * i:.1f}", None),
                     ("POST", f"/v1/pose?model={name}", json.dumps({"t": [0.125 * i, 0.5], "what": "local"}).encode()),
                     ("GET", f"/v1/palette?model={name}&t=0:1:{10 + i}&format=bin", None),
                     ("HEAD", f"/v1/pose?model={name}&t=0.25", None),
                     ("GET", f"/v1/pose?t=0.5&model={name}&hash={content}", None),
                     ("GET", f"/v1/palette?model={name}&clip=no+such+clip", None),
                     ("GET", f"/v1/render?model={name}&t=0.5&width=48&height=48", None)]
            targets = kinds[:2] + [kinds[2 + i % 5]]
            for method, target, body in targets:
                answer = exchange(one, method, target, body, headers)
                asked.append(Question(method, target, body, (), answer.status, answer.body, answer.headers.get("etag")))
                if method == "GET" and answer.status == 200:
                    condition = (f"If-None-Match: {answer.headers['etag']}",)
                    again = exchange(one, method, target, None, [*condition, *headers])
                    asked.append(Question(method, target, None, condition, again.status, again.body, again.headers.get("etag")))
    others = [(question.target, question.status, question.answer[:200]) for question in asked if question.status not in (200, 304, 404)]
    assert not others and {question.status for question in asked} == {200, 304, 404}, others
    return asked


class Load:
    """Threads that send requests, each over a connection of its own, and compare the answers. An answer is a failure unless it is correct
    or a document allows it."""

    def __init__(self, address, asked, threads=6, headers=None):
        """headers(): the lines of a request, read for each."""
        self.address, self.asked, self.headers = address, asked, headers or (lambda: ())
        self.counts = collections.Counter()
        self.failures = []
        self.repeats = collections.Counter()  # codes of errors that http.md says to repeat
        self.slowest_s, self.slowest = 0.0, None  # the slowest request and its time
        self.is_over = threading.Event()
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.asked_by = [0] * threads  # the number of finished requests of each thread
        self.threads = [threading.Thread(target=self.work, args=(i,), daemon=True) for i in range(threads)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def answered(self):
        return self.counts["right"]

    def wait_for(self, count):
        """Wait for that many more answers, so that earlier events have had an effect on some."""
        until, deadline = self.answered() + count, time.monotonic() + PATIENCE_S
        while self.answered() < until:
            assert time.monotonic() < deadline, f"the load stands still: {self.counts} {self.failures[-3:]}"
            time.sleep(0.02)

    def wait_for_those_under_way(self):
        """Wait until every running request has finished. Those after it have the current headers."""
        before = list(self.asked_by)
        wait_until(lambda: all(now > then for now, then in zip(self.asked_by, before)), "a request is not answered")

    def work(self, thread):
        connection = None
        for i in range(thread * len(self.asked) // len(self.threads), 1 << 30):
            if self.is_over.is_set():
                break
            question = self.asked[i % len(self.asked)]
            began, is_used = time.monotonic(), connection is not None
            try:
                connection = connection or Connection(self.address)
                answer = exchange(connection, question.method, question.target, question.body, [*question.headers, *self.headers()])
                verdict = self.judge(question, answer)
            except (ConnectionResetError, BrokenPipeError) as error:
                verdict, answer = "closed" if connection and is_used and not connection.unread else repr(error), None
            except (OSError, AssertionError) as error:
                verdict, answer = f"{type(error).__name__}: {error}"[:200], None
            took_s = time.monotonic() - began
            with self.lock:
                if took_s > self.slowest_s:
                    self.slowest_s, self.slowest = took_s, (question.method, question.target, f"{began - self.began:.1f} s after the beginning")
                self.counts[verdict if verdict in ("right", "repeat", "closed") else "failed"] += 1
                self.counts["stale"] += answer is not None and "x-posed-stale" in answer.headers
                if verdict not in ("right", "repeat", "closed"):
                    self.failures.append((question.method, question.target, verdict))
                self.asked_by[thread] += 1
            if answer is None or answer.headers.get("connection", "").lower() == "close":
                if connection:
                    connection.socket.close()
                connection = None
        if connection:
            connection.socket.close()

    def judge(self, question, answer):
        if answer is None:
            return "closed"  # between two requests: HTTP allows both sides to close (RFC 9112, 9.3.1), and the client asks again
        if answer.status == 503 and answer.headers.get("retry-after"):
            self.repeats[answer.json()["error"]["code"] if answer.body else question.method] += 1
            return "repeat"  # http.md: it may succeed when it is repeated
        if answer.status != question.status:
            return f"status {answer.status} instead of {question.status}: {answer.body[:200]!r}"
        if answer.body != question.answer:
            return "WRONG: another body"
        if answer.headers.get("etag") != question.etag:
            return f"WRONG: ETag {answer.headers.get('etag')} instead of {question.etag}"
        return "right"
