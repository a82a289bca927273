package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import java.util.Map;

/** Calls any route with ids and a body that get it as far as looking for what it names. */
final class RouteCalls {
  /** Bodies with which a request gets as far as looking for what it names. */
  private static final Map<String, String> BODIES =
      Map.ofEntries(
          Map.entry(
              "POST /api/webhooks",
              "{\"url\": \"https://hooks.example.com\", \"agent_id\": \"AGENT\"}"),
          Map.entry(
              "POST /api/verify/policy/{policy_id}", "{\"agent_id\": \"AGENT\", \"context\": {}}"),
          Map.entry(
              "POST /api/orgs/{org_id}/keys", "{\"name\": \"x\", \"scopes\": [\"manage_keys\"]}"),
          Map.entry(
              "POST /api/admin/status", "{\"agent_id\": \"AGENT\", \"status\": \"suspended\"}"),
          Map.entry("PUT /api/passports/{agent_id}/status", "{\"status\": \"suspended\"}"),
          Map.entry("PATCH /api/passports/{agent_id}", "{\"role\": \"changed\"}"),
          Map.entry("PUT /api/passports/{agent_id}", "{\"role\": \"changed\"}"),
          Map.entry(
              "POST /api/verify/token/{policy_id}", "{\"agent_id\": \"AGENT\", \"context\": {}}"),
          Map.entry("POST /api/admin/signing-keys/{kid}/revoke", "{\"reason\": \"Test.\"}"),
          Map.entry(
              "POST /v1/decide",
              "{\"passport_id\": \"AGENT\", \"policy_id\": \"messaging.message.send.v1\", \"context\": {}}"),
          Map.entry("POST /api/suspend", "{\"agent_id\": \"AGENT\"}"),
          Map.entry("POST /api/admin/update", "{\"agent_id\": \"AGENT\"}"));

  /** Ids of nothing. */
  static final Map<String, String> NOTHING =
      Map.ofEntries(
          Map.entry("agent_id", "ap_nothing"),
          Map.entry("key_id", "key_nothing"),
          Map.entry("decision_id", "019aa5b0-c7e0-7a1b-8c2d-000000000000"),
          Map.entry("record_id", "019aa5b0-c7e0-7a1b-8c2d-000000000000"),
          Map.entry("framework", "nothing"),
          Map.entry("token", "nothing"),
          Map.entry("token_id", "tok_nothing"),
          Map.entry("account_id", "acc_nothing"),
          Map.entry("slug", "nothing"),
          Map.entry("kid", "nothing"),
          Map.entry("webhook_id", "wh_nothing"),
          Map.entry("delivery_id", "dlv_nothing"),
          Map.entry("approval_id", "apr_00000000000000000000000000000000"),
          Map.entry("reservation_id", "rsv_00000000000000000000000000000000"),
          Map.entry("badge", "ap_nothing.svg"),
          Map.entry("feed_name", "nothing"),
          Map.entry("page", "nothing"),
          Map.entry("tag", "nothing"));

  private RouteCalls() {}

  /** Calls the route; ids that {@code names} lacks are those of {@code own}. */
  static Reply send(Calls calls, Route route, Map<String, String> names, Map<String, String> own) {
    String path = route.path().replace("...}", "}");
    for (Map.Entry<String, String> id : own.entrySet()) {
      String value = names.getOrDefault(id.getKey(), id.getValue());
      path = path.replace("{" + id.getKey() + "}", value);
    }
    assertThat(path).as("a parameter this test does not know").doesNotContain("{");
    return calls.send(route.method(), path, body(route, names));
  }

  static String body(Route route, Map<String, String> names) {
    if (route.method().equals("GET") || route.method().equals("DELETE")) {
      return "";
    }
    return BODIES
        .getOrDefault(route.method() + " " + route.path(), "{}")
        .replace("AGENT", names.getOrDefault("agent_id", ""));
  }
}
