package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.policy.PolicyPack;

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
          .maximumWeight(PassportCache.ofHeap(SHARE))
          .<Key, CompiledPermissions>weigher((_, compiled) -> compiled.size())
          .build();

  /**
   * Returns the compiled form for exactly this pack: that for an equal one, which was read at
   * another time, is replaced.
   *
   * @param passport with a digest of its permissions
   */
  @SuppressWarnings("ReferenceEquality") // the same version, not an equal one
  CompiledPermissions of(JudgedPassport passport, PolicyPack pack) {
    var key = new Key(passport.permissionsDigest(), pack.digest());
    CompiledPermissions found = known.getIfPresent(key);
    if (found == null || found.pack() != pack) {
      found = CompiledPermissions.of(passport.permissions(), pack);
      known.put(key, found);
    }
    return found;
  }
}
