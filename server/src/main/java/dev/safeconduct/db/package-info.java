/** SQLite and PostgreSQL: connections, statements, queries and migrations, without feature code. */
@NullMarked
package dev.safeconduct.db;

import org.jspecify.annotations.NullMarked;
