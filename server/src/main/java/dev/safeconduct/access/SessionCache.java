package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache of a store's sessions. A session is cached until the change feed announces a change of it
 * or its person.
 */
public final class SessionCache implements SignedIn {
  private static final Duration KEEP = Duration.ofMinutes(1);

  private final Sessions sessions;
  private final SessionTokens tokens;
  private final InstantSource clock;
  private final Cache<String, Session> known;

  /** Counts changes: a value read before a change must not be cached after it. */
  private final AtomicLong changes = new AtomicLong();

  public SessionCache(
      Sessions sessions, SessionTokens tokens, ChangeFeed feed, InstantSource clock) {
    this.sessions = sessions;
    this.tokens = tokens;
    this.clock = clock;
    Ticker ticker = () -> clock.millis() * 1_000_000L;
    this.known =
        Caffeine.newBuilder().maximumSize(50_000).expireAfterWrite(KEEP).ticker(ticker).build();
    feed.listen(this::changed);
  }

  @Override
  public Optional<Caller> caller(String token) {
    return tokens
        .sessionId(token)
        .flatMap(this::session)
        .flatMap(session -> session.callerAt(clock.instant()));
  }

  @Override
  public boolean isCsrf(Caller caller, String text) {
    return tokens.isCsrf(caller, text);
  }

  private Optional<Session> session(String id) {
    Session hit = known.getIfPresent(id);
    if (hit != null) {
      return Optional.of(hit);
    }
    long before = changes.get();
    Optional<Session> read = sessions.find(id);
    read.ifPresent(session -> known.put(id, session));
    if (changes.get() != before) {
      known.invalidate(id);
    }
    return read;
  }

  private void changed(Change change) {
    String subject = change.subject();
    if (subject.startsWith("session:") || subject.startsWith("account:")) {
      changes.incrementAndGet();
      known
          .asMap()
          .values()
          .removeIf(session ->
              subject.equals(Change.session(session.id()))
                  || subject.equals(Change.account(session.accountId())));
    }
  }
}
