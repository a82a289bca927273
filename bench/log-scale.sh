#!/usr/bin/env bash
# A log of many records on SQLite: the time of a proof, and a whole check in little memory.
# Usage: bench/log-scale.sh [records] ; needs target/safeconduct.jar (make build).
set -u
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
log() {
  "$java_home/bin/java" -Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true \
    --enable-native-access=ALL-UNNAMED -Xmx512m -cp "$work:$here/target/safeconduct.jar" Log "$@" 2>/dev/null ||
    die "the log cannot be used: $*"
}
"$java_home/bin/javac" -d "$work" -cp "$here/target/safeconduct.jar" "$here/bench/Log.java" || exit 1
start_server "$work/data" # the first start brings the keys into the log
stop_server
log fill "$work/data" org_bench "${1:-1000000}" 100
log proofs "$work/data"
du -h "$work/data/safeconduct.db" | cut -f1 | sed 's/^/database: /'
for heap in 64m 256m; do
  DATA_DIR=$work/data JAVA_OPTS="-Xms32m -Xmn16m -Xmx$heap" \
    /usr/bin/env bash -c 'TIMEFORMAT="check: %R s, %U s CPU"; time "$1" audit verify' _ "$here/bin/safeconduct" | tail -n 2 |
    sed "s/^/heap $heap: /"
done
