package dev.safeconduct.db;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Classifies database errors by SQLSTATE or by SQLite's result code. */
public final class SqlFault {
  private SqlFault() {}

  /** Returns whether a unique or other constraint refused a row. */
  public static boolean isConflict(Throwable fault) {
    return state(fault).startsWith("23")
        || (fault instanceof SQLiteException e
            && (e.getResultCode().code & 0xff) == SQLiteErrorCode.SQLITE_CONSTRAINT.code);
  }

  /** Returns whether another transaction conflicted and a retry may succeed. */
  public static boolean isTransient(SQLException fault) {
    String state = state(fault);
    return state.equals("40001") || state.equals("40P01");
  }

  /** Returns whether the connection broke in use, as opposed to a failure to connect. */
  static boolean isLostConnection(SQLException fault) {
    String state = state(fault);
    return !(fault instanceof SQLTransientConnectionException)
        && (state.startsWith("08") || state.startsWith("57P"));
  }

  /** Returns whether there was no connection, or it broke. */
  static boolean isConnecting(SQLException fault) {
    return fault instanceof SQLTransientConnectionException || isLostConnection(fault);
  }

  /** Returns whether one entry of the batch may have caused the error, and not the database. */
  public static boolean mayBeOneEntrys(Throwable fault) {
    return isConflict(fault)
        || state(fault).startsWith("22")
        || state(fault).startsWith("54") // over a limit of PostgreSQL, such as an index row's size
        || (fault instanceof SQLiteException e
            && (e.getResultCode() == SQLiteErrorCode.SQLITE_TOOBIG
                || e.getResultCode() == SQLiteErrorCode.SQLITE_MISMATCH))
        || fault instanceof RuntimeException;
  }

  /** Returns whether the database did not answer in time. */
  public static boolean isSilence(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return true;
      }
    }
    return false;
  }

  /** Returns the error's message, with that of its first cause where it says more. */
  public static String shown(Throwable fault) {
    Throwable first = fault;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    String message = Objects.requireNonNullElse(fault.getMessage(), fault.toString());
    String cause = Objects.requireNonNullElse(first.getMessage(), first.toString());
    return message.contains(cause) ? message : message + " (" + cause + ")";
  }

  private static String state(Throwable fault) {
    @Nullable String state = fault instanceof SQLException e ? e.getSQLState() : null;
    return state == null ? "" : state;
  }
}
