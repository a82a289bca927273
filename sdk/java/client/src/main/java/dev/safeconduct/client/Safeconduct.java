package dev.safeconduct.client;

import java.security.Provider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client of one Safeconduct service. Threads can share it.
 *
 * <p>Every fault denies: if the service cannot be reached within the time-out, or its answer is not
 * valid, {@link #check} returns a deny with the reason {@code client.unavailable}, and {@link
 * #guard} does not run the action. No option changes that.
 */
public final class Safeconduct implements AutoCloseable {
  private static final long KEY_RENEWAL_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int MAX_STORED = 10_000;
  private static final int MAX_BATCH = 100;

  private final Transport transport;
  private final @Nullable String agentId;
  private final Duration timeout;
  private final Duration pollInterval;
  private final @Nullable Boolean requireSignature;
  private final boolean isPinned;
  private final @Nullable Provider signatures;
  private final Consumer<String> onUnavailable;
  private final Map<String, Set<String>> declared;
  private final Map<String, Stored> stored = new ConcurrentHashMap<>();
  private final @Nullable Revocations revocations;
  private @Nullable KeySet keys;
  private long renewedAt = System.nanoTime() - KEY_RENEWAL_NANOS;

  private record Stored(Decision decision, long until) {}

  Safeconduct(SafeconductBuilder builder) {
    String address = orEnvironment(builder.baseUrl, "SAFECONDUCT_URL");
    if (address == null) {
      throw new IllegalArgumentException("baseUrl is missing; give it, or set SAFECONDUCT_URL");
    }
    transport =
        new Transport(address, orEnvironment(builder.apiKey, "SAFECONDUCT_API_KEY"), builder.tls);
    agentId = orEnvironment(builder.agentId, "SAFECONDUCT_AGENT_ID");
    timeout = builder.timeout;
    pollInterval = builder.pollInterval;
    requireSignature = builder.requireSignature;
    signatures = builder.signatures;
    isPinned = builder.keys != null;
    keys = builder.keys == null ? null : builder.keys.with(signatures);
    onUnavailable = builder.onUnavailable;
    declared = builder.minimalContext ? Declared.members() : Map.of();
    revocations = builder.cache ? new Revocations(transport, stored::clear) : null;
  }

  /** Returns a builder whose defaults come from the environment. */
  public static SafeconductBuilder builder() {
    return new SafeconductBuilder();
  }

  /** Asks whether an action is allowed, and returns the decision. */
  public Decision check(Action action) {
    return check(action, CheckOptions.none());
  }

  /**
   * Asks whether an action is allowed, and returns the decision.
   *
   * @throws IllegalArgumentException if the action is not complete; everything else that goes wrong
   *     is a deny
   */
  public Decision check(Action action, CheckOptions options) {
    Action question = complete(action);
    // A context without a canonical form is a wrong argument.
    String digest = Canonical.digest(question.context());
    Map<String, Object> body = Question.body(question, options);
    String name = isStorable(options) ? Question.name(question, body) : null;
    long started = System.nanoTime();
    Stored known = name == null ? null : stored.get(name);
    if (known != null
        && revocations != null
        && revocations.isLive()
        && started - known.until() < 0) {
      return known.decision().asCached();
    }
    long epoch = revocations == null ? 0 : revocations.epoch();
    var headers = new HashMap<String, String>();
    headers.put(
        "Idempotency-Key",
        Objects.requireNonNullElseGet(options.idempotencyKey(), Safeconduct::newKey));
    putIfPresent(headers, "X-Request-Id", options.requestId());
    putIfPresent(headers, "traceparent", options.traceparent());
    try {
      byte[] sent = Json.write(body);
      Transport.Answer answer =
          transport.send(
              "POST", Question.verifyPath(question, options), sent, headers, timeout, true);
      Decision decision = read(question, digest, options, answer.status(), answer.body());
      boolean isReplayed =
          answer.headers().firstValue("Idempotent-Replayed").orElse("").equals("true");
      if (name != null && decision.allow() && decision.expiresIn() > 0 && !isReplayed) {
        store(name, decision, started, epoch);
      }
      return decision;
    } catch (ServiceUnavailableException e) {
      return deny(e);
    }
  }

  /**
   * Asks for up to 100 actions at once, and returns the decisions in their order. What the first
   * action uses up of a limit is gone for the next.
   */
  public List<Decision> checkBatch(List<Action> actions) {
    if (actions.isEmpty() || actions.size() > MAX_BATCH) {
      throw new IllegalArgumentException("actions must be 1 to 100 actions");
    }
    List<Action> questions = actions.stream().map(this::complete).toList();
    List<String> digests =
        questions.stream().map(question -> Canonical.digest(question.context())).toList();
    var evaluations = new ArrayList<Map<String, Object>>();
    for (Action question : questions) {
      Map<String, Object> body = Question.body(question, CheckOptions.none());
      body.put("policy_id", question.policy());
      body.put("idempotency_key", newKey());
      evaluations.add(body);
    }
    try {
      byte[] sent = Json.write(Map.of("evaluations", evaluations));
      Transport.Answer answer =
          transport.send("POST", "/api/verify/batch", sent, Map.of(), timeout, true);
      if (answer.status() != 200) {
        throw ApiException.of(answer.status(), answer.body());
      }
      List<?> answers = Json.list(Json.object(answer.body()), "decisions");
      if (answers.size() != questions.size()) {
        throw new InvalidAnswer("decisions does not answer every action");
      }
      var decisions = new ArrayList<Decision>();
      for (int i = 0; i < answers.size(); i++) {
        decisions.add(
            read(questions.get(i), digests.get(i), CheckOptions.none(), 200, answers.get(i)));
      }
      return decisions;
    } catch (SafeconductException | InvalidAnswer e) {
      Decision denied = deny(e);
      return questions.stream().map(question -> denied).toList();
    }
  }

  /** Runs the callable and returns its result if the action is allowed. */
  public <T extends @Nullable Object> T guard(Action action, Callable<T> callable)
      throws Exception {
    return guard(action, CheckOptions.none(), callable);
  }

  /**
   * Runs the callable and returns its result if the action is allowed. With a reservation, the
   * charge is committed when the callable returned, and released when it threw.
   *
   * @throws ActionDeniedException if the action is denied; the callable did not run
   * @throws Exception what the callable throws
   */
  public <T extends @Nullable Object> T guard(
      Action action, CheckOptions options, Callable<T> callable) throws Exception {
    Decision decision = check(action, options);
    if (options.waitForApproval().compareTo(Duration.ZERO) > 0 && decision.isApprovalRequired()) {
      decision = waitForApproval(decision, action, options);
    }
    refuseUnlessAllowed(decision, options);
    String reservation = decision.reservationId();
    if (reservation == null) {
      return callable.call();
    }
    T result;
    try {
      result = callable.call();
    } catch (Throwable e) {
      settleQuietly(() -> release(reservation));
      throw e;
    }
    // A reservation that is not committed counts as committed when it expires.
    settleQuietly(() -> commit(reservation));
    return result;
  }

  /**
   * Asks again until a person answered, at most as long as the options say.
   *
   * @param decision the deny whose approval waits
   * @param options those of its {@link #check}, with {@link CheckOptions#waitForApproval}
   */
  public Decision waitForApproval(Decision decision, Action action, CheckOptions options) {
    long deadline = System.nanoTime() + options.waitForApproval().toNanos();
    Decision last = decision;
    String key = newKey(); // the same after a lost answer, to get the decision that was made
    while (last.isApprovalRequired() && System.nanoTime() - deadline < 0) {
      double left = (deadline - System.nanoTime()) / 1e9;
      try {
        Transport.pause(Math.max(Math.min(pollInterval.toNanos() / 1e9, left), 0));
      } catch (ServiceUnavailableException e) {
        return last;
      }
      String approvalId = Objects.requireNonNull(last.approval()).approvalId();
      Decision asked = check(action, options.withApprovalId(approvalId).withIdempotencyKey(key));
      if (!asked.reason().code().equals(Decision.UNAVAILABLE)) {
        last = asked;
        key = newKey();
      }
    }
    return last;
  }

  /** Says that a reserved action was done. Needs the scope {@code update}. */
  public Map<String, @Nullable Object> commit(String reservationId) {
    return request("POST", "/api/usage/" + Transport.segment(reservationId) + "/commit", null);
  }

  /** Says that a reserved action was not done; its charge is given back. */
  public Map<String, @Nullable Object> release(String reservationId) {
    return request("POST", "/api/usage/" + Transport.segment(reservationId) + "/release", null);
  }

  /** Asks for a decision token; null if the action gets none. */
  public @Nullable String token(Action action) {
    Action question = complete(action);
    // A context without a canonical form is a wrong argument.
    Canonical.of(question.context());
    return Json.optionalText(
        request(
            "POST",
            "/api/verify/token/" + Transport.segment(question.policy()),
            Question.body(question, CheckOptions.none())),
        "token");
  }

  /**
   * Returns the claims of a decision token if it allows this action, as {@link
   * Verification#verifyToken}, with the service's current keys.
   *
   * @throws ServiceUnavailableException if the key set cannot be read
   */
  public Optional<Map<String, @Nullable Object>> verifyToken(
      String token, Verification.TokenExpectation expected) {
    KeySet known = keys();
    Optional<Map<String, @Nullable Object>> claims =
        known == null ? Optional.empty() : Verification.verifyToken(token, known, expected);
    // The token can be signed with a key that is newer than the set.
    if (claims.isEmpty() && mayRenewKeys()) {
      known = fetchKeys();
      claims = known == null ? claims : Verification.verifyToken(token, known, expected);
    }
    return claims;
  }

  /** Reads a passport. */
  public Map<String, @Nullable Object> passport(String id) {
    return request("GET", "/api/passports/" + Transport.segment(id), null);
  }

  /** Issues a passport for an agent of your organization. Needs the scope {@code issue}. */
  public Map<String, @Nullable Object> issue(Map<String, ?> passport) {
    return request("POST", "/api/passports", passport);
  }

  /**
   * Changes a passport's status, for example to {@code suspended}. Needs the scope {@code status}.
   */
  public Map<String, @Nullable Object> setStatus(
      String id, String status, @Nullable String reason) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("status", status);
    if (reason != null) {
      body.put("reason", reason);
    }
    return request("PUT", "/api/passports/" + Transport.segment(id) + "/status", body);
  }

  /**
   * Calls any other operation of the API.
   *
   * @throws ApiException if the service refuses the request
   * @throws ServiceUnavailableException if there is no valid answer
   */
  public Map<String, @Nullable Object> request(
      String method, String path, @Nullable Map<String, ?> body) {
    byte[] sent = body == null ? null : Json.write(body);
    Transport.Answer answer =
        transport.send(method, path, sent, Map.of(), timeout, method.equals("GET"));
    if (answer.status() < 200 || answer.status() > 299) {
      throw ApiException.of(answer.status(), answer.body());
    }
    try {
      return Json.object(answer.body());
    } catch (InvalidAnswer e) {
      throw new ServiceUnavailableException(
          "The answer of Safeconduct is not an object.", answer.status());
    }
  }

  /** Ends the stream of revocations. */
  @Override
  public void close() {
    if (revocations != null) {
      revocations.close();
    }
  }

  boolean isFollowing() {
    return revocations != null && revocations.isLive();
  }

  long drops() {
    return revocations == null ? 0 : revocations.epoch();
  }

  private Decision read(
      Action question, String digest, CheckOptions options, int status, @Nullable Object answer) {
    try {
      if (status != 200
          || (answer instanceof Map<?, ?> members
              && members.containsKey("error")
              && !members.containsKey("decision"))) {
        throw ApiException.of(status, answer);
      }
      Decision decision = Decision.read(answer);
      if (!Question.answers(decision.raw(), question, digest, options)) {
        throw new InvalidAnswer("it answers another question");
      }
      return decision.withVerified(isChecked(decision));
    } catch (SafeconductException | IllegalArgumentException e) {
      return deny(e);
    }
  }

  /** Returns whether the signature was checked. */
  private boolean isChecked(Decision decision) throws InvalidAnswer {
    if (Boolean.FALSE.equals(requireSignature)) {
      return false;
    }
    KeySet known = keys();
    if (known == null) {
      if (requireSignature != null) {
        throw new InvalidAnswer("the service publishes no key set to check it with");
      }
      return false;
    }
    if (!known.has(decision.raw().get("kid")) && mayRenewKeys()) {
      known = fetchKeys();
    }
    if (known == null || !Verification.verifyDecision(decision, known)) {
      throw new InvalidAnswer("its signature is not valid");
    }
    return true;
  }

  /** Returns the service's key set; null if it publishes none. */
  public @Nullable KeySet keys() {
    synchronized (this) {
      if (keys != null) {
        return keys;
      }
    }
    return fetchKeys();
  }

  private synchronized boolean mayRenewKeys() {
    if (isPinned || System.nanoTime() - renewedAt < KEY_RENEWAL_NANOS) {
      return false;
    }
    renewedAt = System.nanoTime();
    return true;
  }

  private @Nullable KeySet fetchKeys() {
    Transport.Answer answer = transport.send("GET", "/jwks.json", null, Map.of(), timeout, true);
    synchronized (this) {
      if (answer.status() == 200) {
        keys = KeySet.of(answer.body()).with(signatures);
      } else if (answer.status() != 404
          || !(answer.body() instanceof Map<?, ?> body && "not_found".equals(body.get("code")))) {
        throw new ServiceUnavailableException(
            "The key set cannot be read (status " + answer.status() + ").", answer.status());
      }
      return keys;
    }
  }

  private Decision deny(RuntimeException fault) {
    Decision denied;
    if (fault instanceof ApiException e) {
      denied = Decision.unavailable(String.valueOf(e.getMessage()), e.status(), e.code());
    } else if (fault instanceof ServiceUnavailableException e) {
      denied = Decision.unavailable(String.valueOf(e.getMessage()), e.status(), null);
    } else {
      String message = "The answer of Safeconduct is not valid: " + fault.getMessage();
      denied = Decision.unavailable(message, null, null);
    }
    report(denied.reason().message());
    return denied;
  }

  @SuppressWarnings("EmptyCatch") // a fault of the callback must not hide the deny
  private void report(String message) {
    try {
      onUnavailable.accept(message);
    } catch (RuntimeException e) {
    }
  }

  private static void refuseUnlessAllowed(Decision decision, CheckOptions options) {
    if (!decision.allow()) {
      throw new ActionDeniedException(decision);
    }
    if (options.dryRun()) {
      throw new ActionDeniedException(
          Decision.unavailable("A dry run allows nothing.", null, null));
    }
    if (options.reserve() && decision.reservationId() == null) {
      throw new ActionDeniedException(
          Decision.unavailable("The allow has no reservation.", null, null));
    }
  }

  private void settleQuietly(Runnable settle) {
    // An interrupt that ended the action must not keep its charge.
    boolean isInterrupted = Thread.interrupted();
    try {
      settle.run();
    } catch (SafeconductException | IllegalArgumentException e) {
      report(String.valueOf(e.getMessage()));
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Action complete(Action action) {
    String agent = action.agentId() == null ? agentId : action.agentId();
    if (agent == null && !action.context().containsKey("agent_id")) {
      throw new IllegalArgumentException(
          "agentId is missing; give it, or set SAFECONDUCT_AGENT_ID");
    }
    Set<String> members = declared.get(action.policy());
    Map<String, Object> context = new LinkedHashMap<>(action.context());
    if (members != null) {
      context.keySet().retainAll(members);
    }
    return new Action(agent, action.policy(), context);
  }

  private boolean isStorable(CheckOptions options) {
    return revocations != null
        && !options.reserve()
        && !options.dryRun()
        && options.approvalId() == null;
  }

  private synchronized void store(String name, Decision decision, long started, long epoch) {
    // A revocation that came while the service answered may concern this very allow.
    if (revocations == null || !revocations.isLive() || revocations.epoch() != epoch) {
      return;
    }
    if (stored.size() >= MAX_STORED) {
      stored.clear();
    }
    stored.put(
        name, new Stored(decision, started + Duration.ofSeconds(decision.expiresIn()).toNanos()));
    if (revocations.epoch() != epoch) {
      stored.remove(name);
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static void putIfPresent(Map<String, String> to, String name, @Nullable String value) {
    if (value != null) {
      to.put(name, value);
    }
  }

  private static @Nullable String orEnvironment(@Nullable String value, String name) {
    String found = value == null ? System.getenv(name) : value;
    return found == null || found.isEmpty() ? null : found;
  }
}
