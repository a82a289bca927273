/** Exports of the audit log: files of records with a signed manifest. */
@NullMarked
package dev.safeconduct.audit.export;

import org.jspecify.annotations.NullMarked;
