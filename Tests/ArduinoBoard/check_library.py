#!/usr/bin/env python3
"""Checks that the built library complies with each published rule: check_library.py FOLDER

The rules come from Arduino's library specification (revision 2.2), its sketch specification, and the specification of
PlatformIO's library.json. FOLDER contains HapticBridge and its ZIP file, as `make arduino-library` creates them.
"""

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAY = ROOT / "Firmware" / "boards" / "arduino" / "lay.py"
SOURCES = {".c", ".cpp", ".cc", ".cxx", ".S", ".h", ".hpp", ".hh"}
REQUIRED = ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures")
OPTIONAL = ("depends", "dot_a_linkage", "includes", "precompiled", "ldflags", "license")
CATEGORIES = (
    "Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing", "Data Storage",
    "Data Processing", "Other",
)
NAME = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 _.\-]*")
FILE_NAME_MAX = 63
KEYWORD_TYPES = ("KEYWORD1", "KEYWORD2", "KEYWORD3", "LITERAL1", "LITERAL2")


class Library:
    def __init__(self, folder):
        self.root = folder.resolve() / "HapticBridge"
        self.zip = next(folder.glob("HapticBridge-*.zip"))
        text = (self.root / "library.properties").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.pairs = [line.split("=", 1) for line in lines]
        self.properties = dict(self.pairs)
        self.manifest = json.loads((self.root / "library.json").read_text(encoding="utf-8"))
        self.files = sorted(path for path in self.root.rglob("*") if path.is_file())
        self.headers = [path.name for path in (self.root / "src").glob("*.h")]
        self.examples = sorted(path for path in (self.root / "examples").iterdir())


# Each rule is a function whose name states the rule. The function returns a true value if the library complies with the
# rule.
def metadata_is_in_the_root(library):
    return (library.root / "library.properties").is_file()


def each_line_of_metadata_is_a_known_field_once(library):
    names = [pair[0] for pair in library.pairs]
    return all(len(pair) == 2 for pair in library.pairs) and len(set(names)) == len(names) and set(names) <= {
        *REQUIRED, *OPTIONAL}


def all_fields_that_are_required_are_there(library):
    return all(library.properties.get(name) for name in REQUIRED)


def the_name_has_letters_digits_and_few_signs(library):
    name = library.properties["name"]
    return NAME.fullmatch(name) and len(name) <= FILE_NAME_MAX and not name.lower().startswith("arduino")


def the_version_is_a_semantic_one(library):
    return re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", library.properties["version"])


def the_version_is_that_of_the_firmware(library):
    text = (library.root / "src" / "core" / "support" / "version.h").read_text()
    number = int(re.search(r"BRIDGE_FIRMWARE_VERSION (0x[0-9A-Fa-f]+)", text).group(1), 16)
    return library.properties["version"].startswith(f"{number >> 8}.{number & 0xFF}.")


def the_paragraph_does_not_repeat_the_sentence(library):
    sentence, paragraph = library.properties["sentence"], library.properties["paragraph"]
    return sentence.endswith(".") and not paragraph.startswith(sentence)


def the_category_is_one_of_the_list(library):
    return library.properties["category"] in CATEGORIES


def the_url_is_one(library):
    return re.fullmatch(r"https?://[^\s/]+\S*", library.properties["url"])


def architectures_are_all_or_a_list_of_names(library):
    return re.fullmatch(r"\*|[a-z0-9_]+(,[a-z0-9_]+)*", library.properties["architectures"])


def what_it_includes_are_headers_in_src(library):
    return all(name in library.headers for name in library.properties["includes"].split(","))


def a_header_has_the_name_of_the_library(library):
    return f"{library.properties['name']}.h" in library.headers


def sources_lie_in_src_only(library):
    outside = [path for path in library.files if path.suffix in SOURCES
               and library.root / "src" not in path.parents and library.root / "examples" not in path.parents]
    return not outside and not (library.root / "utility").exists()


