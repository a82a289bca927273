/**
 * How much has been used: counters with expiring charges, and the ledger that commits a decision
 * with them.
 */
@NullMarked
package dev.safeconduct.usage;

import org.jspecify.annotations.NullMarked;
