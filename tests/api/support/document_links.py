"""Links of Markdown documents to files and to headings of documents."""
import functools
import re


def prose(text):
    """The text without blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


@functools.lru_cache(None)
def headings(path):
    """The anchors of a document, by GitHub's rules."""
    found = []
    for line in re.findall(r"^#+ (.*)$", prose(path.read_text(encoding="utf-8")), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line).replace("`", "").strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.append(anchor if anchor not in found else f"{anchor}-{found.count(anchor)}")
    return found


def links(text):
    """Those within the tree."""
    return (target for target in re.findall(r"\]\(([^)\s]+)\)", prose(text)) if not re.match(r"(https?|mailto):", target))


def dead_links(path, text):
    for target in links(text):
        name, _, anchor = target.partition("#")
        linked = path.parent / name if name else path
        if not linked.exists():
            yield f"link to {target}"
        elif anchor and anchor not in headings(linked):
            yield f"link to a heading that is not there: {target}"
