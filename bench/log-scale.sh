#!/usr/bin/env bash
# A log of many records on SQLite: the time of a proof, and a whole check in little memory.
# Usage: bench/log-scale.sh [records] ; needs target/safeconduct.jar (make build).
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
records=${1:-1000000}
java=${JAVA_HOME:-$("$here/bin/find-jdk")}/bin/java
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(-Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true --enable-native-access=ALL-UNNAMED -Xmx512m)
classes=$folder/classes
mkdir "$classes"
path=$here/target/safeconduct.jar
"${java%/java}/javac" -d "$classes" -cp "$path" "$here/bench/LogScale.java"
"$java" "${options[@]}" -cp "$classes:$path" LogScale "$folder/data" "$records" 2>/dev/null
du -h "$folder/data/safeconduct.db" | cut -f1 | sed 's/^/database: /'
for heap in 64m 256m; do
  DATA_DIR=$folder/data JAVA_OPTS="-Xms32m -Xmn16m -Xmx$heap" \
    /usr/bin/env bash -c 'TIMEFORMAT="check: %R s, %U s CPU"; time "$1" audit verify' _ "$here/bin/safeconduct" |
    sed "s/^/heap $heap: /"
done
