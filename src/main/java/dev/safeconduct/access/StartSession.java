package dev.safeconduct.access;

import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Begins, goes on with and ends sessions of people whose identity has been made sure of. */
public final class StartSession {
  public static final Duration LIFE = Duration.ofDays(14);

  /** Two pages of one browser may refresh at once; the slower one is no thief. */
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
   * A session as its browser gets it.
   *
   * @param token for 15 minutes
   * @param refresh what exchanges it for the next one; absent when the browser has it
   * @param refreshLife for how long that is good
   * @param csrf what a page must send along with a change
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
   * Begins a session.
   *
   * @param how what made sure of the person, for the record
   */
  public Started run(Origin origin, String accountId, OrgId org, String how) {
    Instant now = recorder.now();
    String id = "ses_" + recorder.nextHex();
    var session =
        new Session(id, accountId, org, Optional.empty(), false, now.plus(LIFE), Optional.empty());
    String refresh = secret();
    JsonObject what =
        JsonObject.builder()
            .put("change", "signed_in")
            .put("account_id", accountId)
            .put("session_id", id)
            .put("by", how)
            .build();
    sessions.create(
        session,
        KeyHash.of(refresh),
        now,
        recorder.write(RecordKind.LOGIN, org, now, origin, what));
    return started(session, Optional.of(refresh), LIFE);
  }

  /** The session a refresh cookie belongs to; empty when it has ended. */
  public Optional<Sessions.Refresh> find(String refresh) {
    Instant now = recorder.now();
    return sessions
        .byRefresh(KeyHash.of(refresh))
        .filter(found -> found.session().callerAt(now).isPresent());
  }

  /** The session a browser signs out of: its refresh cookie's, or else its session cookie's. */
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

  /** Whether the text is the CSRF token of the session. */
  public boolean isCsrf(Session session, String text) {
    return tokens.isCsrf(session.id(), text);
  }

  /**
   * Exchanges the refresh cookie. One that was exchanged before has been copied: then the session
   * ends, for its thief and its person alike.
   *
   * @param org where the person acts from now on; they have been found to be a member
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
    String next = secret();
    if (!sessions.rotate(session.id(), KeyHash.of(refresh), KeyHash.of(next), org, now)) {
      // Another page was faster, by so little that this one had been found to be the newest.
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
            session.expiresAt(),
            session.endedAt());
    return Optional.of(
        started(moved, Optional.of(next), Duration.between(now, session.expiresAt())));
  }

  /**
   * Ends the session at once, everywhere within a second.
   *
   * @param why for the record
   */
  public void end(Origin origin, Session session, String why) {
    Instant now = recorder.now();
    JsonObject what =
        JsonObject.builder()
            .put("change", "signed_out")
            .put("account_id", session.accountId())
            .put("session_id", session.id())
            .put("by", why)
            .build();
    sessions.end(
        session.id(), now, recorder.write(RecordKind.LOGIN, session.org(), now, origin, what));
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

  private String secret() {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return "scr_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
