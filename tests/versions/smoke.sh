#!/bin/sh
# Two papers at the tier smoke, a report and an audit, with the dpclaims of an environment.
# Arguments: the bin folder of the environment, and an empty folder to work in.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$2"
cd "$2"
"$1/dpclaims" doctor
"$1/dpclaims" run song2021 levy2021 --tier smoke --out run
"$1/dpclaims" run song2021/lemma-b.2 --tier smoke -j 2 --out few
"$1/dpclaims" report --run few --out site
status=0
"$1/dpclaims" audit "$here/examples/my_mechanism.py:too_little_noise" --max-samples 20000 || status=$?
test "$status" = 1
