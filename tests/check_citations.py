"""Checks the citations of answers (`ask --json`) without suffice: check_citations.py ANSWERS FOLDER."""

import json
import re
import sys
from pathlib import Path


def faults(answers: Path, folder: Path) -> list[str]:
    """What is wrong with each citation; documents are Markdown or text files under `folder`."""
    found = []
    for line in answers.read_text("utf-8").splitlines():
        answer = json.loads(line)
        for citation in [
            c for claim in (answer["answer"] or {"claims": []})["claims"] for c in claim["citations"]
        ]:
            text = (folder / citation["document"]).read_text("utf-8-sig")
            there = text[slice(*citation["span"])]
            loose = [re.sub(r"[\W_]+", "", words) for words in (there, citation["quote"])]
            if there != citation["quote"] if citation["check"] == "verified" else loose[0] != loose[1]:
                found.append(
                    f"{answer['id']} {citation['document']} {citation['span']}: {citation['quote'][:60]!r}"
                )
    return found


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]), Path(sys.argv[2]))
    print("\n".join(wrong) or "every citation stands where the answer says")
    sys.exit(bool(wrong))
