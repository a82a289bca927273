package dev.safeconduct.webhook.delivery;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;

/** The form of a delivery's body. */
public enum Format {
  /** The payload itself, as the public specification has it. */
  JSON("json") {
    @Override
    JsonObject write(JsonObject payload) {
      return payload;
    }
  },
  /** A message for an incoming webhook of Slack. */
  SLACK("slack") {
    @Override
    JsonObject write(JsonObject payload) {
      String text = EventText.of(payload);
      var blocks = new ArrayList<JsonValue>();
      // plain_text: Slack reads no links, mentions or formatting in it.
      blocks.add(JsonObject.builder().put("type", "section").put("text", plain(text)).build());
      payload
          .string("url")
          .ifPresent(url ->
              blocks.add(
                  JsonObject.builder()
                      .put("type", "actions")
                      .put(
                          "elements",
                          JsonArray.of(
                              JsonObject.builder()
                                  .put("type", "button")
                                  .put("text", plain(EventText.LINK))
                                  .put("url", url)
                                  .build()))
                      .build()));
      // The text of notifications is mrkdwn; these three characters begin all its links and
      // mentions.
      return JsonObject.builder()
          .put("text", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
          .put("blocks", new JsonArray(blocks))
          .build();
    }

    private JsonObject plain(String text) {
      return JsonObject.builder()
          .put("type", "plain_text")
          .put("text", text)
          .put("emoji", false)
          .build();
    }
  },
  /** An Adaptive Card for an incoming webhook of Teams. */
  TEAMS("teams") {
    @Override
    JsonObject write(JsonObject payload) {
      // A TextRun is not read as Markdown, unlike a TextBlock.
      JsonObject.Builder card =
          JsonObject.builder()
              .put("$schema", "http://adaptivecards.io/schemas/adaptive-card.json")
              .put("type", "AdaptiveCard")
              .put("version", "1.4")
              .put(
                  "body",
                  JsonArray.of(
                      JsonObject.builder()
                          .put("type", "RichTextBlock")
                          .put(
                              "inlines",
                              JsonArray.of(
                                  JsonObject.builder()
                                      .put("type", "TextRun")
                                      .put("text", EventText.of(payload))
                                      .build()))
                          .build()));
      payload
          .string("url")
          .ifPresent(url ->
              card.put(
                  "actions",
                  JsonArray.of(
                      JsonObject.builder()
                          .put("type", "Action.OpenUrl")
                          .put("title", EventText.LINK)
                          .put("url", url)
                          .build())));
      return JsonObject.builder()
          .put("type", "message")
          .put(
              "attachments",
              JsonArray.of(
                  JsonObject.builder()
                      .put("contentType", "application/vnd.microsoft.card.adaptive")
                      .putNull("contentUrl")
                      .put("content", card.build())
                      .build()))
          .build();
    }
  };

  private final String wire;

  Format(String wire) {
    this.wire = wire;
  }

  /** Returns the name as requests, answers and rows spell it. */
  public String wire() {
    return wire;
  }

  public static Optional<Format> parse(String text) {
    return Arrays.stream(values()).filter(format -> format.wire.equals(text)).findFirst();
  }

  abstract JsonObject write(JsonObject payload);

  /** Returns the bytes that are sent and signed. */
  byte[] body(WebhookEvent event) {
    return Json.bytes(write(event.payload()));
  }
}
