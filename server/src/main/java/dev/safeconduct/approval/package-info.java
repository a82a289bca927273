/** Approvals: actions that wait for a person, and the person's answer. */
@NullMarked
package dev.safeconduct.approval;

import org.jspecify.annotations.NullMarked;
