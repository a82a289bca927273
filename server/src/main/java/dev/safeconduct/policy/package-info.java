/** Policy packs, parsed and fully checked when they are loaded, and immutable afterwards. */
@NullMarked
package dev.safeconduct.policy;

import org.jspecify.annotations.NullMarked;
