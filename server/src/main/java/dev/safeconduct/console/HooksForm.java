package dev.safeconduct.console;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A passport's settings for hooks of coding agents, as the text of three fields: one entry a line,
 * a name and its value with a space between them.
 */
public record HooksForm(String servers, String tools, String autoApprove) {
  private static final String HOOKS = "hooks";

  static HooksForm of(JsonObject passport) {
    JsonObject hooks = passport.child(HOOKS);
    return new HooksForm(
        lines(hooks, "servers"),
        lines(hooks, "tools"),
        String.join("\n", hooks.texts("auto_approve")));
  }

  private static String lines(JsonObject hooks, String member) {
    JsonObject entries = hooks.child(member);
    return entries.names().stream()
        .map(name -> name + " " + entries.text(name))
        .collect(Collectors.joining("\n"));
  }

  /** Returns the passport with the settings that were sent; without any, their removal. */
  static JsonObject read(OpenPage page, JsonObject passport) {
    if (!page.sent("hooks:servers")) {
      return passport; // a form without these fields
    }
    JsonObject.Builder hooks = JsonObject.builder();
    for (String member : List.of("servers", "tools")) {
      JsonObject.Builder entries = JsonObject.builder();
      sent(page, member)
          .forEach(line -> {
            int space = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t'));
            entries.put(
                space < 0 ? line : line.substring(0, space).strip(), line.substring(space + 1));
          });
      if (!entries.build().isEmpty()) {
        hooks.put(member, entries.build());
      }
    }
    List<String> approved = sent(page, "auto_approve");
    if (!approved.isEmpty()) {
      hooks.put("auto_approve", JsonArray.ofStrings(approved));
    }
    JsonObject all = hooks.build();
    return all.isEmpty() && passport.present(HOOKS) == null
        ? passport
        : passport.with(HOOKS, all.isEmpty() ? JsonNull.NULL : all);
  }

  private static List<String> sent(OpenPage page, String member) {
    return page.field("hooks:" + member)
        .orElse("")
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .toList();
  }
}
