#!/bin/sh
# Builds the wheel and the source archive of the Python package, and installs the wheel: check_package.sh FOLDER. The
# folder contains the Python environment `venv` with the tools.
set -eu
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../Clients/python"
rm -rf "$folder/package" "$folder/dist" "$folder/user"
# The build tools write into the source folder, so they build from a copy.
cp -R . "$folder/package"
"$folder/venv/bin/python" -m build --no-isolation --outdir "$folder/dist" "$folder/package" >/dev/null
python3 -m venv "$folder/user"
"$folder/user/bin/pip" install -q --disable-pip-version-check --no-index "$folder"/dist/*.whl
cd /
"$folder/user/bin/python" -c '
import haptic_bridge
from pathlib import Path
folder = Path(haptic_bridge.__file__).parent
assert (folder / "py.typed").exists()
assert len(list(haptic_bridge.HapticPattern.named("success").messages())) == 1
'
