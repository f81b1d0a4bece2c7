#!/bin/sh
# Tries dpclaims with the oldest versions that pyproject.toml allows, and with the newest.
# Arguments: the Python to try, and one that reads pyproject.toml.
set -eu
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$2" tests/versions/oldest.py > "$place/oldest.txt"
: > "$place/newest.txt"
for age in oldest newest; do
    "$1" -m venv "$place/$age"
    "$place/$age/bin/python" -m pip install --quiet --constraint "$place/$age.txt" '.[report,cluster]'
    tests/versions/smoke.sh "$place/$age/bin" "$place/$age/work"
    echo "$age versions: claims, a report and an audit are as expected"
done
