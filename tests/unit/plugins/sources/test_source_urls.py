"""Pages by http: sitemaps, robots.txt, redirects, limits, private networks; against a server of our own."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from suffice.errors import SourceError
from suffice.plugins.sources.urls import UrlsSource
from suffice.ports import Fetched, Unfetched

ELSEWHERE = "http://elsewhere.invalid/d"
Reply = tuple[int, dict[str, str], bytes]


class _Site(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, Reply] = {}
        self.asked: list[str] = []
        self.address = f"http://127.0.0.1:{self.server_port}"

    def put(self, path: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        data = body.replace("SITE", self.address).encode() if isinstance(body, str) else body
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        self.pages[path] = (status, sent, data)


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, headers, body = self.server.pages.get(self.path, (404, {}, b"no"))
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Site]:
    monkeypatch.setenv("SUFFICE_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("no_proxy", "*")
    server = _Site()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(uri: str, **options: int | list[str]) -> list[Fetched | Unfetched]:
    return list(UrlsSource(uri, **options).fetch())  # type: ignore[arg-type]


def test_one_page_with_the_type_that_the_server_states(site: _Site) -> None:
    site.put("/docs/a?v=2", "<p>ä</p>", Content_Type="text/html; charset=utf-8")
    site.put("/robots.txt", "User-agent: *\nDisallow: /")
    [page] = fetch(f"{site.address}/docs/a?v=2#part")
    assert isinstance(page, Fetched)
    assert page.media_type == "text/html; charset=utf-8"
    assert page.uri == f"{site.address}/docs/a?v=2"
    assert page.name == f"127.0.0.1:{site.server_port}/docs/a?v=2"
    assert site.asked == ["/docs/a?v=2"]  # the user typed it: robots.txt is not asked


def test_a_sitemap_index_leads_to_its_pages_as_robots_and_patterns_allow(site: _Site) -> None:
    site.put("/map.xml", "<sitemapindex><sitemap><loc>SITE/one.xml</loc></sitemap></sitemapindex>")
    places = "".join(
        f"<url><loc>{place}</loc></url>"
        for place in (
            "SITE/docs/a",
            "SITE/docs/a",
            "SITE/private/b",
            "SITE/blog/c",
            "http://elsewhere.invalid/d",
            "SITE/gone",
        )
    )
    site.put("/one.xml", f"<urlset>{places}</urlset>")
    site.put("/robots.txt", "User-agent: *\nDisallow: /private/")
    for path in ("/docs/a", "/private/b", "/blog/c"):
        site.put(path, path)
    items = fetch(f"{site.address}/map.xml", exclude=["blog/**"])
    assert [item.data for item in items if isinstance(item, Fetched)] == [b"/docs/a"]
    said = {item.name: item.reason for item in items if isinstance(item, Unfetched)}
    assert "robots.txt" in said[f"{site.address}/private/b"]
    assert said[ELSEWHERE] == "skipped: a link to another host"
    assert "404" in said[f"{site.address}/gone"]
    assert "/private/b" not in site.asked
    assert "/blog/c" not in site.asked


def test_llms_txt_leads_to_its_pages_up_to_the_limit(site: _Site) -> None:
    site.put("/llms.txt", "# S\n- [a](/a.md): first\n- [b](<SITE/b.md>)\n- [c](c.md#part)\n")
    for path in ("/a.md", "/b.md", "/c.md"):
        site.put(path, f"# {path}")
    items = fetch(f"{site.address}/llms.txt", max_pages=2)
    assert [item.data.decode() for item in items if isinstance(item, Fetched)] == ["# /a.md", "# /b.md"]
    assert isinstance(items[-1], Unfetched)
    assert "more than 2 pages" in items[-1].reason


def test_redirects_are_followed_and_endless_ones_listed(site: _Site) -> None:
    site.put("/old", "", 301, Location="/new")
    site.put("/new", "here")
    site.put("/round", "", 302, Location="/round")
    site.put("/file", "", 302, Location="file:///etc/hostname")
    [page] = fetch(f"{site.address}/old")
    assert isinstance(page, Fetched)
    assert page.data == b"here"
    for path in ("/round", "/file"):
        [failed] = fetch(f"{site.address}{path}")
        assert isinstance(failed, Unfetched)


def test_large_and_incomplete_pages_are_listed(site: _Site) -> None:
    site.put("/large", "x" * 101)
    site.put("/cut", "half", Content_Length="9")
    [large] = fetch(f"{site.address}/large", max_bytes=100)
    assert isinstance(large, Unfetched)
    assert "too large" in large.reason
    [cut] = fetch(f"{site.address}/cut", timeout_s=1)
    assert isinstance(cut, Unfetched)


def test_private_addresses_are_refused_before_anything_is_asked(
    site: _Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put("/a", "secret")
    monkeypatch.delenv("SUFFICE_ALLOW_PRIVATE")
    for host in ("127.0.0.1", "localhost"):
        [failed] = fetch(f"http://{host}:{site.server_port}/a")
        assert isinstance(failed, Unfetched)
        assert "SUFFICE_ALLOW_PRIVATE=1" in failed.reason
    assert site.asked == []


@pytest.mark.parametrize(
    "uri",
    ["ftp://example.org/", "http://", "http://exa mple.org/", "http://example.org/ä", "http://h:99999/"],
)
def test_what_is_not_an_address_is_refused(uri: str) -> None:
    with pytest.raises(SourceError, match="not an http"):
        UrlsSource(uri)


def test_passwords_in_an_address_would_be_kept_and_are_refused() -> None:
    with pytest.raises(SourceError, match="password"):
        UrlsSource("https://user:secret@example.org/")
