#!/usr/bin/env bash
# Provides the Python of tests with data tools: pandas, DuckDB, Polars, Croissant, SHACL and RDF.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python-environment.sh python-data 11 14 'import pandas, pyarrow.parquet, duckdb, polars, fsspec, pyshacl, rdflib' \
  test/clients/data-tools/requirements.txt
# mlcroissant imports jsonpath-rw, which has no wheel. Its successor has the same interface.
for packages in "${XDG_CACHE_HOME:-$HOME/.cache}"/tidegate/python-data/lib/python3.*/site-packages; do
  printf 'from jsonpath_ng import *\nfrom jsonpath_ng import lexer\n' >"$packages/jsonpath_rw.py"
done
