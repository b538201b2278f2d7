#!/bin/sh
# install_autobahn.sh FOLDER PIP: installs Autobahn's test suite and the required Python 2.7 in a folder, where
# FOLDER/python runs it. Python 2.7 comes from Debian 11, which is the last release that contains it. The packages are
# unpacked, not installed. PIP is a pip of Python 3, which downloads the pip of Python 2.7. The exit status is 3 if
# Python 2.7 is not available on this system.
set -eu
folder=$1
pip=$2
here=$(cd "$(dirname "$0")" && pwd)
[ "$folder/installed" -nt "$here/autobahn.txt" ] && [ "$folder/installed" -nt "$here/install_autobahn.sh" ] && exit 0
[ "$(uname -sm)" = "Linux x86_64" ] && command -v dpkg-deb >/dev/null || {
    echo "Debian has no Python 2.7 for this system" >&2
    exit 3
}

rm -rf "$folder"
mkdir -p "$folder/debian"
cd "$folder"

fetch() {
    python3 - "$1" "$2" <<'PYTHON'
import sys, urllib.request
path, name = sys.argv[1:]
for site in ("http://deb.debian.org/debian/", "http://archive.debian.org/debian/"):
    try:
        with urllib.request.urlopen(site + path, timeout=60) as answer, open(name, "wb") as file:
            file.write(answer.read())
        sys.exit(0)
    except OSError as error:
        print(f"{site}{path}: {error}", file=sys.stderr)
sys.exit(3)
PYTHON
}

while read -r sum path; do
    fetch "$path" package.deb
    echo "$sum  package.deb" | sha256sum --quiet -c - >&2
    dpkg-deb -x package.deb debian
done <<'PACKAGES'
30ca89bfddae5fa6e0a2a044f22b6e50cd17c4bc6bc850c579819aeab7101f0f pool/main/libf/libffi/libffi7_3.3-6_amd64.deb
85833c92314011b89bbead6f9a5a7a360b5ee4f9b95e001225afead4ebf9f7d3 pool/main/p/python2.7/libpython2.7-minimal_2.7.18-8+deb11u1_amd64.deb
3e627d6d8992b853e000b8a4c09dda613fb767cdb711a2eac20ebc9f867b593c pool/main/p/python2.7/libpython2.7-stdlib_2.7.18-8+deb11u1_amd64.deb
aadf8b4b197335645b230c2839b4517aa444fd2e8f434e5438c48a18857988f7 pool/main/o/openssl/libssl1.1_1.1.1w-0+deb11u1_amd64.deb
44f0cdc1a343303d31c55fcb3a6402cfe326adf749ec30e375e6e0c0c5f7c1f7 pool/main/p/python2.7/python2.7-minimal_2.7.18-8+deb11u1_amd64.deb
PACKAGES

cat > python <<'WRAPPER'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH="$here/debian/usr/lib/x86_64-linux-gnu" PYTHONPATH="$here/packages" \
    exec "$here/debian/usr/bin/python2.7" "$@"
WRAPPER
chmod +x python

install() {
    ./python -W ignore pip-20.3.4-py2.py3-none-any.whl/pip --no-python-version-warning install -q \
        --disable-pip-version-check --no-deps --no-build-isolation --upgrade --target packages "$@" >&2
}

"$pip" download -q --disable-pip-version-check --no-deps -d . pip==20.3.4 >&2
# Setuptools is installed first, because packages that are built from source require it.
install setuptools==44.1.1
install -r "$here/autobahn.txt"
# A .pth file declares the namespace package, but Python does not read .pth files from folders in PYTHONPATH.
touch packages/zope/__init__.py
touch installed
