"""Sends requests to a chat endpoint: within time limits, repeated where that can help, read to a size.

Requests run on an event loop in a thread of their own: only cancellation bounds all of a request, a server
that sends a byte a minute included. A read timeout of a blocking client begins anew with every byte.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import threading
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from suffice.errors import GeneratorError
from suffice.plugins.generators._chat_endpoint import Endpoint

MAX_BYTES = 4_000_000
FIRST_WAIT_S = 0.5
_MAX_WAIT_S = 30.0
_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete HTTP reply. `data` is the JSON object that it holds, {} where it holds none."""

    status: int
    headers: Mapping[str, str]
    data: dict[str, Any]
    text: str

    @property
    def message(self) -> str:
        """What the server says went wrong."""
        error = self.data.get("error", self.data.get("detail", self.data.get("message")))
        if isinstance(error, dict):
            error = error.get("message") or error
        return error if isinstance(error, str) else json.dumps(error or self.text[:300], ensure_ascii=False)

    @property
    def code(self) -> str:
        """The server's word for it, if it gives one."""
        error = self.data.get("error")
        code = error.get("code") or error.get("type") if isinstance(error, dict) else None
        return code if isinstance(code, str) else ""


class _Again(Exception):
    """An attempt that may be repeated after `wait_s` (None: as we think best)."""

    def __init__(self, error: GeneratorError, wait_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s


def send(endpoint: Endpoint, method: str, path: str, body: Any, deadline: float) -> Reply:
    """The server's reply, whatever its status but those that are worth another try.

    `deadline` is on the clock of `time.monotonic`. Raises GeneratorError of the kind `unreachable`,
    `timeout`, `closed`, `busy`, `server_error`, `too_large`, `not_utf8`.
    """
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise _too_slow(endpoint)
    return _in_thread(_bounded(endpoint, method, path, body, deadline), left_s, endpoint)


async def _bounded(endpoint: Endpoint, method: str, path: str, body: Any, deadline: float) -> Reply:
    try:
        async with asyncio.timeout(deadline - time.monotonic()):
            return await _tries(endpoint, method, path, body, deadline)
    except TimeoutError:
        raise _too_slow(endpoint) from None


async def _tries(endpoint: Endpoint, method: str, path: str, body: Any, deadline: float) -> Reply:
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "suffice"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    timeout = httpx2.Timeout(
        connect=endpoint.connect_s, read=endpoint.first_byte_s, write=endpoint.idle_s, pool=endpoint.connect_s
    )
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    if content is not None:
        headers["Content-Type"] = "application/json"
    # Reading the system's certificates takes 0.1 s, and a server on this machine without TLS has none.
    unencrypted = endpoint.local and endpoint.base_url.startswith("http:")
    # Redirects are not followed: the key would go where nobody sent it.
    async with httpx2.AsyncClient(
        timeout=timeout,
        trust_env=not endpoint.local,
        follow_redirects=False,
        headers=headers,
        verify=not unencrypted,
    ) as client:
        for n in range(endpoint.retries + 1):
            try:
                return await _once(client, endpoint, method, f"{endpoint.base_url}/{path}", content)
            except _Again as again:
                wait_s = again.wait_s
                if wait_s is None:
                    wait_s = min(_MAX_WAIT_S, FIRST_WAIT_S * 2**n) * random.uniform(0.5, 1.0)
                if n == endpoint.retries:
                    tried = f" ({n + 1} attempts)" if n else ""
                    raise GeneratorError(f"{again.error}{tried}", again.error.kind) from None
                if time.monotonic() + wait_s >= deadline:
                    raise GeneratorError(
                        f"{again.error}; the next attempt would be in {wait_s:.0f} s, after the time limit",
                        again.error.kind,
                    ) from None
                await asyncio.sleep(wait_s)
    raise _too_slow(endpoint)


async def _once(
    client: httpx2.AsyncClient, endpoint: Endpoint, method: str, url: str, content: bytes | None
) -> Reply:
    host = endpoint.host
    try:
        async with client.stream(method, url, content=content) as response:
            data = await _read(response, endpoint)
    except (httpx2.ConnectTimeout, httpx2.ConnectError, httpx2.ProxyError) as error:
        why = endpoint.hidden(str(error) or type(error).__name__)
        raise _Again(GeneratorError(f"{host} could not be reached: {why}", "unreachable")) from None
    except httpx2.TimeoutException:
        # Not repeated: the server is at work, and would be at work twice.
        raise GeneratorError(
            f"{host} sent nothing for {endpoint.first_byte_s:g} s (generator.first_byte_s)", "timeout"
        ) from None
    except (httpx2.DecodingError, httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
        raise GeneratorError(f"{host}: {endpoint.hidden(str(error))}", "bad_reply") from None
    except httpx2.HTTPError:
        raise _Again(GeneratorError(f"{host} closed the connection early", "closed")) from None
    reply = _reply(response, data, endpoint)
    if reply.status in _AGAIN and reply.code != "insufficient_quota":
        said = endpoint.hidden(reply.message, 160)
        kind, what = ("busy", "is busy") if reply.status == 429 else ("server_error", "failed")
        failed = GeneratorError(f"{host} {what} (status {reply.status}: {said})", kind)
        raise _Again(failed, _retry_after(reply.headers))
    return reply


async def _read(response: httpx2.Response, endpoint: Endpoint) -> bytes:
    """The body; the first bytes may take `first_byte_s`, then a pause at most `idle_s`."""
    chunks: list[bytes] = []
    size = 0
    stream = response.aiter_bytes()
    while True:
        limit_s = endpoint.idle_s if chunks else endpoint.first_byte_s
        try:
            async with asyncio.timeout(limit_s):
                chunk = await anext(stream, None)
        except TimeoutError:
            raise GeneratorError(
                f"{endpoint.host} stopped in the middle of its reply for {limit_s:g} s", "timeout"
            ) from None
        if chunk is None:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            raise GeneratorError(
                f"{endpoint.host} sent more than {MAX_BYTES // 1_000_000} MB; the reply was not read on",
                "too_large",
            )


def _reply(response: httpx2.Response, data: bytes, endpoint: Endpoint) -> Reply:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if response.status_code < 400:
            raise GeneratorError(
                f"{endpoint.host} sent bytes that are not UTF-8 (at byte {error.start})", "not_utf8"
            ) from None
        text = data.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    return Reply(
        response.status_code, dict(response.headers), parsed if isinstance(parsed, dict) else {}, text
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, given as a number or a date; None where it does not."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return min(max(0.0, float(value)), 1e9)
    except ValueError:
        pass
    try:
        return min(max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time()), 1e9)
    except (ValueError, OverflowError):
        return None


def _too_slow(endpoint: Endpoint) -> GeneratorError:
    return GeneratorError(
        f"{endpoint.host} took more than {endpoint.total_s:g} s in all (generator.total_s)", "timeout"
    )


def _in_thread(work: Coroutine[Any, Any, Reply], left_s: float, endpoint: Endpoint) -> Reply:
    """Run to the end in a thread; what interrupts this thread cancels the request."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)
    done = threading.Event()

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(asyncio.wait([task]))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()
            done.set()

    threading.Thread(target=run, name="suffice-chat", daemon=True).start()
    try:
        # Looking up a name cannot be cancelled: the thread is left to end by itself then.
        if not done.wait(left_s + 2):
            raise _too_slow(endpoint)
    except BaseException:
        if not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)
        raise
    return task.result()
