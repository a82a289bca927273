package dev.safeconduct;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * What the start tells its human. Secrets are shown once: on a terminal, or where there is none in
 * a file only its owner may read.
 */
final class Welcome {
  private Welcome() {}

  static void show(
      String baseUrl,
      Path dataDir,
      Optional<FirstRun.Made> made,
      Optional<String> adminToken,
      Optional<FirstRun.Owner> owner,
      boolean mailLeaves,
      boolean terminal,
      PrintStream out)
      throws IOException {
    if (made.isPresent() || adminToken.isPresent() || owner.isPresent()) {
      String secrets = secrets(baseUrl, made, adminToken, owner);
      if (terminal) {
        out.println(secrets);
      } else {
        Path file = dataDir.resolve("first-run.txt");
        write(file, secrets);
        out.println(
            "First start: the organization, its API key, the admin token and your own link are in "
                + file);
      }
    }
    if (!mailLeaves) {
      out.println(
          "No SMTP_URL is set: letters to people are files in " + dataDir.resolve("outbox"));
    }
    out.println("Safeconduct answers on " + baseUrl);
    out.flush();
  }

  private static String secrets(
      String baseUrl,
      Optional<FirstRun.Made> made,
      Optional<String> adminToken,
      Optional<FirstRun.Owner> owner) {
    StringBuilder text = new StringBuilder("\nShown once; keep these:\n");
    made.ifPresent(first ->
        text.append("  organization  ")
            .append(first.organization().id())
            .append("\n  API key       ")
            .append(first.key().text())
            .append("   (all scopes)\n"));
    adminToken.ifPresent(token -> text.append("  admin token   ").append(token).append('\n'));
    owner.ifPresent(you ->
        text.append("  your password ")
            .append(you.link())
            .append("\n                (works once, for three days)\n"));
    made.ifPresent(first -> text.append(firstRequest(baseUrl, first.key().text())));
    return text.toString();
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

  private static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }
  }
}
