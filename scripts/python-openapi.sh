#!/usr/bin/env bash
# Provides the Python of test/clients/openapi.test.ts: a generator of clients from OpenAPI.
set -euo pipefail
cd "$(dirname "$0")/.."
exec scripts/python-environment.sh python-openapi 11 14 'import openapi_python_client, httpx' \
  test/clients/openapi/requirements.txt
