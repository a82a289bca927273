package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.policy.PolicyPack;
import java.util.Objects;

/**
 * What hosted passports permit as hosted packs evaluate it, compiled once for all passports that
 * permit the same; the least used are dropped.
 */
final class PermissionsCache {
  /** The share of the greatest heap, in percent. */
  private static final int SHARE = 10;

  /** The digests of what both are read from. */
  private record Key(String permissions, String pack) {}

  private final Cache<Key, CompiledPermissions> known =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(SizeEstimate.ofHeap(SHARE))
          .<Key, CompiledPermissions>weigher((_, compiled) -> compiled.size())
          .build();

  /**
   * Returns the permissions as the pack evaluates them.
   *
   * @param passport with a digest of its permissions
   */
  CompiledPermissions of(JudgedPassport passport, PolicyPack pack) {
    return Objects.requireNonNull(
        known.get(
            new Key(passport.permissionsDigest(), pack.digest()),
            _ -> CompiledPermissions.of(passport.permissions(), pack)));
  }
}
