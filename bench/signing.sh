#!/usr/bin/env bash
# Signatures a second by keys in memory and by keys in SoftHSM; needs both jars (make build).
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
java=${JAVA_HOME:-$("$here/bin/find-jdk")}/bin/java
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
library=/usr/lib/softhsm/libsofthsm2.so
mkdir "$folder/tokens" "$folder/classes"
export SOFTHSM2_CONF=$folder/softhsm2.conf
printf 'directories.tokendir = %s\nobjectstore.backend = file\n' "$folder/tokens" >"$SOFTHSM2_CONF"
softhsm2-util --init-token --free --label bench --pin 1234 --so-pin 1234 >/dev/null
printf 'name = module\nlibrary = %s\nslotListIndex = 0\n' "$library" >"$folder/pkcs11.cfg"
path=$here/target/safeconduct.jar:$here/target/safeconduct-pkcs11.jar
"${java%/java}/javac" -d "$folder/classes" -cp "$path" "$here/bench/SigningRate.java"
"$java" -Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true --enable-native-access=ALL-UNNAMED \
  -cp "$folder/classes:$path" SigningRate "$folder" "$folder/pkcs11.cfg" 1234 2>/dev/null
