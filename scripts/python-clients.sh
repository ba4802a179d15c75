#!/usr/bin/env bash
# Provides the Python of test/e2e/ocean-py.test.ts and test/clients/tuspy.test.ts: a virtual environment with ocean-lib
# and tuspy, kept in the user's cache. ocean-lib works with Python 3.8 to 3.10. Exits with 1 and a reason if it is unavailable.
set -euo pipefail
test="$(cd "$(dirname "$0")/.." && pwd)/test"
locks=("$test/e2e/ocean-py/requirements.txt" "$test/clients/tuspy/requirements.txt")
home="${XDG_CACHE_HOME:-$HOME/.cache}/tidegate/python-clients"
cat "${locks[@]}" | cmp -s - "$home/requirements.txt" && exit 0

mkdir -p "$(dirname "$home")"
new=$(mktemp -d "$home.XXXXXX")
trap 'rm -rf "$new"' EXIT
fail() {
  echo "The Python clients could not be installed: $1" >&2
  exit 1
}
suits() {
  "$1" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 10))' 2>/dev/null
}

pyenv=$(pyenv root 2>/dev/null || echo "${PYENV_ROOT:-$HOME/.pyenv}")
for python in python3.10 python3.9 python3.8 python3 python "$pyenv"/versions/3.{10,9,8}.*/bin/python; do
  # Debian packages venv separately, so that a Python may lack it
  suits "$python" && "$python" -m venv "$new/env" >/dev/null 2>&1 && break
  rm -rf "$new/env"
done
if [ ! -x "$new/env/bin/python" ]; then
  if ! uv=$(command -v uv); then
    { python3 -m venv "$new/tools" && "$new/tools/bin/python" -m pip install -q uv; } >/dev/null 2>&1 ||
      fail 'there is no Python from 3.8 to 3.10, and no uv to download one'
    uv="$new/tools/bin/uv"
  fi
  UV_PYTHON_INSTALL_DIR="$home.python" "$uv" venv -q --seed --python 3.10 "$new/env" >/dev/null 2>&1 ||
    fail 'there is no Python from 3.8 to 3.10, and none could be downloaded'
fi

# wheels only: nothing is compiled, and no code of a package runs during its installation
"$new/env/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: \
  "${locks[@]/#/-r}" >&2 ||
  fail 'packages could not be downloaded'
"$new/env/bin/python" -W ignore -c 'import ocean_lib.ocean.ocean, tusclient.client' || fail 'they do not start'
cat "${locks[@]}" >"$new/env/requirements.txt"
rm -rf "$home"
mv "$new/env" "$home"
