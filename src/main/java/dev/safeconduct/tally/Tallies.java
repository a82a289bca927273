package dev.safeconduct.tally;

import dev.safeconduct.identity.OrgId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where counts of decisions are kept, and in which parts of the log something occurs. Dry runs are
 * no decisions and do not count, but occur.
 */
public interface Tallies {
  /** How many places of the log one part has. */
  int PART = 512;

  /** What is added up, in buckets of time. */
  enum Kind {
    /** All of an organization's decisions of a minute. */
    MINUTE("minute", 60_000, 60_000),
    /** Those of one agent in an hour. An hour begins every half hour: see {@link #lately}. */
    AGENT("agent", 3_600_000, 1_800_000),
    /** Those of one reason code, likewise. */
    CODE("code", 3_600_000, 1_800_000);

    private final String wire;
    private final long widthMs;
    private final long everyMs;

    Kind(String wire, long widthMs, long everyMs) {
      this.wire = wire;
      this.widthMs = widthMs;
      this.everyMs = everyMs;
    }

    public String wire() {
      return wire;
    }

    /**
     * The beginning of the oldest bucket that the time lies in. Of hours that begin every half hour
     * this one has at least thirty minutes behind it, so it alone tells what has been going on, and
     * nothing has to be added up for a page.
     */
    public long lately(long atMs) {
      return Math.floorDiv(atMs, everyMs) * everyMs - widthMs + everyMs;
    }

    /** The beginnings of all buckets that the time lies in, the oldest first. */
    public long[] buckets(long atMs) {
      var begins = new long[Math.toIntExact(widthMs / everyMs)];
      for (int i = 0; i < begins.length; i++) {
        begins[i] = lately(atMs) + i * everyMs;
      }
      return begins;
    }
  }

  /** One of the things counted. */
  record Key(OrgId org, Kind kind, long bucket, String name) {}

  /** How many decisions went which way. */
  record Counts(long allowed, long denied) {
    public static final Counts NONE = new Counts(0, 0);

    public long total() {
      return allowed + denied;
    }

    public Counts plus(Counts other) {
      return new Counts(allowed + other.allowed, denied + other.denied);
    }
  }

  /** A name with its counts. */
  record Named(String name, Counts counts) {}

  /** By what records are looked for. */
  enum Facet {
    AGENT("agent"),
    POLICY("policy"),
    CODE("code"),
    /** Whether a decision allowed; the names are true and false. */
    ALLOW("allow"),
    /** What kind of record it is. */
    KIND("kind"),
    /** When it was made; names of {@link #minute} are ordered as time is. */
    MINUTE("minute");

    private final String wire;

    Facet(String wire) {
      this.wire = wire;
    }

    public String wire() {
      return wire;
    }

    /** The name of the minute in which that millisecond is. */
    public static String minute(long epochMs) {
      String minute = Long.toString(Math.max(0, Math.floorDiv(epochMs, MINUTE_MS)));
      return "0".repeat(MINUTE_DIGITS - minute.length()) + minute;
    }

    private static final long MINUTE_MS = 60_000;

    /** Enough for every long. */
    private static final int MINUTE_DIGITS = 15;
  }

  /**
   * Something that occurs in a part of the log.
   *
   * @param part of {@link #PART} places each, the first is 0
   */
  record Occurrence(OrgId org, Facet facet, String name, long part) {}

  /**
   * Records that counting cannot tell from each other.
   *
   * @param part in which they are
   * @param minuteMs when the minute begins in which they were made
   * @param allow of decisions that were not erased
   * @param number how many they are
   */
  record Alike(
      long part,
      OrgId org,
      String kind,
      long minuteMs,
      Optional<String> agent,
      Optional<String> policy,
      Optional<Boolean> allow,
      Optional<String> code,
      boolean dryRun,
      long number) {}

  /** The first place of the log that has not been counted. */
  long next();

  /** The place after the log's last record. */
  long end();

  /** The records from the one place up to the other, exclusive. */
  List<Alike> records(long from, long to);

  /**
   * Adds the counts, notes the occurrences and moves on, together.
   *
   * @return false when somebody else has counted from there; nothing is added then
   */
  boolean add(long from, long to, Map<Key, Counts> counts, Set<Occurrence> occurrences);

  /** Forgets the organization's buckets of the kind that begin before the time. */
  void forget(OrgId org, Kind kind, long beforeMs);

  /** The organization's buckets from the time on, by their beginning. */
  Map<Long, Counts> buckets(OrgId org, Kind kind, long fromMs);

  /** One name's counts in the bucket. */
  Counts of(OrgId org, Kind kind, String name, long bucket);

  /**
   * How many names there are.
   *
   * @param denied those of them that were denied something
   */
  record Names(long all, long denied) {}

  /** The names in the bucket. */
  Names names(OrgId org, Kind kind, long bucket);

  /**
   * The names with the most in the bucket.
   *
   * @param denied whether only denies are looked at
   */
  List<Named> top(OrgId org, Kind kind, long bucket, boolean denied, int limit);
}
