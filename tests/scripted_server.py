"""A chat server on loopback that does what a test tells it to, and remembers what it was sent."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from suffice.plugins.generators._chat_prompt import passages_in

Request = dict[str, Any]
Step = Callable[["Handler", Request], None]
_LONGEST_S = 3.0  # no script holds a connection longer, so that a client that hangs is seen and ends


class Handler(BaseHTTPRequestHandler):
    """One connection; the server's script says how it goes."""

    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._play(json.loads(raw))

    def do_GET(self) -> None:
        self._play({})

    def _play(self, request: Request) -> None:
        script: Scripted = self.server.script
        with script.lock:
            script.requests.append(request)
            script.paths.append(self.path)
            script.keys.append(self.headers.get("Authorization", ""))
            n = min(len(script.requests), len(script.steps)) - 1
        self.close_connection = True
        with suppress(BrokenPipeError, ConnectionResetError):
            script.steps[n](self, request)

    def give(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        """A whole reply."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a test reads the requests themselves."""


@dataclass
class Scripted:
    """`steps` answer the requests in turn, the last one all that follow."""

    url: str
    steps: list[Step] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def n(self) -> int:
        return len(self.requests)


@contextmanager
def serving(*steps: Step) -> Iterator[Scripted]:
    """A server with this script on a free port."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    script = Scripted(f"http://127.0.0.1:{server.server_address[1]}/v1", list(steps))
    server.script = script
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def completion(content: Any, finish: str | None = "stop", usage: Any = (1000, 20), **message: Any) -> bytes:
    """The body of a chat completion."""
    data: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    if usage:
        data["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return json.dumps(data).encode()


def says(content: Any, **more: Any) -> Step:
    """Completes with this content; a function gets the request and makes it."""

    def step(handler: Handler, request: Request) -> None:
        text = content(request) if callable(content) else content
        handler.give(200, completion(text, **more))

    return step


def fails(status: int, message: str = "no", **headers: str) -> Step:
    """An error of the usual form."""
    body = json.dumps({"error": {"message": message, "type": "e"}}).encode()
    return lambda handler, _request: handler.give(status, body, **headers)


def gives(body: bytes, content_type: str = "application/json", status: int = 200) -> Step:
    """These bytes."""
    return lambda handler, _request: handler.give(status, body, content_type)


def resets(handler: Handler, _request: Request) -> None:
    """Closes the connection without a word."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def stalls(handler: Handler, _request: Request) -> None:
    """Accepts and says nothing."""
    time.sleep(_LONGEST_S)


def cut(body: bytes) -> Step:
    """Promises the whole body, sends half of it, and closes."""

    def step(handler: Handler, _request: Request) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)

    return step


def drips(body: bytes, pause_s: float, size: int = 1) -> Step:
    """Sends the body a little at a time."""

    def step(handler: Handler, _request: Request) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        until = time.monotonic() + _LONGEST_S
        for at in range(0, len(body), size):
            if time.monotonic() > until:
                return
            handler.wfile.write(body[at : at + size])
            handler.wfile.flush()
            time.sleep(pause_s)

    return step


def drips_headers(handler: Handler, _request: Request) -> None:
    """Never comes to the end of its headers."""
    until = time.monotonic() + _LONGEST_S
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while time.monotonic() < until:
        handler.wfile.write(b"a")
        handler.wfile.flush()
        time.sleep(0.05)


def mark_of(request: Request) -> str:
    """The mark of a request's fences."""
    found = re.search(r"The mark of this message is (\w+)\.", request["messages"][1]["content"])
    assert found
    return found[1]


def passages_of(request: Request) -> dict[str, str]:
    """Texts of a request's passages by id, as its own fences part them."""
    return dict(passages_in(request["messages"][1]["content"], mark_of(request)))


def reply(*claims: dict[str, Any], sufficient: bool = True, missing: tuple[str, ...] = ()) -> str:
    """The JSON that a model should send."""
    return json.dumps(
        {"sufficient": sufficient, "claims": list(claims), "missing": list(missing)}, ensure_ascii=False
    )


def claim(text: str, *cited: tuple[str, str], needs: tuple[str, ...] = ("N1",)) -> dict[str, Any]:
    """A claim of such a reply; `cited` are (passage id, quote)."""
    citations = [{"passage": passage, "quote": quote} for passage, quote in cited]
    return {"text": text, "needs": list(needs), "citations": citations}


def quoting(quote: str, text: str | None = None, needs: tuple[str, ...] = ("N1",)) -> Step:
    """An honest model: finds the passage that holds the quote, and cites it."""

    def content(request: Request) -> str:
        id = next((id for id, body in passages_of(request).items() if quote in body), "none")
        return reply(claim(text or quote, (id, quote), needs=needs))

    return says(content)
