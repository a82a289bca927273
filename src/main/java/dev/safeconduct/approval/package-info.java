/** Actions that wait for a person: who is asked, and what they answer. */
@NullMarked
package dev.safeconduct.approval;

import org.jspecify.annotations.NullMarked;
