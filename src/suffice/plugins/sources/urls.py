"""Pages by http(s): one page, a sitemap, or the pages that an `llms.txt` lists."""

from __future__ import annotations

import html
import http.client
import ipaddress
import os
import re
import urllib.error
import urllib.request
import urllib.robotparser
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from suffice.errors import SettingsError, SourceError
from suffice.plugins.sources._globs import pattern
from suffice.ports import Fetched, Unfetched

MAX_BYTES = 20_000_000
MAX_PAGES = 2_000
TIMEOUT_S = 20.0
AGENT = "suffice/1"
_LOC = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*(.*?)\s*(?:\]\]>)?\s*</loc>", re.S | re.I)
_LINK = re.compile(r"\]\(\s*<?([^\s)>]+)")


class UrlsSource:
    """One page, or every page of the same host that a sitemap or `llms.txt` names.

    Addresses of private networks and of this machine are refused unless SUFFICE_ALLOW_PRIVATE=1: a link in a
    page that someone else wrote must not reach into the user's network. Link-local ones (where clouds keep
    credentials) are refused always. A single page that the user typed is fetched whatever robots.txt says;
    pages found through a list are not.
    """

    name = "urls"

    def __init__(
        self,
        uri: str,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        refuse: Callable[[str], str | None] | None = None,
        max_bytes: int = MAX_BYTES,
        max_pages: int = MAX_PAGES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.uri = urldefrag(uri).url
        _checked_address(self.uri)
        self.include = [pattern(text) for text in include]
        self.exclude = [pattern(text) for text in exclude]
        self.refuse = refuse or (lambda _: None)
        self.max_bytes, self.max_pages, self.timeout_s = max_bytes, max_pages, timeout_s

    def fetch(self) -> Iterator[Fetched | Unfetched]:
        """The pages in the order in which the list names them; a page that fails is an `Unfetched`."""
        first = self._get(self.uri)
        if isinstance(first, Unfetched):
            yield first
            return
        found = self._listed(first, depth=2)
        if found is None:
            yield first
            return
        pages, problems = found
        yield from problems
        robots = self._robots()
        for number, page in enumerate(dict.fromkeys(pages)):
            if number == self.max_pages:
                yield Unfetched(
                    self.uri, f"names more than {self.max_pages} pages; the others were not fetched"
                )
                return
            reason = self._unwanted(page, robots)
            if reason is None:
                yield self._get(page)
            elif reason:
                yield Unfetched(page, reason)

    # --- lists of pages -------------------------------------------------------------------

    def _listed(self, page: Fetched, depth: int) -> tuple[list[str], list[Unfetched]] | None:
        """The pages that a sitemap or `llms.txt` names; None if it is an ordinary page."""
        path = urlsplit(page.uri).path
        text = page.data.decode("utf-8", "replace")
        if path.endswith("/llms.txt"):
            return [urldefrag(urljoin(page.uri, html.unescape(link))).url for link in _LINK.findall(text)], []
        head = text[:2000].lower()
        if "<urlset" not in head and "<sitemapindex" not in head:
            return None
        # A pattern and not an XML parser: a list needs no entities, and they are how XML attacks.
        places = [urldefrag(urljoin(page.uri, html.unescape(place))).url for place in _LOC.findall(text)]
        if "<sitemapindex" not in head:
            return places, []
        pages: list[str] = []
        problems: list[Unfetched] = []
        for place in places[:100] if depth else []:
            got = (
                self._get(place) if self._same_host(place) else Unfetched(place, "a sitemap on another host")
            )
            inner = None if isinstance(got, Unfetched) else self._listed(got, depth - 1)
            if isinstance(got, Unfetched):
                problems.append(got)
            elif inner is not None:
                pages += inner[0]
                problems += inner[1]
        return pages, problems

    def _same_host(self, page: str) -> bool:
        try:
            return urlsplit(page).netloc.lower() == urlsplit(self.uri).netloc.lower()
        except ValueError:
            return False

    def _unwanted(self, page: str, robots: urllib.robotparser.RobotFileParser) -> str | None:
        """Why a listed page is not fetched: "" if the user's patterns leave it out, None if it is wanted."""
        if not self._same_host(page):
            return "skipped: a link to another host"
        path = urlsplit(page).path.strip("/")
        if self.include and not any(glob.fullmatch(path) for glob in self.include):
            return ""
        if any(glob.fullmatch(path) for glob in self.exclude):
            return ""
        if not robots.can_fetch(AGENT, page):
            return "the site's robots.txt asks not to fetch it"
        return self.refuse(path)

    def _robots(self) -> urllib.robotparser.RobotFileParser:
        rules = urllib.robotparser.RobotFileParser()
        got = self._get(urljoin(self.uri, "/robots.txt"))
        rules.parse([] if isinstance(got, Unfetched) else got.data.decode("utf-8", "replace").splitlines())
        return rules

    # --- one page -------------------------------------------------------------------------

    def _get(self, page: str) -> Fetched | Unfetched:
        try:
            _checked_address(page)
            request = urllib.request.Request(
                page, headers={"User-Agent": AGENT, "Accept-Encoding": "identity"}
            )
            with _OPENER.open(request, timeout=self.timeout_s) as reply:
                data = reply.read(self.max_bytes + 1)
                media_type = reply.headers.get("Content-Type", "")
                length = reply.headers.get("Content-Length")
        except urllib.error.HTTPError as error:
            return Unfetched(page, f"the server answered {error.code} {error.reason}")
        except (SourceError, _Refused) as error:
            return Unfetched(page, str(error))
        except urllib.error.URLError as error:
            return Unfetched(page, f"cannot be fetched: {error.reason}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Unfetched(page, f"cannot be fetched: {str(error) or type(error).__name__}")
        if len(data) > self.max_bytes:
            return Unfetched(page, f"too large: the limit is {self.max_bytes:,} bytes")
        if length is not None and length.isdigit() and int(length) != len(data):
            return Unfetched(page, f"came incomplete: {len(data):,} of {int(length):,} bytes")
        return Fetched(_name(page), page, media_type, data, {})


def create(**options: Any) -> UrlsSource:
    """Options: those of UrlsSource. Raises SettingsError, SourceError."""
    try:
        return UrlsSource(**options)
    except TypeError as error:
        raise SettingsError(f"the source 'urls' does not take these options: {error}") from error


def _name(page: str) -> str:
    """`example.org/docs/page`, with the query where there is one."""
    parts = urlsplit(page)
    return f"{parts.netloc}{parts.path}".rstrip("/") + (f"?{parts.query}" if parts.query else "")


def _checked_address(uri: str) -> None:
    try:
        parts = urlsplit(uri)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not uri.isascii() or any(letter <= " " for letter in uri):
        raise SourceError(
            f"{uri!r} is not an http(s) address; write it percent-encoded, as a browser copies it"
        )
    if parts.username or parts.password:
        raise SourceError(
            f"the address of {parts.hostname} holds a password, which would be kept; leave it out"
        )


# --- where a connection may go ----------------------------------------------------------------


class _Refused(OSError):
    """The address is in a private network."""


def _check_peer(connection: http.client.HTTPConnection) -> None:
    # The address that was really connected to: a name may resolve to another one at every look.
    if connection.sock is None or _through_proxy(connection):
        return
    address = ipaddress.ip_address(connection.sock.getpeername()[0].partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    allowed = os.environ.get("SUFFICE_ALLOW_PRIVATE") == "1"
    if address.is_link_local or (not address.is_global and not allowed):
        connection.close()
        raise _Refused(
            f"{connection.host} is at {address}, an address of a private network; "
            "set SUFFICE_ALLOW_PRIVATE=1 if that is meant"
        )


def _through_proxy(connection: http.client.HTTPConnection) -> bool:
    # A proxy stands in the user's own network and makes its own rules about where it goes.
    hosts = {urlsplit(proxy).hostname for proxy in urllib.request.getproxies().values()}
    return connection.host in hosts


class _Http(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _check_peer(self)


class _Https(http.client.HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _check_peer(self)


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Http, req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Https, req)


class _OpenerDirector(urllib.request.OpenerDirector):
    """http and https alone: urllib's own opener would follow a redirect to ftp or read a file."""


def _opener() -> urllib.request.OpenerDirector:
    opener = _OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _HttpHandler(),
        _HttpsHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


_OPENER = _opener()
