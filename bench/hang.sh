# What others notice while one organization's webhook receiver hangs: nothing, it should be. Sourced
# by run.
port=$(free_port)
start_server "$work/hang" ADMIN_TOKEN=admin-token-of-the-load-run WEBHOOK_PRIVATE_NETWORKS=allow \
  WEBHOOK_TIMEOUT_MS=60000 WEBHOOK_TOTAL_TIMEOUT_MS=300000 WEBHOOK_RETRY_ATTEMPTS=0
"$java_home/bin/javac" -d "$here/bench/target" "$here/bench/Hang.java" ||
  die "the hanging client does not compile"
echo "a receiver hangs:"
"$java_home/bin/java" -XX:+UseSerialGC -cp "$here/bench/target" Hang "http://127.0.0.1:$port" \
  admin-token-of-the-load-run || die "the hang scenario failed"
stop_server
