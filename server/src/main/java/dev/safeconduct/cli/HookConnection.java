package dev.safeconduct.cli;

import java.time.Duration;

/** What the service says of the passport that a command line names. */
record HookConnection(boolean reachable, String passport) {
  private static final Duration MOST = Duration.ofSeconds(5);

  /** Asks the service with the hook's key. */
  static HookConnection ask(HookCommandLine line, HookPlaces places) {
    String key = HookKey.sent(line, places).filter(sent -> !sent.isEmpty()).orElse("none");
    String base = line.url().replaceFirst("/+$", "");
    try (var remote = new RemoteClient(base, key, MOST)) {
      String path = "/api/passports/" + RemoteClient.segment(line.agentId());
      return new HookConnection(true, remote.get(path).string("status").orElse("unknown"));
    } catch (RemoteException e) {
      return new HookConnection(
          e.exitStatus() != RemoteException.UNREACHABLE,
          TextTable.plain(String.valueOf(e.getMessage())));
    } catch (IllegalArgumentException _) {
      return new HookConnection(
          false, "The address cannot be used: " + TextTable.plain(line.url()));
    }
  }

  boolean isActive() {
    return passport.equals("active");
  }
}
