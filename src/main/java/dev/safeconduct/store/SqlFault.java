package dev.safeconduct.store;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Tells the kinds of database errors apart, by SQLSTATE or by SQLite's result code. */
final class SqlFault {
  private SqlFault() {}

  /** A unique or other constraint refused a row. */
  static boolean isConflict(Throwable fault) {
    return state(fault).startsWith("23")
        || (fault instanceof SQLiteException e
            && (e.getResultCode().code & 0xff) == SQLiteErrorCode.SQLITE_CONSTRAINT.code);
  }

  /** Another transaction was in the way and the same again may succeed. */
  static boolean isTransient(SQLException fault) {
    String state = state(fault);
    return state.equals("40001") || state.equals("40P01");
  }

  /** The connection broke in use; not that none could be had. */
  static boolean isLostConnection(SQLException fault) {
    String state = state(fault);
    return !(fault instanceof SQLTransientConnectionException)
        && (state.startsWith("08") || state.startsWith("57P"));
  }

  /** The fault may lie in one entry of the batch, not in the database. */
  static boolean mayBeOneEntrys(Throwable fault) {
    return isConflict(fault)
        || state(fault).startsWith("22")
        || (fault instanceof SQLiteException e
            && (e.getResultCode() == SQLiteErrorCode.SQLITE_TOOBIG
                || e.getResultCode() == SQLiteErrorCode.SQLITE_MISMATCH))
        || fault instanceof RuntimeException;
  }

  private static String state(Throwable fault) {
    @Nullable String state = fault instanceof SQLException e ? e.getSQLState() : null;
    return state == null ? "" : state;
  }
}
