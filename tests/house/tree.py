"""The source tree as the checks see it."""
import pathlib
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# Headers of C, POSIX and the compilers. Anything else in angle brackets that looks like a file is a third party's.
SYSTEM = re.compile(r"^(sys/\w+|netinet/\w+|arpa/\w+|\w+intrin|arm_\w+|cpuid|dirent|errno|fcntl|limits|math|netdb|poll|"
                    r"pthread|sched|signal|spawn|stdint|stdio|stdlib|string|time|unistd)\.h$")


def code_of(text):
    """The text without comments; line numbers stay the same."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


class Header:
    """One file of include/loupe."""

    def __init__(self, root, path):
        self.path = path
        self.name = path.relative_to(root / "include").as_posix()  # loupe/base/shape.hpp
        parts = self.name.split("/")
        self.folder = parts[1] if len(parts) > 2 else ""
        self.text = path.read_text(encoding="utf-8")
        found = INCLUDE.findall(code_of(self.text))
        self.own = [name for bracket, name in found if bracket == '"']
        self.foreign = [name for bracket, name in found if bracket == "<"]


class Tree:
    """The repository: include/loupe read, everything else by path."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        paths = sorted(p for p in (self.root / "include/loupe").rglob("*") if p.suffix in (".hpp", ".ipp"))
        self.headers = {h.name: h for h in (Header(self.root, p) for p in paths)}

    def needs_third_party(self, name, seen=()):
        """Whether a header includes, itself or through others of loupe, a library that isn't the standard one."""
        header = self.headers.get(name)
        if header is None or name in seen:
            return False
        return any(re.search(r"[./]", other) and not SYSTEM.match(other) for other in header.foreign) or any(
            self.needs_third_party(other, (*seen, name)) for other in header.own)

    def core(self):
        """Names of the headers that need the standard library only, without the umbrellas."""
        umbrellas = ("loupe/loupe.hpp", "loupe/src.hpp")
        return [n for n in self.headers if n not in umbrellas and not self.needs_third_party(n)]

    def sources(self, *folders, suffixes=(".hpp", ".ipp", ".cpp", ".py", ".sh", ".txt")):
        """Files below the folders, by suffix, none of them generated or data."""
        for folder in folders:
            for path in sorted((self.root / folder).rglob("*")):
                parts = path.relative_to(self.root).parts
                if path.suffix in suffixes and not {"data", "corpus", "build"} & set(parts):
                    yield path
