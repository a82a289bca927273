package dev.safeconduct.simulate.suggest;

import static dev.safeconduct.simulate.suggest.SuggestTest.ask;
import static dev.safeconduct.simulate.suggest.SuggestTest.issue;
import static dev.safeconduct.simulate.suggest.SuggestTest.limits;
import static dev.safeconduct.simulate.suggest.SuggestTest.suggest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What a suggestion narrows beside lists and caps, and what it keeps for an own policy. */
final class SuggestedPartsTest {
  /** Params of capabilities, members of objects, and recipients with limits of their own. */
  @Test
  void narrowsParamsAndObjects() {
    try (TestService service = TestService.start()) {
      String agent =
          Questions.issued(
              service,
              Calls.json(
                  """
                  {'name': 'Params', 'capabilities': [
                     {'id': 'agent.session.create'},
                     {'id': 'messaging.send', 'params': {'channels_allowlist': 'team, other',
                       'mention_policy': 'all', 'acme': 1}}],
                   'limits': {
                     'agent.session.create': {'max_session_duration': 9000,
                       'resource_quota': {'memory_mb': 4096, 'storage_gb': 10}},
                     'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                       'allowed_recipients': [{'id': 'ann', 'note': 'first'},
                         {'id': 'bob'}]}}}
                  """));
      ask(
          service,
          agent,
          "messaging.message.send.v1",
          "'channel_id': 'team', 'message': 'Done.', 'message_type': 'text', 'recipient': 'ann'",
          true);
      ask(
          service,
          agent,
          "agent.session.create.v1",
          "'user_id': 'u', 'session_type': 'batch', 'requested_duration': 600,"
              + " 'resources': {'memory_mb': 512}",
          true);
      JsonObject suggestion = suggest(service, agent);
      assertThat(limits(suggestion, "agent.session.create").get("resource_quota"))
          .isEqualTo(Calls.json("{'memory_mb': 512, 'storage_gb': 10}"));
      assertThat(Json.text(limits(suggestion, "messaging.send")))
          .contains("\"allowed_recipients\":[{\"id\":\"ann\",\"note\":\"first\"}]");
      assertThat(Json.text(suggestion.array("capabilities").orElseThrow()))
          .contains(
              "\"channels_allowlist\":[\"team\"]", "\"mention_policy\":\"none\"", "\"acme\":1");
      assertThat(Json.text(suggestion.array("explanations").orElseThrow()))
          .contains("capabilities.messaging.send.params.channels_allowlist");
      Reply applied =
          service
              .owner()
              .patch(
                  "/api/passports/" + agent,
                  Json.text(suggestion.only(List.of("capabilities", "limits"))));
      assertThat(applied.status()).as(applied.toString()).isEqualTo(200);
      assertThat(suggest(service, agent).get("capabilities"))
          .isEqualTo(suggestion.get("capabilities"));
    }
  }

  /** An agent with everything that one pack needs, an action of it, and limits as suggested. */
  record Part(String capability, String limits, String pack, String context, String suggested) {}

