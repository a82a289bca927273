# Services that hold much beside one that holds little: 16 passports, one pack of 40 rules and a short log.
# Each of the others holds more of one thing. Sourced by run.
scale_passports=${SCALE_PASSPORTS:-100000}
scale_packs=${SCALE_PACKS:-200}
scale_records=${SCALE_RECORDS:-10000000}
scale_fill_seconds=${SCALE_FILL_SECONDS:-1800}
rules=40

filled() { # name, packs, passports
  local begun=$SECONDS
  serve "$1" ADMIN_TOKEN=$admin_token
  "$java_home/bin/java" -cp "$work/classes" Fill "http://127.0.0.1:$port" $admin_token "$2" $rules "$3" "$work/$1-lines" ||
    die "$1 could not be filled"
  echo "$1: $2 packs of $rules rules and $3 passports in $((SECONDS - begun)) s"
}

# A record takes 1.3 KB in the file, and as much again while the write-ahead log is taken into it.
records_that_fit() {
  local free
  free=$(df --output=avail -k "$work" | tail -n 1)
  echo $((free / 3 < scale_records ? free / 3 : scale_records))
}

scale_log() {
  "$java_home/bin/java" -Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true \
    --enable-native-access=ALL-UNNAMED -Xmx512m -cp "$work/classes:$here/target/safeconduct.jar" Log "$@" 2>/dev/null ||
    die "the log cannot be filled: $*"
}

scale() {
  local org records each services=(few many_passports many_packs long_log)
  compile Fill.java Log.java
  filled few 1 16
  filled many_passports 1 "$scale_passports"
  filled many_packs "$scale_packs" 16
  # Sixteen agents ask by all packs, not each by one.
  awk -F'\t' -v OFS='\t' -v packs="$scale_packs" '{ line[NR] = $2 }
    END { for (i = 0; i < packs; i++) print "/api/verify/policy/acme.team" i ".send.v1", line[i % NR + 1] }' \
    "$work/many_packs-lines" >"$work/lines" && mv "$work/lines" "$work/many_packs-lines"
  filled long_log 1 16
  org=$(curl -sf -H "Authorization: Bearer $admin_token" "http://127.0.0.1:$port/api/orgs?limit=1" |
    sed -n 's/.*"org_id":"\([^"]*\)".*/\1/p')
  stop_server
  records=$(records_that_fit)
  [ "$records" = "$scale_records" ] || echo "NOTE: the disk has room for $records records only"
  scale_log fill "$work/long_log" "$org" "$records" 1000 "$scale_fill_seconds"
  scale_log count "$work/long_log"
  du -h "$work/long_log/safeconduct.db" | cut -f1 | sed 's/^/database: /'
  serve long_log ADMIN_TOKEN=$admin_token
  for each in few many_packs long_log; do all_allowed "$each" "$work/$each-lines"; done
  for each in "${services[@]}"; do warm_service "$each" 64 "$work/$each-lines"; done
  for _ in $(seq "$turns"); do
    for each in "${services[@]}"; do turn "$each" "$each" 64 "$work/$each-lines"; done
  done
  show_turns "${services[@]}"
  aims_heading "service with few"
  aim_ratio "$scale_passports passports" /s few many_passports 1 '>=' 0.9
  aim_ratio "$((scale_packs * rules)) rules in $scale_packs packs" /s few many_packs 1 '>=' 0.9
  aim_ratio "a log of $records records, or what the time allowed" /s few long_log 1 '>=' 0.9
}
