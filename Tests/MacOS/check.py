#!/usr/bin/env python3
"""Type-checks the package for macOS, without a Mac: check.py FOLDER [TARGET...]

The installed compiler is used, with an Apple target triple. The textual interfaces of its standard library are changed
to the Apple target. The headers of Darwin come from the Python package ziglang. The folder stubs/ contains the parts of
the interfaces of Foundation, Dispatch and AVFAudio that the project uses. The bodies of functions are also compiled to
SIL. The compilation checks types, availability on the deployment target, and the sending of values between threads.
Nothing is linked or run. FOLDER contains ziglang in venv/, and caches the files that the program creates once.

The program compiles the named targets, or by default all targets of the package except tests. Then the compiler must
reject each file of refused/ with the message in the first line of the file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = Path(sys.argv[1]).resolve()
SWIFT = Path(shutil.which(os.environ.get("SWIFT", "swift"))).resolve().parents[1]
FRONTEND = SWIFT / "bin/swift-frontend"
SDK, RESOURCES, MODULES = FOLDER / "sdk", FOLDER / "resources", FOLDER / "modules"
TRIPLE = "x86_64-apple-macosx15.0"
MACHINE = "x86_64-unknown-linux-gnu"
# The system's packages whose headers are used in addition to the headers of macOS.
SYSTEM = "sndfile.h", "libserialport.h", "zlib.h", "zconf.h"
STANDARD = ("Swift _Concurrency Synchronization _StringProcessing _RegexParser SwiftOnoneSupport _Builtin_float "
            "RegexBuilder").split()


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def complaints(text):
    """Returns the lines with errors and warnings, without duplicates."""
    found = [line.replace(f"{ROOT}/", "") for line in text.splitlines()
             if re.search(r"^[^ ].*: (error|warning): |^error: ", line) and "SDKSettings" not in line]
    return list(dict.fromkeys(found))


def demand(what, command):
    result = run(command)
    if result.returncode:
        sys.exit(f"{what}:\n" + "\n".join(complaints(result.stderr)[:20] or [result.stderr[-2_000:]]))


# ---- The SDK -------------------------------------------------------------------------------------

def darwin_headers():
    ziglang = next(FOLDER.glob("venv/lib/python*/site-packages/ziglang"))
    shutil.copytree(ziglang / "lib/libc/include/any-darwin-any", SDK / "usr/include")
    types = SDK / "usr/include/MacTypes.h"
    types.write_text(re.sub(r"typedef SInt32 .*Duration;\n", "", types.read_text()))  # hidden from Swift
    shutil.copytree(HERE / "headers", SDK / "usr/include", dirs_exist_ok=True)
    for name in SYSTEM:
        shutil.copy(next(Path("/usr/include").glob(f"**/{name}")), SDK / "usr/include")


def retargeted(text):
    for old, new in (
        (r"@backDeployed\(before: [^)]*\) ?", ""), (MACHINE, TRIPLE), (r"(?m)^import Glibc$", "import Darwin"),
        (r" -static ", " "), (r"-module-link-name [^ ]* ", ""), (r"-autolink-force-load ", ""),
        (r"-target-min-inlining-version min", "-target-min-inlining-version target"),
        (r"_swift_stdlib_gettid\(\)", "UInt32(1)"),  # used by the mutex for Linux
    ):
        text = re.sub(old, new, text)
    return text


def interfaces():
    for name in STANDARD:
        source = SWIFT / f"lib/swift_static/linux/{name}.swiftmodule/{MACHINE}.swiftinterface"
        path = RESOURCES / f"macosx/{name}.swiftmodule/x86_64-apple-macos.swiftinterface"
        path.parent.mkdir(parents=True)
        path.write_text(retargeted(source.read_text()))
    clang = max((SWIFT / "lib/clang").iterdir())
    for name, target in ("shims", SWIFT / "lib/swift/shims"), ("clang", clang), ("apinotes", SWIFT / "lib/swift/apinotes"):
        (RESOURCES / name).symlink_to(target)


BASE = [FRONTEND, "-target", TRIPLE, "-sdk", SDK, "-resource-dir", RESOURCES, "-module-cache-path", FOLDER / "cache",
        "-disable-objc-interop", "-disable-objc-attr-requires-foundation-module", "-I", MODULES, "-I", HERE / "stubs",
        "-plugin-path", SWIFT / "lib/swift/host/plugins", "-Xcc", "-std=gnu11"]


def prepare():
    """Creates the SDK, unless it has already been created with the same files and the same compiler."""
    inputs = [HERE / "check.py", HERE / "Darwin.swift", *sorted((HERE / "headers").rglob("*.*"))]
    mark = run([FRONTEND, "--version"]).stdout + "".join(path.read_text() for path in inputs)
    made = FOLDER / "made"
    if made.exists() and made.read_text() == mark:
        return
    for path in SDK, RESOURCES, MODULES, FOLDER / "cache":
        shutil.rmtree(path, ignore_errors=True)
    MODULES.mkdir(parents=True)
    darwin_headers()
    interfaces()
    module = RESOURCES / "macosx/Darwin.swiftmodule/x86_64-apple-macos.swiftmodule"
    module.parent.mkdir()
    demand("Darwin", [*BASE, "-emit-module", "-disable-implicit-concurrency-module-import",
                      "-disable-implicit-string-processing-module-import", "-parse-as-library", "-module-name",
                      "Darwin", "-swift-version", "5", HERE / "Darwin.swift", "-o", module])
    made.write_text(mark)


# ---- Targets -------------------------------------------------------------------------------------

class Target:
    """A target of the package or of a dependency, as described by `swift package dump-package`."""

    def __init__(self, package, folder, facts):
        self.package, self.name, self.kind = package, facts["name"], facts["type"]
        self.module = re.sub(r"\W", "_", self.name)
        self.is_own = folder == ROOT
        self.path = folder / (facts.get("path") or f"Sources/{self.name}")
        self.wants = [next(iter(each.values()))[0] for each in facts["dependencies"]]
        excluded = [self.path / name for name in facts.get("exclude") or []]
        files = sorted(self.path.rglob("*.swift")) if self.kind != "system" else []
        self.sources = [file for file in files if not any(file.is_relative_to(path) for path in excluded)]
        self.is_swift = bool(self.sources)
        self.tests = any("import Testing\n" in file.read_text() for file in self.sources)

    def c_options(self):
        """Returns the compiler options for finding a C target."""
        has_map = self.kind == "system" or (self.path / "module.modulemap").exists()
        public = self.path if has_map else self.path / "include"
        module_map = public / "module.modulemap"
        if not module_map.exists():
            module_map = FOLDER / f"maps/{self.module}.modulemap"
            module_map.parent.mkdir(exist_ok=True)
            module_map.write_text(f'module {self.module} {{ umbrella header "{public}/{self.name}.h" export * }}\n')
        return ["-Xcc", f"-fmodule-map-file={module_map}", "-Xcc", "-I", "-Xcc", public]

    def options(self):
        if self.is_own:
            return ["-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-package-name", "haptic_bridge",
                    "-enable-testing", "-Onone"]
        version = "6" if self.package in ("swift-log", "swift-argument-parser") else "5"
        return ["-emit-module", "-experimental-skip-all-function-bodies", "-enable-builtin-module", "-swift-version",
                version, "-package-name", self.package, "-enable-experimental-feature", "Lifetimes"]

    def compile(self, c):
        sources = [patched(file) for file in self.sources]
        sources += sorted((ROOT / ".build-tests").glob(f"*/release/{self.name}.build/DerivedSources/embedded*.swift"))
        is_program = any(file.name == "main.swift" for file in sources)
        return run([*BASE, *c, *self.options(), "-module-name", self.module, "-emit-module-path",
                    MODULES / f"{self.module}.swiftmodule", *([] if is_program else ["-parse-as-library"]), *sources])


def patched(file):
    """Defines two constants that swift-nio uses. On macOS, Apple's headers provide the constants in the module that
    uses them."""
    text = file.read_text()
    if "CNIODarwin.IP_" not in text:
        return file
    copy = FOLDER / "patched" / file.name
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(re.sub(r"CNIODarwin\.(IP_(RECV)?PKTINFO)", r"Darwin.\1", text))
    return copy


def all_targets():
    """Returns the targets by their names, each with the names of its dependencies."""
    targets, products = {}, {}
    for folder in [ROOT, *sorted((ROOT / ".build-tests/checkouts").iterdir())]:
        result = run(["swift", "package", "dump-package"], cwd=folder)
        if result.returncode:
            sys.exit(result.stderr)
        package = json.loads(result.stdout)
        for product in package["products"]:
            products[product["name"]] = product["targets"]
        for facts in package["targets"]:
            if facts["type"] in ("regular", "executable", "system"):
                target = Target(package["name"], folder, facts)
                targets.setdefault(target.name, target)
    for target in targets.values():
        target.wants = {name for want in target.wants for name in ([want] if want in targets else products.get(want, []))}
    return targets


def in_order(targets, roots):
    """Returns the roots and their dependencies. Each target follows its own dependencies."""
    order = []

    def visit(target):
        if target not in order:
            for name in sorted(target.wants):
                visit(targets[name])
            order.append(target)

    for root in roots:
        visit(root)
    return order


# ---- The check -----------------------------------------------------------------------------------

def check_targets(wanted):
    targets = all_targets()
    own = [target for target in targets.values() if target.is_own and target.is_swift]
    roots = [target for target in own if not wanted or target.name in wanted]
    # The module Testing has no textual interface.
    left_out = [target for target in roots if any(each.tests for each in in_order(targets, [target]))]
    order = in_order(targets, [target for target in roots if target not in left_out])
    c = [option for target in order if not target.is_swift for option in target.c_options()]
    failures = 0
    for target in order:
        if not target.is_swift or (not target.is_own and (MODULES / f"{target.module}.swiftmodule").exists()):
            continue
        result = target.compile(c)
        found = complaints(result.stderr) if target.is_own or result.returncode else []
        if result.returncode and not found:
            found = [result.stderr[-2_000:]]
        if found:
            failures += 1
            print(f"{target.name}:", *found[:30], sep="\n    ", flush=True)
    count = sum(target.is_own and target.is_swift for target in order)
    print(f"{count} targets for {TRIPLE}, {failures} with errors or warnings; left out, because they require Testing: "
          + ", ".join(sorted(target.name for target in left_out)), flush=True)
    return failures, c


def check_refusals(c):
    """Checks files that contain one fault each. The first line of a file is the compiler's expected error message."""
    failures = 0
    files = sorted((HERE / "refused").glob("*.swift"))
    for file in files:
        words = file.read_text().splitlines()[0].removeprefix("// ")
        result = run([*BASE, *c, "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
                      "-module-name", "Refused", file])
        if words not in result.stderr or not result.returncode:
            failures += 1
            print(f"{file.name} is not refused with the message {words!r}:", *complaints(result.stderr), sep="\n    ")
    print(f"{len(files)} faults, {failures} of them not refused", flush=True)
    return failures


def check_c():
    """Compiles C code for macOS: the firmware's core, which the virtual board contains, and the code that programs
    embed."""
    sdk = ["-isysroot", SDK, "-I", SDK / "usr/include", "-fsyntax-only"]
    strict = "-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror".split()
    files = [*ROOT.glob("Firmware/core/**/*.c"), *ROOT.glob("Firmware/model/*.c"), *ROOT.glob("Sources/C*/*.c")]
    failures = 0
    for file in sorted(files):
        for triple in "arm64-apple-macosx15.0", TRIPLE:
            result = run([SWIFT / "bin/clang", "-target", triple, *sdk, *strict, "-I", ROOT, "-I", file.parent / "include",
                          file])
            if result.returncode:
                failures += 1
                print(triple, *complaints(result.stderr)[:5], sep="\n    ")
    print(f"{len(files)} files in C, {failures} failures", flush=True)
    return failures


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    prepare()
    failures, c = check_targets(sys.argv[2:])
    if not sys.argv[2:]:
        failures += check_refusals(c) + check_c()
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
