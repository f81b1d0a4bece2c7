#!/bin/sh
# Tries dpclaims with the oldest versions that pyproject.toml allows, and with the newest.
# Arguments: the Python for the oldest, the Python for the newest, and one that reads pyproject.toml.
set -eu
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$3" tests/versions/oldest.py > "$place/oldest.txt"
: > "$place/newest.txt"
try() { # age of the versions, Python
    "$2" -m venv "$place/$1"
    "$place/$1/bin/python" -m pip install --quiet --constraint "$place/$1.txt" '.[report,cluster]'
    tests/versions/smoke.sh "$place/$1/bin" "$place/$1/work"
    echo "$1 versions, $("$2" --version): claims, a report and an audit are as expected"
}
try oldest "$1"
try newest "$2"
