"""What is wrong with chunks."""

from __future__ import annotations

from suffice.chunks import Lint, cut, lint_chunks, near_duplicates
from suffice.corpus.normalize import normalize
from suffice.settings import ChunkSettings
from suffice.values import Chunk, RawFile


def chunks(text: str, max_chars: int = 2400) -> tuple[Chunk, ...]:
    document = normalize(text.encode(), RawFile("a.md", "", "text/markdown", "0" * 64, 1, ""))
    return cut(document, ChunkSettings(max_chars=max_chars))


def test_cut_uses_the_settings() -> None:
    assert len(chunks("Words of text. " * 100, 400)) >= 4


def test_findings_name_the_fault_and_its_size() -> None:
    table = "| a |\n|---|\n" + "| 1 |\n" * 100
    made = chunks(f"# A\n\nwords\n\n## Empty\n\n## B\n\n{table}", 300)
    found = lint_chunks(made, max_chars=300)
    assert found == (
        Lint(made[1].id, "a.md", "heading_only", len("## Empty")),
        Lint(made[2].id, "a.md", "oversized", len(made[2].text), 300),
    )


def test_truncated_is_told_only_with_an_embedder() -> None:
    made = chunks("one two three four\n\n# A\n\nfive\n")
    found = lint_chunks(made, lambda text: len(text.split()), 3)
    assert found == (Lint(made[0].id, "a.md", "truncated", 4, 3),)
    assert lint_chunks(made) == ()


def test_near_duplicates_are_found_with_their_similarity() -> None:
    words = [f"word{i}" for i in range(200)]
    changed = [*words[:100], "other", *words[101:]]
    different = [f"other{i}" for i in range(200)]
    made = chunks(
        "\n\n".join(f"# {n}\n\n{' '.join(text)}" for n, text in enumerate((words, changed, different)))
    )
    (pair,) = near_duplicates(made, 0.8)
    assert {pair.first, pair.second} == {made[0].id, made[1].id}
    assert 0.9 < pair.similarity < 1
    assert near_duplicates(made, 0.99) == ()


def test_near_duplicates_of_unspaced_text() -> None:
    text = "请在提交之前检查配置文件服务器每天凌晨两点重新启动用户数据不会丢失" * 2
    made = chunks(f"# 甲\n\n{text}\n\n# 乙\n\n{text}好\n\n# 丙\n\n完全不同的另外一段文字说明别的事情在这里\n")
    assert len(near_duplicates(made, 0.8)) == 1


def test_a_text_in_very_many_chunks_is_still_found() -> None:
    made = chunks(
        "\n\n".join(f"# Note {i}\n\nThe same few words stand below every heading here." for i in range(80))
    )
    assert len(near_duplicates(made, 0.4)) == 80 * 79 // 2
    same = chunks("\n\n".join("# Note\n\nThe very same words again." for _ in range(80)))
    assert len(near_duplicates(same)) == 79
