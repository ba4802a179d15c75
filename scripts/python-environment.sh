#!/usr/bin/env bash
# Provides a virtual environment with locked packages, in the user's cache. Exits with 1 and a reason if it is unavailable.
# Usage: python-environment.sh NAME LOWEST HIGHEST STATEMENT LOCK… (minor versions of Python 3; a statement that must succeed)
set -euo pipefail
name=$1 lowest=$2 highest=$3 statement=$4
locks=("${@:5}")
home="${XDG_CACHE_HOME:-$HOME/.cache}/tidegate/$name"
cat "${locks[@]}" | cmp -s - "$home/requirements.txt" && exit 0

mkdir -p "$(dirname "$home")"
new=$(mktemp -d "$home.XXXXXX")
trap 'rm -rf "$new"' EXIT
fail() {
  echo "$name could not be installed: $1" >&2
  exit 1
}
suits() {
  "$1" -c "import sys; sys.exit(not (3, $lowest) <= sys.version_info[:2] <= (3, $highest))" 2>/dev/null
}

pyenv=$(pyenv root 2>/dev/null || echo "${PYENV_ROOT:-$HOME/.pyenv}")
candidates=()
for ((minor = highest; minor >= lowest; minor--)); do
  candidates+=("python3.$minor" "$pyenv"/versions/3."$minor".*/bin/python)
done
for python in "${candidates[@]}" python3 python; do
  # Debian packages venv separately, so that a Python may lack it
  suits "$python" && "$python" -m venv "$new/env" >/dev/null 2>&1 && break
  rm -rf "$new/env"
done
if [ ! -x "$new/env/bin/python" ]; then
  versions="Python from 3.$lowest to 3.$highest"
  if ! uv=$(command -v uv); then
    { python3 -m venv "$new/tools" && "$new/tools/bin/python" -m pip install -q uv; } >/dev/null 2>&1 ||
      fail "there is no $versions, and no uv to download one"
    uv="$new/tools/bin/uv"
  fi
  UV_PYTHON_INSTALL_DIR="$home.python" "$uv" venv -q --seed --python "3.$highest" "$new/env" >/dev/null 2>&1 ||
    fail "there is no $versions, and none could be downloaded"
fi

# wheels only: nothing is compiled, and no code of a package runs during its installation
"$new/env/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: \
  "${locks[@]/#/-r}" >&2 ||
  fail 'packages could not be downloaded'
"$new/env/bin/python" -W ignore -c "$statement" || fail 'they do not start'
cat "${locks[@]}" >"$new/env/requirements.txt"
rm -rf "$home"
mv "$new/env" "$home"
