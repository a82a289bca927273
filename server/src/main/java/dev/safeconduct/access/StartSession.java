package dev.safeconduct.access;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Starts, refreshes and ends sessions of people whose identity has been verified. */
public final class StartSession {
  public static final Duration LIFE = Duration.ofDays(14);

  /** How long a session lasts that began at an identity provider. */
  static final Duration PROVIDER_LIFE = Duration.ofHours(12);

  /** Two pages of one browser may refresh at once; the later refresh is then not a theft. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final Sessions sessions;
  private final SessionTokens tokens;
  private final Recorder recorder;
  private final RandomGenerator random;

  /**
   * @param random cryptographically strong
   */
  public StartSession(
      Sessions sessions, SessionTokens tokens, Recorder recorder, RandomGenerator random) {
    this.sessions = sessions;
    this.tokens = tokens;
    this.recorder = recorder;
    this.random = random;
  }

  /**
   * A session as sent to its browser.
   *
   * @param token valid for 15 minutes
   * @param refresh the cookie that is exchanged for the next one; absent when the browser has it
   * @param refreshLife how long the refresh cookie is valid
   * @param csrf the CSRF token a page sends with a change
   */
  public record Started(
      String accountId,
      OrgId org,
      String token,
      Optional<String> refresh,
      Duration refreshLife,
      String csrf) {
    @Override
    public String toString() {
      return "Started[" + accountId + "]";
    }
  }

  /**
   * Starts a session. One that begins at an identity provider is shorter: groups at the provider
   * are read at sign-in.
   */
  public Started run(Origin origin, String accountId, OrgId org, SignInMethod method) {
    Optional<ProviderSession> provider = method.provider();
    Instant now = recorder.now();
    String id = "ses_" + recorder.nextHex();
    Duration life = provider.isPresent() ? PROVIDER_LIFE : LIFE;
    var session =
        new Session(
            id,
            accountId,
            org,
            Optional.empty(),
            false,
            provider.isPresent(),
            now.plus(life),
            Optional.empty());
    String refresh = ManageTokens.secret("scr_", random);
    JsonObject what =
        JsonObject.builder()
            .put("change", "signed_in")
            .put("account_id", accountId)
            .put("session_id", id)
            .put("by", method.name())
            .build();
    sessions.create(
        session,
        KeyHash.of(refresh),
        method,
        now,
        recorder.write(RecordKind.LOGIN, org, now, origin, what));
    return started(session, Optional.of(refresh), life);
  }

  /** Returns the session of a refresh cookie; empty when it has ended. */
  public Optional<Sessions.Refresh> find(String refresh) {
    Instant now = recorder.now();
    return sessions
        .byRefresh(KeyHash.of(refresh))
        .filter(found -> found.session().callerAt(now).isPresent());
  }

  /** Returns the session to sign out of: by the refresh cookie, or else by the session cookie. */
  public Optional<Session> find(Optional<String> refresh, Optional<String> token) {
    Instant now = recorder.now();
    return refresh
        .flatMap(this::find)
        .map(Sessions.Refresh::session)
        .or(() ->
            token
                .flatMap(tokens::sessionId)
                .flatMap(sessions::find)
                .filter(session -> session.callerAt(now).isPresent()));
  }

  /** Returns the session at an identity provider with which the session began. */
  public Optional<ProviderSession> provider(Session session) {
    return sessions.provider(session.id());
  }

  /** Returns the change that ends all sessions that began with a session at the provider. */
  public Mutation<Boolean> endOfProvider(
      Origin origin, String issuer, Optional<String> subject, Optional<String> session) {
    Instant now = recorder.now();
    return connection -> {
      List<Session> ended = Sessions.endOfProvider(connection, issuer, subject, session, now);
      return new MutationResult<>(
          true,
          ended.stream().map(each -> signedOut(origin, each, "provider_logout", now)).toList(),
          ended.stream().map(each -> Change.session(each.id())).toList());
    };
  }

  /** Returns whether the text is the CSRF token of the session. */
  public boolean isCsrf(Session session, String text) {
    return tokens.isCsrf(session.id(), text);
  }

  /**
   * Exchanges the refresh cookie. A cookie that was exchanged before has been copied: the session
   * then ends for both its holders.
   *
   * @param org the organization the person acts in from now on; their membership is checked
   */
  public Optional<Started> refresh(
      Origin origin, Sessions.Refresh found, String refresh, OrgId org) {
    Instant now = recorder.now();
    Session session = found.session();
    if (!found.current()) {
      if (now.isBefore(found.rotatedAt().plus(GRACE))) {
        return Optional.of(started(session, Optional.empty(), LIFE));
      }
      end(origin, session, "refresh_reused");
      return Optional.empty();
    }
    String next = ManageTokens.secret("scr_", random);
    if (!sessions.rotate(session.id(), KeyHash.of(refresh), KeyHash.of(next), org, now)) {
      // Another page refreshed first, after this cookie had been found to be the newest.
      return find(refresh)
          .filter(again -> !again.current())
          .flatMap(again -> refresh(origin, again, refresh, org));
    }
    var moved =
        new Session(
            session.id(),
            session.accountId(),
            org,
            session.role(),
            session.operator(),
            session.byProvider(),
            session.expiresAt(),
            session.endedAt());
    return Optional.of(
        started(moved, Optional.of(next), Duration.between(now, session.expiresAt())));
  }

  /**
   * Ends the session at once on this node, and within a second on the others.
   *
   * @param why the reason, for the record
   */
  public void end(Origin origin, Session session, String why) {
    Instant now = recorder.now();
    sessions.end(session.id(), now, signedOut(origin, session, why, now));
  }

  /** Returns the person's sessions that have not ended. */
  public List<Sessions.Listed> list(String accountId) {
    return sessions.list(accountId, recorder.now());
  }

  /** Ends one of the person's sessions; returns false when they have no such session. */
  public boolean endOwn(Origin origin, String accountId, String id) {
    Optional<Session> found =
        sessions.find(id).filter(session -> session.accountId().equals(accountId));
    found.ifPresent(session -> end(origin, session, "ended_by_person"));
    return found.isPresent();
  }

  /** Ends the person's sessions except one; returns how many had not ended. */
  public int endOthers(Origin origin, String accountId, String kept) {
    Instant now = recorder.now();
    return sessions.endOthers(
        accountId, kept, now, each -> signedOut(origin, each, "ended_by_person", now));
  }

  private AuditRecord signedOut(Origin origin, Session session, String why, Instant now) {
    JsonObject what =
        JsonObject.builder()
            .put("change", "signed_out")
            .put("account_id", session.accountId())
            .put("session_id", session.id())
            .put("by", why)
            .build();
    return recorder.write(RecordKind.LOGIN, session.org(), now, origin, what);
  }

  private Started started(Session session, Optional<String> refresh, Duration life) {
    return new Started(
        session.accountId(),
        session.org(),
        tokens.make(session),
        refresh,
        life,
        tokens.csrf(session.id()));
  }
}
