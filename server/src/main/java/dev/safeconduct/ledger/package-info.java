/**
 * The log and the counters in one transaction: records, expiring charges, idempotency keys and the
 * changes nodes are notified of. One thread writes them in batches. Features add their own steps.
 * {@link dev.safeconduct.ledger.Events} writes events in the transaction of what they tell.
 */
@NullMarked
package dev.safeconduct.ledger;

import org.jspecify.annotations.NullMarked;
