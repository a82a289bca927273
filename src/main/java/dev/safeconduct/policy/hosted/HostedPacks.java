package dev.safeconduct.policy.hosted;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where the packs of organizations are kept. Each change is one transaction with its record and
 * announces {@code packs:<org>} on the change feed.
 */
public interface HostedPacks {
  Optional<HostedPack> find(OrgId org, PolicyId id);

  /** The organization's packs by id, from the place after {@code after}. */
  List<HostedPack> list(OrgId org, Optional<String> after, int limit);

  /** How many packs the organization has. */
  long count(OrgId org);

  /**
   * The organization's packs that changed last, the latest first.
   *
   * @param after only later changes than this one
   */
  List<Changed> changedAfter(OrgId org, long after, int limit);

  /**
   * A pack and its place among the changes of its organization's packs.
   *
   * @param number greater for a later change
   */
  record Changed(PolicyId id, long number) {}

  /** The pack's versions, newest first, below {@code before}. */
  List<PackVersion> versions(OrgId org, PolicyId id, int before, int limit);

  Optional<PackVersion> version(OrgId org, PolicyId id, int number);

  /** The document of a version as it was published. */
  Optional<JsonObject> document(OrgId org, PolicyId id, int number);

  /**
   * Adds a pack with its first version.
   *
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} when the organization has one
   *     of that id
   */
  void create(OrgId org, PolicyId id, PackVersion first, JsonObject document, AuditRecord entry);

  /**
   * Adds a version if the pack is still as it was seen.
   *
   * @return false when it is not; nothing is written then
   */
  boolean add(HostedPack seen, PackVersion next, JsonObject document, AuditRecord entry);

  /**
   * What a change of a pack leads to; versions that are absent are not in use.
   *
   * @param deprecated the version to withdraw
   */
  record Use(
      OptionalInt active,
      OptionalInt shadow,
      Optional<Instant> shadowSince,
      OptionalInt deprecated,
      Instant at) {}

  /**
   * Changes which versions are in use if the pack is still as it was seen.
   *
   * @return false when it is not; nothing is written then
   */
  boolean use(HostedPack seen, Use use, AuditRecord entry);
}
