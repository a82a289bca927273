package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.decision.CompiledPassport;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.policy.PolicyPack;

/** Hosted passports as hosted packs evaluate them, compiled once; the least used are dropped. */
final class CompiledPassports {
  private static final int MAX_BYTES = 32 << 20;

  /** The digests of both documents. */
  private record Key(String passport, String pack) {}

  private final Cache<Key, CompiledPassport> known =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .<Key, CompiledPassport>weigher((_, compiled) -> compiled.size())
          .build();

  /**
   * Returns the compiled form of exactly these two. A form of an earlier version of either, or of
   * an equal document that was read at another time, is replaced.
   *
   * @param digest of the passport's document
   */
  @SuppressWarnings("ReferenceEquality") // the same versions, not equal ones
  CompiledPassport of(JudgedPassport passport, String digest, PolicyPack pack) {
    var key = new Key(digest, pack.digest());
    CompiledPassport found = known.getIfPresent(key);
    if (found == null || found.passport() != passport || found.pack() != pack) {
      found = CompiledPassport.of(passport, pack);
      known.put(key, found);
    }
    return found;
  }
}
