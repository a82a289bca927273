package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Finds pages, agents, policies and decisions by a text. A dialog on every page uses it. */
public final class SearchPage {
  private static final int SHOWN = 8;
  private static final Pattern RECORD = Pattern.compile("[0-9a-f-]{36}");

  private final KnownPacks packs;

  SearchPage(KnownPacks packs) {
    this.packs = packs;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page("/console/search", this::show));
  }

  /** The page; {@code console/search.jte}. */
  public record Search(Layout shell, Found found) {}

  /** The results; {@code console/found.jte}, which a script swaps in at each keystroke. */
  public record Found(String text, List<Hit> hits) {}

  /** Something that was found. */
  public record Hit(String kind, String path, String name, String detail) {}

  private Response show(OpenPage page) {
    String text = Formats.clip(page.query("q").orElse(""), 128);
    String part = text.toLowerCase(Locale.ROOT);
    var found = new Found(text, part.isEmpty() ? List.of() : hits(page, text, part));
    return page.request().header("HX-Request").isPresent()
        ? page.part("console/found.jte", found)
        : page.show("console/search.jte", "Search", shell -> new Search(shell, found));
  }

  private List<Hit> hits(OpenPage page, String text, String part) {
    var hits = new ArrayList<Hit>();
    if (RECORD.matcher(part).matches() && page.may("GET", "/api/audit")) {
      page.find("/api/audit/" + part)
          .ifPresent(
              _ -> hits.add(new Hit("Decision", "/console/decisions/" + part, "Decision", part)));
    }
    Sections.of(page).stream()
        .flatMap(section -> section.links().stream())
        .filter(link -> link.name().toLowerCase(Locale.ROOT).contains(part))
        .forEach(link -> hits.add(new Hit("Page", link.path(), link.name(), "")));
    String passports = "/api/passports?limit=" + SHOWN + "&q=" + Formats.url(text);
    for (JsonObject passport : page.list(passports, "passports")) {
      String id = passport.text("agent_id");
      hits.add(
          new Hit(
              "Agent",
              "/console/passports/" + Formats.url(id),
              Formats.clip(passport.text("name"), 60),
              passport.text("status") + ", " + Formats.id(id)));
    }
    packs
        .all(page.org())
        .filter(pack -> (pack.name() + " " + pack.id()).toLowerCase(Locale.ROOT).contains(part))
        .limit(SHOWN)
        .forEach(pack ->
            hits.add(
                new Hit(
                    "Policy",
                    "/console/policies/" + Formats.url(pack.id().value()),
                    pack.name(),
                    pack.id().value())));
    if (page.may("GET", "/api/audit")) {
      Arrays.stream(ReasonCode.values())
          .filter(
              code -> (code.message() + " " + code.wire()).toLowerCase(Locale.ROOT).contains(part))
          .limit(SHOWN / 2)
          .forEach(code ->
              hits.add(
                  new Hit(
                      "Decisions",
                      "/console/decisions?code=" + Formats.url(code.wire()),
                      code.message(),
                      code.wire())));
      hits.add(
          new Hit(
              "Decisions",
              "/console/decisions?q=" + Formats.url(text),
              "Decisions that contain “" + text + "”",
              ""));
    }
    return hits;
  }
}
