package dev.safeconduct.cli;

import dev.safeconduct.audit.Witness;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Lazy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has witnesses cosign the log's checkpoint (C2SP tlog-witness), and stores what they signed. */
@Command(
    name = "witness",
    description = {
      "Send the log's checkpoint to the witnesses of AUDIT_WITNESSES that have an address, and store"
          + " their cosignatures in the running service. Run it from a timer, for example hourly.",
      "Exit status: 0 every witness cosigned, 1 a witness or the service refused, 2 usage error or"
          + " something cannot be reached."
    })
final class WitnessCommand implements Callable<Integer> {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** A witness may have seen another checkpoint between two calls. */
  private static final int ATTEMPTS = 3;

  private static final int CONFLICT = 409;

  @Option(
      names = "--witness",
      paramLabel = "KEY URL",
      description =
          "A witness instead of those of AUDIT_WITNESSES: \"name+hash+key URL\". Repeatable.")
  private List<String> chosen = new ArrayList<>();

  /** Help makes every command, and a client takes longer than all else of it. */
  private final Lazy<HttpClient> client =
      new Lazy<>(() -> HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build());

  @Mixin private RemoteOptions options = new RemoteOptions();

  @Override
  public Integer call() {
    return options.call(this::cosign);
  }

  private void cosign(RemoteClient remote) throws RemoteException {
    List<Witness> witnesses = witnesses();
    var faults = new ArrayList<RemoteException>();
    for (Witness witness : witnesses) {
      try {
        cosign(remote, witness);
      } catch (RemoteException e) {
        faults.add(e);
        options.print(
            "FAULT "
                + witness.key().name()
                + ": "
                + TextTable.plain(String.valueOf(e.getMessage())));
      }
    }
    if (!faults.isEmpty()) {
      String all = faults.size() + " of " + witnesses.size() + " witnesses did not cosign.";
      // A refusal may mean that the witness has seen another log, so it is not hidden by an outage.
      boolean refused =
          faults.stream().anyMatch(fault -> fault.exitStatus() != RemoteException.UNREACHABLE);
      throw refused ? RemoteException.refused(all) : RemoteException.unreachable(all);
    }
  }

  private List<Witness> witnesses() throws RemoteException {
    var found = new ArrayList<Witness>();
    try {
      for (String text : chosen.isEmpty() ? Env.ofProcess().list("AUDIT_WITNESSES") : chosen) {
        found.add(
            Witness.parse(text)
                .orElseThrow(
                    () -> RemoteException.unreachable(text + " is not " + Witness.FORM + ".")));
      }
    } catch (ConfigFault e) {
      throw RemoteException.unreachable(String.valueOf(e.getMessage()));
    }
    found.removeIf(witness -> witness.address().isEmpty());
    if (found.isEmpty()) {
      throw RemoteException.unreachable(
          "No witness has an address: write it behind the key in AUDIT_WITNESSES, or pass --witness.");
    }
    return found;
  }

  /**
   * Has one witness cosign. The first attempt names no older size; the witness then says which one
   * it has (409), and the next attempt proves that the log extends that.
   */
  private void cosign(RemoteClient remote, Witness witness) throws RemoteException {
    long old = 0;
    for (int attempt = 1; ; attempt++) {
      JsonObject proof = remote.get("/api/audit/consistency?from=" + Math.max(1, old));
      long size = proof.whole("to").orElse(-1L);
      String note = proof.text("checkpoint");
      if (size < 0 || note.isEmpty()) {
        throw RemoteException.unreachable("the service's answer is not a consistency proof");
      }
      HttpResponse<String> answer =
          send(
              witness.address().orElseThrow(),
              "old " + old + "\n" + path(proof, old) + "\n" + note);
      if (answer.statusCode() == CONFLICT && attempt < ATTEMPTS) {
        old = known(answer, old, size);
        continue;
      }
      if (answer.statusCode() != 200) {
        throw RemoteException.refused(refusal(answer, old));
      }
      remote.post("/api/audit/log/cosignatures", JsonObject.of("checkpoint", note + answer.body()));
      options.print(witness.key().name() + " cosigned the checkpoint of " + size + " records");
      return;
    }
  }

  /** Returns the size that the witness has cosigned last. */
  private static long known(HttpResponse<String> answer, long old, long size)
      throws RemoteException {
    String text = answer.body().strip();
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) == old) {
      throw RemoteException.refused(refusal(answer, old));
    }
    long known = Long.parseLong(text);
    if (known > size) {
      throw RemoteException.refused(
          "it has seen a log of "
              + known
              + " records under this name, and this log has "
              + size
              + ": records were removed, or this is another database");
    }
    return known;
  }

  private static String refusal(HttpResponse<String> answer, long old) {
    String why =
        switch (answer.statusCode()) {
          case 400 -> "it does not understand the request";
          case 403 -> "it does not know the log's key: give it the log's verifier key";
          case 404 -> "it does not know a log of this name: register the log there";
          case CONFLICT -> "it has seen another log of " + old + " records under this name";
          case 422 -> "the log does not extend the one of " + old + " records that it has seen";
          default -> "it did not cosign";
        };
    String body = answer.body().strip();
    return why
        + " ("
        + answer.statusCode()
        + ", "
        + body.substring(0, Math.min(200, body.length()))
        + ")";
  }

  /** Returns the hashes of the consistency proof, one a line; none from an empty log. */
  private static String path(JsonObject proof, long old) throws RemoteException {
    var lines = new StringBuilder();
    for (JsonValue hash : proof.list("consistency_path")) {
      if (!(hash instanceof JsonString(String hex)) || !hex.matches("[0-9a-f]{64}")) {
        throw RemoteException.unreachable(
            "the service's consistency proof cannot be read: " + hash);
      }
      if (old > 0) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        lines.append(Base64.getEncoder().encodeToString(bytes)).append('\n');
      }
    }
    return lines.toString();
  }

  private HttpResponse<String> send(URI address, String body) throws RemoteException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + "/add-checkpoint"))
            .timeout(ANSWER)
            .POST(BodyPublishers.ofString(body, StandardCharsets.UTF_8))
            .build();
    try {
      return client.get().send(request, BodyHandlers.limiting(BodyHandlers.ofString(), 64 * 1024));
    } catch (IOException | IllegalArgumentException e) { // such as a port above 65535
      throw RemoteException.unreachable("no answer from " + address + " (" + e + ")");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw RemoteException.unreachable("Interrupted while waiting for " + address + ".");
    }
  }
}
