package dev.safeconduct.passport;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonObject;
import java.net.URI;
import java.util.Optional;

/** Decentralized identifiers of the service and its agents (DID method {@code web}). */
public final class Did {
  private static final String NAME = "did";

  private Did() {}

  /** Returns the service's DID: host and port, then the path's segments, separated by colons. */
  public static String of(URI baseUrl) {
    String port = baseUrl.getPort() < 0 ? "" : "%3A" + baseUrl.getPort();
    return "did:web:" + baseUrl.getHost() + port + baseUrl.getPath().replace('/', ':');
  }

  /** Returns the DID whose document the service publishes for the agent. */
  public static String ofAgent(URI baseUrl, String agentId) {
    return of(baseUrl) + ":api:agents:" + agentId;
  }

  /**
   * Checks a DID that is new in a document: the service signs it as the agent's, so only an
   * operator may set one that is not the service's own for this passport.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming {@code did}
   */
  public static void demandOwn(Caller caller, JsonObject before, JsonObject after) {
    Optional<String> did = after.string(NAME);
    if (did.isEmpty() || did.equals(before.string(NAME)) || caller instanceof Caller.Admin) {
      return;
    }
    String own =
        ofAgent(
            URI.create(after.string("issuer").orElseThrow()),
            after.string("agent_id").orElseThrow());
    if (!did.get().equals(own)) {
      throw ProblemException.invalid(
          NAME, "did must be " + own + ", or be left out; only an operator sets another one.");
    }
  }
}
