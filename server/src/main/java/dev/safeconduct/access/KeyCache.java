package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.ledger.Change;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache of keys by their hash, so that a request needs no look-up. A key change on the feed
 * evicts the key at once. The time to live limits only the effect of a broken feed.
 */
final class KeyCache {
  private static final int MAX_KEYS = 100_000;
  private static final int MAX_UNKNOWN = 10_000;
  private static final Duration KEEP_KEY = Duration.ofMinutes(5);
  private static final Duration KEEP_UNKNOWN = Duration.ofSeconds(5);

  /**
   * A key with its caller, so that the caller is not created for each request.
   *
   * @param minute the last minute since the epoch whose use {@link KeyUse} has noted
   */
  record Known(ApiKey key, Caller.Key caller, AtomicLong minute) {}

  private final ApiKeys keys;
  private final Cache<KeyHash, Known> known;
  private final Cache<KeyHash, Boolean> unknown;

  /** Counts key changes: a value read before a change must not be cached after it. */
  private final AtomicLong changes = new AtomicLong();

  private final SuspectReads suspectReads = new SuspectReads();

  KeyCache(ApiKeys keys, InstantSource clock) {
    this.keys = keys;
    Ticker ticker = () -> clock.millis() * 1_000_000L;
    this.known =
        Caffeine.newBuilder()
            .maximumSize(MAX_KEYS)
            .expireAfterWrite(KEEP_KEY)
            .ticker(ticker)
            .build();
    this.unknown =
        Caffeine.newBuilder()
            .maximumSize(MAX_UNKNOWN)
            .expireAfterWrite(KEEP_UNKNOWN)
            .ticker(ticker)
            .build();
  }

  void changed(Change change) {
    String prefix = Change.key("");
    if (change.subject().startsWith(prefix)) {
      String keyId = change.subject().substring(prefix.length());
      changes.incrementAndGet();
      known.asMap().values().removeIf(entry -> entry.key().id().equals(keyId));
      unknown.invalidateAll();
    }
  }

  /**
   * Returns the key of the hash: from the cache, or by one indexed read.
   *
   * @param address the caller's
   * @param suspect whether the address has failed too often
   */
  Optional<Known> find(KeyHash hash, String address, boolean suspect) {
    Known hit = known.getIfPresent(hash);
    if (hit != null) {
      return Optional.of(hit);
    }
    if (unknown.getIfPresent(hash) != null) {
      return Optional.empty();
    }
    return suspect ? suspectReads.inTurn(address, () -> read(hash)) : read(hash);
  }

  private Optional<Known> read(KeyHash hash) {
    long before = changes.get();
    Optional<Known> read =
        keys.find(hash)
            .filter(key -> key.hash().matches(hash))
            .map(key -> new Known(key, caller(key), new AtomicLong()));
    read.ifPresentOrElse(key -> known.put(hash, key), () -> unknown.put(hash, Boolean.TRUE));
    if (changes.get() != before) {
      known.invalidate(hash);
      unknown.invalidate(hash);
    }
    return read;
  }

  private static Caller.Key caller(ApiKey key) {
    return new Caller.Key(key.id(), key.org(), key.scopes(), key.boundTo());
  }
}
