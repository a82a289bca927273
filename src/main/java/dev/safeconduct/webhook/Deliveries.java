package dev.safeconduct.webhook;

import dev.safeconduct.identity.Tenant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where deliveries are kept, so that what did not arrive can be looked at and sent again. */
public interface Deliveries {
  /**
   * Adds deliveries that are about to be made, in one transaction, and forgets some of those that
   * are older than {@code forgetBefore}: more than it adds, so that in time all of them go.
   */
  void begin(List<Delivery> deliveries, Instant forgetBefore);

  /** Keeps what has become of them, in one transaction. */
  void finish(List<Delivery> deliveries);

  /** A delivery of the tenant's; the operator's receiver has no tenant but everyone. */
  Optional<Delivery> find(Tenant tenant, String id);

  /**
   * A receiver's deliveries, newest first, from the place after {@code afterId}.
   *
   * @param abandonedBefore those begun before and never ended count as dead
   */
  List<Delivery> list(
      Tenant tenant,
      String receiver,
      Optional<Delivery.State> state,
      Instant abandonedBefore,
      Optional<String> afterId,
      int limit);

  /**
   * A receiver's dead letters, oldest first, from the place after {@code afterId}.
   *
   * @param abandonedBefore those begun before and never ended are among them
   */
  List<Delivery> dead(
      Tenant tenant, String receiver, Instant abandonedBefore, Optional<String> afterId, int limit);

  /** How many {@link #dead} has in all. */
  long countDead(Tenant tenant, String receiver, Instant abandonedBefore);
}
