"""Creates the Arduino library in a folder and as a ZIP file that has the same bytes in each build.

lay.py FOLDER: makes FOLDER/HapticBridge and FOLDER/HapticBridge-VERSION.zip. The sources of the core are copied from
the firmware into folders in which their includes can be resolved, so that the repository contains no second copy of
these sources.
"""

import re
import shutil
import sys
import zipfile
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent
FIRMWARE = LIBRARY.parent.parent
NAME = "HapticBridge"
COMMON = ("port.c", "port.h", "board_hal.h", "bus_probe.h")
# The earliest date that a ZIP file can represent. All entries have this date, so that the bytes of the file do not
# depend on the time of the build.
DATE = (1980, 1, 1, 0, 0, 0)
FILE_MODE = 0o100644


def sources():
    """Returns the source file for each file in the library, by the path in the library."""
    own = [path for path in LIBRARY.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".mk")]
    files = {path.relative_to(LIBRARY): path for path in own}
    files[Path("LICENSE")] = FIRMWARE.parent / "LICENSE"
    src = Path("src")
    for folder in ("core", "protocol"):
        for path in (FIRMWARE / folder).rglob("*.[ch]"):
            files[src / path.relative_to(FIRMWARE)] = path
    for name in COMMON:
        path = FIRMWARE / "boards" / "common" / name
        files[src / path.relative_to(FIRMWARE)] = path
    return dict(sorted(files.items()))


def version():
    text = (LIBRARY / "library.properties").read_text()
    return re.search(r"^version=(.*)$", text, re.MULTILINE).group(1)


def lay_folder(files, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, path in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def lay_zip(files, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in files.items():
            entry = zipfile.ZipInfo(f"{NAME}/{name.as_posix()}", DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = FILE_MODE << 16
            archive.writestr(entry, source.read_bytes())


def main():
    folder = Path(sys.argv[1])
    files = sources()
    lay_folder(files, folder / NAME)
    archive = folder / f"{NAME}-{version()}.zip"
    lay_zip(files, archive)
    print(archive)


if __name__ == "__main__":
    main()