def src_has_sources_and_nothing_else(library):
    return all(path.suffix in SOURCES for path in library.files if library.root / "src" in path.parents)


def no_source_defines_main(library):
    texts = [path.read_text() for path in library.files if path.suffix in SOURCES]
    return not any(re.search(r"^int main\(", text, re.MULTILINE) for text in texts)


def includes_in_quotes_find_their_files_inside(library):
    for path in library.files:
        if path.suffix in SOURCES:
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                beside, from_src = path.parent / name, library.root / "src" / name
                if not any(library.root in file.resolve().parents and file.is_file() for file in (beside, from_src)):
                    return False
    return True


def file_names_are_short_and_plain(library):
    parts = {part for path in library.files for part in path.relative_to(library.root).parts}
    return all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*", part) and len(part) <= FILE_NAME_MAX for part in parts)


def there_are_no_links_programs_or_hidden_files(library):
    return all(not path.is_symlink() and not path.name.startswith(".") and path.suffix not in (".exe", ".py", ".sh")
               for path in library.root.rglob("*"))


def each_example_is_a_sketch_in_a_folder_of_its_name(library):
    return library.examples and all((path / f"{path.name}.ino").is_file() for path in library.examples)


def each_example_has_setup_and_loop_and_includes_the_library(library):
    texts = [path.read_text() for path in library.root.glob("examples/*/*.ino")]
    words = ("void setup()", "void loop()", "#include <HapticBridge.h>")
    return all(word in text for text in texts for word in words)


def keywords_are_separated_by_one_tab(library):
    lines = (library.root / "keywords.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return pairs and all(len(pair) == 2 and pair[1] in KEYWORD_TYPES and " " not in pair[0] for pair in pairs)


def keywords_are_in_the_header(library):
    header = (library.root / "src" / "HapticBridge.h").read_text()
    words = [line.split("\t")[0] for line in (library.root / "keywords.txt").read_text().splitlines() if line]
    return all(re.search(rf"\b{word}\b", header) for word in words)


def there_are_a_licence_and_a_readme(library):
    return all((library.root / name).stat().st_size > 0 for name in ("LICENSE", "README.md"))


def all_texts_are_utf_8(library):
    return all(path.read_bytes().decode("utf-8") is not None for path in library.files)


def the_manifest_of_platformio_says_the_same(library):
    manifest, properties = library.manifest, library.properties
    return (manifest["name"], manifest["version"]) == (properties["name"], properties["version"]) and len(
        manifest["description"]) <= 255 and manifest["headers"] in library.headers and manifest["license"] == "MIT"


def the_manifest_of_platformio_lists_the_examples(library):
    listed = {library.root / example["base"] for example in library.manifest["examples"]}
    return listed == set(library.examples)


def no_options_of_a_compiler_are_set(library):
    return "flags" not in library.manifest.get("build", {}) and "ldflags" not in library.properties


def the_zip_has_one_folder_with_the_same_files(library):
    with zipfile.ZipFile(library.zip) as archive:
        names = {name: archive.read(name) for name in archive.namelist()}
    return names == {f"HapticBridge/{path.relative_to(library.root).as_posix()}": path.read_bytes()
                     for path in library.files}


def the_zip_is_the_same_bytes_when_it_is_made_again(library):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", str(LAY), folder], check=True, stdout=subprocess.DEVNULL)
        return (Path(folder) / library.zip.name).read_bytes() == library.zip.read_bytes()


RULES = [rule for name, rule in list(globals().items())
         if callable(rule) and getattr(rule, "__module__", "") == __name__ and not isinstance(rule, type)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library = Library(Path(sys.argv[1]))
    broken = [rule.__name__.replace("_", " ") for rule in RULES if not rule(library)]
    for rule in broken:
        print(f"{library.root}: does not comply with the rule: {rule}", file=sys.stderr)
    print(f"the library complies with {len(RULES) - len(broken)} of {len(RULES)} rules")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