  static final List<Part> PARTS =
      List.of(
          new Part(
              "data.report.ingest",
              """
              'approved_sources': ['m', 'n'], 'max_data_age_seconds': 4000000000,
              'max_ingest_frequency_per_hour': 3,
              'ESG': {'approved_sources': ['m', 'o'], 'max_data_age_seconds': 300},
              'TAX': {'approved_sources': ['m']}
              """,
              "data.report.ingest.v1",
              "'report_type': 'ESG', 'data_source_id': 'm', 'data_timestamp': 'NOW-100.5'",
              """
              'approved_sources': ['m', 'n'], 'max_data_age_seconds': 4000000000,
              'max_ingest_frequency_per_hour': 1, 'allowed_report_types': ['ESG'],
              'ESG': {'approved_sources': ['m'], 'max_data_age_seconds': 101},
              'TAX': {'approved_sources': ['m']}
              """),
          new Part(
              "finance.crypto.trade",
              """
              'allowed_exchanges': ['exa'], 'allowed_tokens': ['BTC', 'USD'],
              'max_trade_size_usd': 500, 'max_hot_wallet_trade_usd': 400,
              'max_daily_trade_volume_usd': 900, 'max_trades_per_day': 4
              """,
              "finance.crypto.trade.v1",
              "'exchange_id': 'exa', 'pair': 'BTC-USD', 'side': 'buy', 'amount_usd': 90",
              """
              'allowed_exchanges': ['exa'], 'allowed_tokens': ['BTC', 'USD'],
              'max_trade_size_usd': 90, 'max_hot_wallet_trade_usd': 90,
              'max_daily_trade_volume_usd': 90, 'max_trades_per_day': 1
              """),
          new Part(
              "finance.crypto.trade",
              """
              'allowed_exchanges': ['exa'], 'allowed_tokens': ['BTC', 'USD'],
              'max_trade_size_usd': 500, 'max_hot_wallet_trade_usd': 40,
              'max_daily_trade_volume_usd': 900, 'max_trades_per_day': 4
              """,
              "finance.crypto.trade.v1",
              "'exchange_id': 'exa', 'pair': 'BTC-USD', 'side': 'buy', 'amount_usd': 90,"
                  + " 'source_wallet_type': 'cold'",
              """
              'allowed_exchanges': ['exa'], 'allowed_tokens': ['BTC', 'USD'],
              'max_trade_size_usd': 90, 'max_hot_wallet_trade_usd': 40,
              'max_daily_trade_volume_usd': 90, 'max_trades_per_day': 1
              """),
          new Part(
              "data.access",
              """
              'allowed_classifications': ['PII'], 'allowed_jurisdictions': ['US'],
              'permissions': {'PII': {'allowed_entity_types': ['employee'],
                                      'allowed_actions': ['read']}},
              'balance_inquiry_cap_usd': 1000
              """,
              "governance.data.access.v1",
              "'data_classification': 'PII', 'accessing_entity_id': 'e', 'resource_id': 'r',"
                  + " 'accessing_entity_type': 'employee', 'jurisdiction': 'US',"
                  + " 'resource_attributes': {'account_balance_usd': 70}",
              """
              'allowed_classifications': ['PII'], 'allowed_jurisdictions': ['US'],
              'permissions': {'PII': {'allowed_entity_types': ['employee'],
                                      'allowed_actions': ['read']}},
              'balance_inquiry_cap_usd': 71, 'max_access_attempts_per_hour': 1
              """),
          new Part(
              "web.fetch",
              "'allowed_domains': ['*'], 'allowed_headers': ['Metadata', 'te', 'via']",
              "web.fetch.v1",
              "'url': 'https://a.example/', 'headers': {'Accept': 'x', 'TE': 'trailers'}",
              """
              'allowed_domains': ['a.example'], 'allowed_headers': ['te'],
              'allowed_methods': ['GET'], 'max_requests_per_min': 1, 'max_requests_per_hour': 1
              """),
          new Part(
              "agent.tool.register",
              "'allowed_capabilities': ['web.fetch', 'data.export']",
              "agent.tool.register.v1",
              "'tool_name': 'weather.lookup', 'tool_type': 'api', 'capabilities': ['web.fetch']",
              """
              'allowed_capabilities': ['web.fetch'], 'allowed_tool_types': ['api'],
              'max_tools_per_agent': 1, 'max_registrations_per_day': 1
              """),
          new Part(
              "mcp.tool.execute",
              """
              'allowed_servers': ['https://s.example'], 'allowed_tool_prefixes': ['fs_'],
              'max_calls_per_minute': 9, 'max_parameter_size': 900
              """,
              "mcp.tool.execute.v1",
              "'server': 'https://s.example', 'tool': 'fs_read', 'parameters': {'path': 'a'}",
              """
              'allowed_servers': ['https://s.example'], 'allowed_tool_prefixes': ['fs_read'],
              'max_calls_per_minute': 1, 'max_parameter_size': 12
              """));

