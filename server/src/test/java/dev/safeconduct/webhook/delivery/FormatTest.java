package dev.safeconduct.webhook.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Bodies for chats: a sentence and our own link, and nothing that others wrote may be one. */
class FormatTest {
  private static final String PAGE = "https://safe.example/console/approvals/apr_1";

  private static String body(Format format, JsonObject payload) {
    return new String(format.body(new WebhookEvent("msg_1", payload)), StandardCharsets.UTF_8);
  }

  private static JsonObject approval() {
    return JsonObject.builder()
        .put("event_type", "approval.requested")
        .put("agent_id", "ap_1")
        .put("policy_id", "mine")
        .put("url", PAGE)
        .build();
  }

  @Test
  void slackGetsABlockOfPlainTextWithAButton() {
    String text = "The agent ap_1 requests an action that a person must approve (policy mine).";
    assertThat(body(Format.SLACK, approval()))
        .isEqualTo(
            ("{'text':'TEXT','blocks':[{'type':'section','text':{'type':'plain_text','text':'TEXT',"
                    + "'emoji':false}},{'type':'actions','elements':[{'type':'button','text':"
                    + "{'type':'plain_text','text':'Open in Safeconduct','emoji':false},"
                    + "'url':'URL'}]}]}")
                .replace('\'', '"')
                .replace("TEXT", text)
                .replace("URL", PAGE));
  }

  @Test
  void teamsGetsAnAdaptiveCard() {
    String body = body(Format.TEAMS, approval());
    assertThat(body)
        .contains("application/vnd.microsoft.card.adaptive", "\"type\":\"TextRun\"")
        .contains(
            "{\"type\":\"Action.OpenUrl\",\"title\":\"Open in Safeconduct\",\"url\":\"" + PAGE);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JSON")
  void aResumedOrganizationHasNoReason(Format format) {
    JsonObject.Builder resumed =
        JsonObject.builder()
            .put("event_type", "organization.halted")
            .put("org_id", "org_1")
            .put("state", "resumed");
    assertThat(body(format, resumed.build())).contains("The organization org_1 was resumed.");
  }

  @Test
  void jsonIsThePayload() {
    assertThat(body(Format.JSON, approval())).isEqualTo(Json.text(approval()));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JSON")
  void whatOthersWroteIsNoLinkMentionOrFormatting(Format format) {
    for (String hostile :
        List.of(
            "<https://evil.example/x|Open in Safeconduct>",
            "<!channel> <@U123> &lt;!here&gt;",
            "[Approve](https://evil.example)",
            "<at>everyone</at>",
            "**evil** _text_ `code` https://evil.example evil.example/x",
            "a\nb\u2028c\u0000",
            "x".repeat(5_000),
            "\ud83d\ude00".repeat(500),
            "x" + "\ud83d\ude00".repeat(500))) {
      for (String type : List.of("key.expiring", "organization.halted", "limit.near")) {
        String body =
            body(
                format,
                JsonObject.builder()
                    .put("event_type", type)
                    .put("name", hostile)
                    .put("reason", hostile)
                    .put("limit", hostile)
                    .put("state", "halted")
                    .put("org_id", "org_1")
                    .put("url", PAGE)
                    .build());
        assertThat(body)
            .as(hostile)
            // Half a pair has no UTF-8 form: the event would never be sent.
            .matches(text -> UTF_8.newEncoder().canEncode(text))
            .doesNotContain("evil.example", "<", ">", "[Approve", "](", "@", "*", "`", "|")
            .hasSizeLessThan(3_000);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JSON")
  void theEndOfAHaltHasNoReason(Format format) {
    String body =
        body(
            format,
            JsonObject.builder()
                .put("event_type", "organization.halted")
                .put("state", "resumed")
                .put("org_id", "org_1")
                .put("url", PAGE)
                .build());
    assertThat(body).contains("resumed").doesNotContain("unknown");
  }
}
