/** Context schemas of packs: the part of JSON Schema that packs use, compiled once. */
@NullMarked
package dev.safeconduct.policy.schema;

import org.jspecify.annotations.NullMarked;
