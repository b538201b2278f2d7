#!/bin/sh
# install_autobahn.sh FOLDER PIP: puts Autobahn's test suite, and the Python 2.7 that it needs, into a folder, where
# FOLDER/python runs it. Debian 11 is the last one that has Python 2.7: its packages are unpacked, not installed.
# PIP is the pip of a Python 3, which fetches the pip of the other.
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
[ "$folder/installed" -nt "$here/autobahn.txt" ] && exit 0
[ "$(uname -sm)" = "Linux x86_64" ] || { echo "there is no Python 2.7 for $(uname -sm)" >&2; exit 1; }

rm -rf "$folder"
mkdir -p "$folder/debian"
cd "$folder"
folder=$PWD

while read -r sum path; do
    name=$(basename "$path")
    python3 - "$name" "$path" <<'PYTHON' || { echo "Debian's archive does not give $name" >&2; exit 1; }
import sys, urllib.request
for site in ("http://deb.debian.org/debian/", "http://archive.debian.org/debian/"):
    try:
        with urllib.request.urlopen(site + sys.argv[2], timeout=60) as answer, open(sys.argv[1], "wb") as file:
            file.write(answer.read())
        sys.exit(0)
    except OSError:
        pass
sys.exit(1)
PYTHON
    echo "$sum  $name" | sha256sum --quiet -c - >&2
    dpkg-deb -x "$name" debian
    rm "$name"
done <<'PACKAGES'
30ca89bfddae5fa6e0a2a044f22b6e50cd17c4bc6bc850c579819aeab7101f0f pool/main/libf/libffi/libffi7_3.3-6_amd64.deb
85833c92314011b89bbead6f9a5a7a360b5ee4f9b95e001225afead4ebf9f7d3 pool/main/p/python2.7/libpython2.7-minimal_2.7.18-8+deb11u1_amd64.deb
3e627d6d8992b853e000b8a4c09dda613fb767cdb711a2eac20ebc9f867b593c pool/main/p/python2.7/libpython2.7-stdlib_2.7.18-8+deb11u1_amd64.deb
aadf8b4b197335645b230c2839b4517aa444fd2e8f434e5438c48a18857988f7 pool/main/o/openssl/libssl1.1_1.1.1w-0+deb11u1_amd64.deb
44f0cdc1a343303d31c55fcb3a6402cfe326adf749ec30e375e6e0c0c5f7c1f7 pool/main/p/python2.7/python2.7-minimal_2.7.18-8+deb11u1_amd64.deb
PACKAGES

cat > python <<PYTHON
#!/bin/sh
LD_LIBRARY_PATH='$folder/debian/usr/lib/x86_64-linux-gnu' PYTHONPATH='$folder/packages' \\
    exec '$folder/debian/usr/bin/python2.7' "\$@"
PYTHON
chmod +x python

"$2" download -q --disable-pip-version-check --no-deps -d . pip==20.3.4 >&2
# What is built from source needs setuptools first.
for packages in setuptools==44.1.1 "-r $here/autobahn.txt"; do
    # shellcheck disable=SC2086 # "-r FILE" is two words.
    ./python -W ignore pip-20.3.4-py2.py3-none-any.whl/pip --no-python-version-warning install \
        -q --disable-pip-version-check --no-deps --no-build-isolation --target packages $packages >&2
done
# The namespace is declared in a .pth file, which Python does not read from PYTHONPATH.
touch packages/zope/__init__.py
touch installed
