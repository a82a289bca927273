/** A pack's context schema: the part of JSON Schema packs use, compiled once. */
@NullMarked
package dev.safeconduct.policy.schema;

import org.jspecify.annotations.NullMarked;
