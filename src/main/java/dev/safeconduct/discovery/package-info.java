/** What clients read to find their way: the published contract. */
@NullMarked
package dev.safeconduct.discovery;

import org.jspecify.annotations.NullMarked;
