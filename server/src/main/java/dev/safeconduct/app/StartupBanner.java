package dev.safeconduct.app;

import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Optional;

/**
 * The text that a start prints. Secrets are shown once: on a terminal, or else in a file that only
 * its owner may read.
 */
public final class StartupBanner {
  private StartupBanner() {}

  public static void show(
      ServerConfig config, FirstRun.Result firstRun, boolean terminal, PrintStream out) {
    var file = new FirstRunFile(config.storage().dataDir());
    var shown = new ArrayList<String>();
    firstRun.made().ifPresent(_ -> shown.add("the organization and its API key"));
    firstRun.newAdminToken().ifPresent(_ -> shown.add("the admin token"));
    firstRun.ownerLink().ifPresent(_ -> shown.add("the link to set the owner's password"));
    Optional<String> kept = file.text();
    if (kept.isPresent() && shown.isEmpty()) {
      out.println(
          file.path() + " is from an earlier start. Store the secrets in it, then delete it.");
    } else if (kept.isPresent() && terminal) {
      out.println(kept.get());
      file.remove();
    } else if (kept.isPresent()) {
      out.println("Read " + file.path() + " once; it contains " + String.join(", ", shown) + ".");
    }
    if (config.notifications().mail().smtp().isEmpty()) {
      out.println("No SMTP_URL is set: emails are written to " + MailModule.outbox(config));
    }
    URI listening = config.http().listenAddress();
    if (!listening.equals(config.http().baseUrl())) {
      out.println("The public address is " + config.http().baseUrl() + " (BASE_URL)");
    }
    out.println("Safeconduct answers on " + listening);
    out.flush();
  }

  /** Returns the secrets of a first start, which are shown once. */
  static String secrets(String baseUrl, Optional<FirstRun.Made> made, Optional<String> adminToken) {
    StringBuilder text = new StringBuilder("\nShown only once. Store these:\n");
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

  /** Returns the link by which the owner sets a password. */
  static String link(String link) {
    return "\n  Set the owner's password: " + link + "\n  (works once, for three days)\n";
  }

  private static String firstRequest(String baseUrl, String key) {
    return """

    Request a first decision from another terminal:

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
