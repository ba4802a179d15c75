#!/usr/bin/env bash
# Provides the Python of test/e2e/ocean-py.tools.test.ts and test/clients/tuspy.tools.test.ts: ocean-lib, which works with Python 3.8
# to 3.10, and tuspy.
set -euo pipefail
cd "$(dirname "$0")/.."
exec scripts/python-environment.sh python-clients 8 10 'import ocean_lib.ocean.ocean, tusclient.client' \
  test/e2e/ocean-py/requirements.txt test/clients/tuspy/requirements.txt
