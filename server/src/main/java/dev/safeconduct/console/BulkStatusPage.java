package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Changes the status of many passports: the operator selects, reads the list, and confirms. */
public final class BulkStatusPage {
  private static final String PAGE = "/console/bulk-status";
  private static final String API = "/api/admin/status/bulk";

  /** The possible statuses and their verbs. */
  private static final Map<String, String> VERBS =
      Map.of("suspended", "suspend", "active", "activate", "revoked", "revoke");

  private static final String TEMPLATE = "template_id";

  private BulkStatusPage() {}

  static List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(PAGE, BulkStatusPage::show), signIn.form(PAGE, BulkStatusPage::change));
  }

  /**
   * The page; {@code console/bulk-status.jte}.
   *
   * @param lead what would change, or what has changed
   * @param confirm what a person types to change it; empty if there is nothing to confirm
   * @param selection the digest of the passports that the page shows
   */
  public record Page(
      Layout shell,
      String lead,
      Choice choice,
      List<Row> rows,
      String confirm,
      String selection,
      String curl) {}

  /** The fields of the form. */
  public record Choice(
      String org,
      String framework,
      String capability,
      String template,
      String agents,
      String status) {
    JsonObject filter() {
      JsonObject.Builder filter = JsonObject.builder();
      Map.of("org_id", org, "framework", framework, "capability", capability, TEMPLATE, template)
          .forEach((name, text) -> {
            if (!text.isEmpty()) {
              filter.put(name, text);
            }
          });
      List<String> ids =
          Stream.of(agents.split("[\\s,;]+", -1)).filter(id -> !id.isEmpty()).toList();
      return ids.isEmpty()
          ? filter.build()
          : filter.put("agent_ids", JsonArray.ofStrings(ids)).build();
    }
  }

  /** A passport and what happens to it. */
  public record Row(
      String path,
      String agentId,
      String name,
      String org,
      String previous,
      String status,
      String skipped) {}

  private static Response show(OpenPage page) {
    page.demand("POST", API);
    return show(page, page::query);
  }

  /** Shows what the fields select; nothing changes. */
  private static Response show(OpenPage page, Function<String, Optional<String>> fields) {
    Choice choice = choice(fields);
    JsonObject filter = choice.filter();
    if (filter.names().isEmpty()) {
      return page(
          page, "Select passports, read the list, and then confirm.", choice, JsonObject.EMPTY, "");
    }
    JsonObject dryRun;
    try {
      dryRun = page.send("POST", API, preview(filter, choice.status()).build());
    } catch (ProblemException e) {
      if (page.isWrong()) {
        return page(page, "Nothing has changed.", choice, JsonObject.EMPTY, "");
      }
      return page.failed(
          e.problem(), () -> page(page, "Nothing has changed.", choice, JsonObject.EMPTY, ""));
    }
    String confirm = confirm(dryRun, choice.status());
    return page(
        page,
        (confirm.isEmpty() ? "Nothing would change" : "This would " + confirm) + skipped(dryRun),
        choice,
        dryRun,
        confirm);
  }

  private static Response change(OpenPage page) {
    page.demand("POST", API);
    if (page.sent("preview")) {
      return show(page, page::field);
    }
    Choice choice = choice(page::field);
    JsonObject filter = choice.filter();
    try {
      // The person confirms the passports that the page has shown: others are a conflict, and the
      // page is shown again with those.
      String expect = page.entered("expect");
      String confirm =
          confirm(
              page.send(
                  "POST", API, preview(filter, choice.status()).put("expect", expect).build()),
              choice.status());
      if (confirm.isEmpty() || !page.field("confirm").filter(confirm::equals).isPresent()) {
        throw ProblemException.invalid(
            "confirm",
            confirm.isEmpty()
                ? "There is nothing to change."
                : "To confirm, type exactly: " + confirm);
      }
      JsonObject done =
          page.send(
              "POST",
              API,
              body(filter, choice.status(), page.entered("reason"), false)
                  .put("expect", expect)
                  .build());
      String undelivered =
          done.object("webhook")
              .flatMap(webhook -> webhook.string("error"))
              .map(error -> " Not all webhook endpoints were notified: " + error)
              .orElse("");
      return page(
          page,
          "Done: " + confirm(done, choice.status()) + skipped(done) + undelivered,
          choice,
          done,
          "");
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> show(page, page::field));
    }
  }

  private static Response page(
      OpenPage page, String lead, Choice choice, JsonObject answer, String confirm) {
    return page.show(
        "console/bulk-status.jte",
        "Bulk status",
        shell ->
            new Page(
                shell,
                lead,
                choice,
                rows(answer),
                confirm,
                answer.text("selection"),
                Curl.send(
                    page,
                    "POST",
                    API,
                    body(choice.filter(), choice.status(), "A reason", true).build())));
  }

  private static Choice choice(Function<String, Optional<String>> fields) {
    return new Choice(
        fields.apply("org_id").orElse(""),
        fields.apply("framework").orElse(""),
        fields.apply("capability").orElse(""),
        fields.apply(TEMPLATE).orElse(""),
        fields.apply("agent_ids").orElse(""),
        fields.apply("status").filter(VERBS::containsKey).orElse("suspended"));
  }

  private static JsonObject.Builder preview(JsonObject filter, String status) {
    return body(filter, status, "Preview", true);
  }

  private static JsonObject.Builder body(
      JsonObject filter, String status, String reason, boolean dryRun) {
    return JsonObject.builder()
        .put("filter", filter)
        .put("status", status)
        .put("reason", reason)
        .put("dry_run", dryRun);
  }

  /** Returns what changes, in the words that confirm it; empty if nothing does. */
  private static String confirm(JsonObject answer, String status) {
    long changed = answer.whole("changed").orElse(0L);
    return changed == 0
        ? ""
        : VERBS.get(status) + " " + Formats.count(changed, "passport", "passports");
  }

  private static String skipped(JsonObject answer) {
    Map<String, Long> skipped =
        answer.objects("passports").stream()
            .flatMap(item -> item.string("skipped").stream())
            .collect(Collectors.groupingBy(why -> why, Collectors.counting()));
    String not =
        Stream.of("unchanged", "impossible_status", "not_found")
            .filter(skipped::containsKey)
            .map(why -> Formats.count(skipped.getOrDefault(why, 0L)) + " " + why(why))
            .collect(Collectors.joining(", "));
    return not.isEmpty() ? "." : "; skipped: " + not + ".";
  }

  private static String why(String code) {
    return switch (code) {
      case "unchanged" -> "has this status already";
      case "impossible_status" -> "cannot get this status";
      case "not_found" -> "not found";
      default -> "";
    };
  }

  private static List<Row> rows(JsonObject answer) {
    return answer.objects("passports").stream()
        .map(item ->
            new Row(
                "/console/passports/" + Formats.url(item.text("agent_id")),
                item.text("agent_id"),
                item.text("name"),
                item.text("org_id"),
                item.text("previous_status"),
                item.text("status"),
                item.string("skipped").map(BulkStatusPage::why).orElse("")))
        .toList();
  }
}
