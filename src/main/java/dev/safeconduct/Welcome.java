package dev.safeconduct;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;

/**
 * What the start tells its human. Secrets are shown once: on a terminal, or where there is none in
 * a file only its owner may read.
 */
final class Welcome {
  private Welcome() {}

  static void show(
      String baseUrl,
      FirstRunFile file,
      Optional<FirstRun.Made> made,
      Optional<String> adminToken,
      Optional<FirstRun.Owner> owner,
      Optional<Path> outbox,
      boolean terminal,
      PrintStream out) {
    var shown = new ArrayList<String>();
    made.ifPresent(_ -> shown.add("the organization and its API key"));
    adminToken.ifPresent(_ -> shown.add("the admin token"));
    owner.ifPresent(_ -> shown.add("your own link"));
    Optional<String> kept = file.text();
    if (kept.isPresent() && shown.isEmpty()) {
      out.println(
          file.path() + " is from an earlier start: read it once, keep what it says, delete it.");
    } else if (kept.isPresent() && terminal) {
      out.println(kept.get());
      file.remove();
    } else if (kept.isPresent()) {
      out.println("First start, shown once in " + file.path() + ": " + String.join(", ", shown));
    }
    outbox.ifPresent(
        folder -> out.println("No SMTP_URL is set: letters to people are files in " + folder));
    out.println("Safeconduct answers on " + baseUrl);
    out.flush();
  }

  /** What is shown once of what a start makes first. */
  static String secrets(String baseUrl, Optional<FirstRun.Made> made, Optional<String> adminToken) {
    StringBuilder text = new StringBuilder("\nShown once; keep these:\n");
    made.ifPresent(first ->
        text.append("  organization  ")
            .append(first.organization().id())
            .append("\n  API key       ")
            .append(first.key().text())
            .append("   (all scopes)\n"));
    adminToken.ifPresent(token -> text.append("  admin token   ").append(token).append('\n'));
    made.ifPresent(first -> text.append(firstRequest(baseUrl, first.key().text())).append('\n'));
    return text.toString();
  }

  /** The link by which the owner sets a password. */
  static String link(FirstRun.Owner owner) {
    return "  your password " + owner.link() + "\n                (works once, for three days)\n";
  }

  private static String firstRequest(String baseUrl, String key) {
    return """

    Paste this for a first decision (a passport in the request, nothing stored but the decision):

      export SAFECONDUCT_KEY=%s
      curl -s %s/api/verify/policy/system.command.execute.v1 \\
        -H "X-API-Key: $SAFECONDUCT_KEY" -H 'Content-Type: application/json' -d '{
          "passport": {"agent_id": "ap_first", "status": "active",
            "capabilities": [{"id": "system.command.execute"}],
            "limits": {"system.command.execute": {"allowed_commands": ["git"]}}},
          "context": {"command": "git status"}}'
    """
        .formatted(key, baseUrl);
  }
}
