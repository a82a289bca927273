package dev.safeconduct.access;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Members;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A request for an API key.
 *
 * @param name 1 to 100 characters, for people
 * @param scopes at least one
 * @param boundTo the only passport that the key may access
 * @param sources the client addresses from which it is accepted
 */
public record KeyRequest(
    String name,
    Set<Scope> scopes,
    Optional<AgentId> boundTo,
    Optional<Instant> expiresAt,
    AllowedSources sources) {
  static final int MAX_NAME = 100;
  private static final int MAX_SCOPE = 64;
  private static final Set<String> MEMBERS =
      Set.of("name", "scopes", "agent_id", "expires_at", AllowedSources.MEMBER);

  public KeyRequest {
    scopes = Set.copyOf(scopes);
  }

  /** Creates a request for a key that may be used from any address. */
  public KeyRequest(
      String name, Set<Scope> scopes, Optional<AgentId> boundTo, Optional<Instant> expiresAt) {
    this(name, scopes, boundTo, expiresAt, AllowedSources.ANY);
  }

  /**
   * Parses a request body for a key; an unknown member is an error, as it may be a dangerous typo.
   */
  static KeyRequest parse(Members body) {
    body.only(MEMBERS);
    Optional<AgentId> agent =
        body.text("agent_id")
            .map(text ->
                AgentId.hosted(text)
                    .orElseThrow(() -> body.fault("agent_id", "agent_id is not an agent's id.")));
    return new KeyRequest(
        body.requiredLine("name", MAX_NAME),
        scopes(body).orElseThrow(() -> body.missing("scopes")),
        agent,
        body.instant("expires_at"),
        AllowedSources.of(body).orElse(AllowedSources.ANY));
  }

  /** Parses a request body for a setup key, where the name and the scopes are optional. */
  public static KeyRequest parseSetupKey(Members body, AgentId agent) {
    body.only(Set.of("name", "scopes", "expires_at", AllowedSources.MEMBER));
    return new KeyRequest(
        body.line("name", MAX_NAME).orElse("Setup key"),
        scopes(body).orElse(Set.of(Scope.READ)),
        Optional.of(agent),
        body.instant("expires_at"),
        AllowedSources.of(body).orElse(AllowedSources.ANY));
  }

  static Optional<Set<Scope>> scopes(Members body) {
    return body.lines("scopes", 64, MAX_SCOPE)
        .map(_ -> named(body, body.object().array("scopes").orElseThrow().strings().toList()));
  }

  /** Parses the names as sent: a name with surrounding blanks is not a valid scope. */
  private static Set<Scope> named(Members body, List<String> names) {
    if (names.isEmpty()) {
      throw body.fault("scopes", "scopes must name at least one scope.");
    }
    Set<Scope> scopes = new LinkedHashSet<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      String at = "scopes[" + i + "]";
      scopes.add(Scope.parse(name).orElseThrow(() -> unknown(name, at).toException()));
    }
    return scopes;
  }

  private static Problem unknown(String name, String at) {
    String shown = name.length() <= MAX_SCOPE ? name : name.strip();
    List<String> known = Stream.of(Scope.values()).map(Scope::wire).toList();
    return new Problem.InvalidScope(
        "There is no scope \"" + shown + "\"; there are " + String.join(", ", known) + ".",
        shown,
        at);
  }
}
