package dev.safeconduct.ledger;


import java.sql.Connection;
import java.util.List;

/** For the load run alone, in the place of the service's: no tile is ever hashed or written. */
final class TileEdge {
  TileEdge(Connection connection) {}

  void forget() {}

  List<TileRow> append(long first, List<LogEntry> entries) {
    return List.of();
  }
}
