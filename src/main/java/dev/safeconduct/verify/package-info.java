/** The use case all others serve: an action is judged, signed, recorded, and only then answered. */
@NullMarked
package dev.safeconduct.verify;

import org.jspecify.annotations.NullMarked;