  @ParameterizedTest
  @FieldSource("PARTS")
  void narrowsWhatIsNotReadAsItIs(Part part) {
    var clock = new MovableClock();
    try (TestService service = TestService.start(Map.of(), clock)) {
      String agent =
          SuggestionDetailsTest.issue(
              service,
              "'" + part.capability() + "'",
              "'" + part.capability() + "': {" + part.limits() + "}");
      Questions.assure(service, agent, "L3");
      String then = IsoInstant.millis(clock.instant().minusMillis(100_500));
      ask(service, agent, part.pack(), part.context().replace("NOW-100.5", then), true);
      JsonObject suggestion = suggest(service, agent);
      assertThat(limits(suggestion, part.capability()))
          .isEqualTo(Calls.json("{" + part.suggested() + "}"));
      Reply applied =
          service
              .owner()
              .patch("/api/passports/" + agent, Json.text(suggestion.only(List.of("limits"))));
      assertThat(applied.status()).as(applied.toString()).isEqualTo(200);
      assertThat(suggest(service, agent).get("limits")).isEqualTo(suggestion.get("limits"));
    }
  }

  /** A policy of the organization keeps the limits where it looks for its own, and no others. */
  @Test
  void keepsOnlyWhatAnOwnPolicyReads() {
    try (TestService service = TestService.start()) {
      String agent = issue(service);
      ask(service, agent, "web.fetch.v1", "'url': 'https://api.example.com/'", true);
      ask(service, agent, "data.file.read.v1", "'file_path': '/srv/a'", true);
      JsonObject own =
          Calls.json(
              """
              {'id': 'acme.exports.v1', 'name': 'Exports', 'version': '1.0.0',
               'requires_capabilities': ['data.export'], 'min_assurance': 'L0',
               'limits_containers': ['web.fetch'],
               'required_context': {'type': 'object', 'properties': {'n': {'type': 'integer'}}},
               'evaluation_rules': [{'name': 'r', 'deny_code': 'oap.limit_exceeded',
                 'message': 'No.', 'condition': '%s'}]}
              """
                  .formatted("context.n < 5"));
      String policies = "/api/orgs/" + service.org() + "/policies";
      Reply published = service.admin().post(policies, own);
      assertThat(published.status()).as(published.toString()).isEqualTo(201);
      Reply active =
          service.admin().post(policies + "/acme.exports.v1/activate", "{\"version\": 1}");
      assertThat(active.status()).as(active.toString()).isEqualTo(200);
      ask(service, agent, "acme.exports.v1", "'n': 1", true);

      JsonObject passport = service.owner().get("/api/passports/" + agent).json();
      JsonObject suggestion = suggest(service, agent);
      assertThat(limits(suggestion, "web.fetch")).isEqualTo(limits(passport, "web.fetch"));
      assertThat(limits(suggestion, "data.file.read").get("allowed_paths"))
          .isEqualTo(JsonArray.ofStrings(List.of("/srv/a")));
      assertThat(Json.text(suggestion.array("capabilities").orElseThrow()))
          .contains("data.export", "web.fetch")
          .doesNotContain("messaging.send");
    }
  }

  /**
   * The end of the evidence is exclusive; what was decided just before the request belongs to it.
   */
  @Test
  void readsTheDecisionsOfTheSameMillisecond() {
    try (TestService service = TestService.start(Map.of(), new MovableClock())) {
      String agent = SuggestTest.issue(service);
      SuggestTest.ask(service, agent, "web.fetch.v1", "'url': 'https://api.example.com/a'", true);
      JsonObject evidence = SuggestTest.suggest(service, agent).object("evidence").orElseThrow();
      assertThat(Questions.number(evidence, "decisions")).isEqualTo(1);
    }
  }
}
