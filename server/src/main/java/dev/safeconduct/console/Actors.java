package dev.safeconduct.console;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Labels;
import dev.safeconduct.identity.OrgId;
import java.util.Optional;

/** Finds the names of people and keys that the audit log names by their ids. */
public final class Actors {
  private final ApiKeys keys;
  private final Accounts accounts;

  Actors(ApiKeys keys, Accounts accounts) {
    this.keys = keys;
    this.accounts = accounts;
  }

  /**
   * Who did something.
   *
   * @param path the actor's page; empty if there is none
   */
  public record Actor(String name, String path) {}

  /**
   * Returns the actor of a caller's name in the organization's log, by e-mail address or by the
   * name of the key.
   */
  Actor of(OpenPage page, String caller) {
    String id = caller.substring(caller.indexOf(':') + 1);
    if (caller.startsWith("account:")) {
      return accounts
          .find(id)
          .filter(account -> !account.email().equals(Account.NAMELESS))
          .map(account -> new Actor(account.email().value(), people(page, id)))
          .orElseGet(() -> new Actor(Labels.caller(caller), ""));
    }
    Optional<ApiKey> key =
        caller.startsWith("key:") && !page.org().isEmpty()
            ? keys.find(new OrgId(page.org()), id)
            : Optional.empty();
    return key.map(
            found -> new Actor("key “" + Formats.clip(found.name(), 60) + "”", keys(page, found)))
        .orElseGet(() -> new Actor(Labels.caller(caller), ""));
  }

  private static String people(OpenPage page, String id) {
    return page.may("GET", "/api/orgs/x/members") ? "/console/people#" + Formats.url(id) : "";
  }

  private static String keys(OpenPage page, ApiKey key) {
    return page.may("GET", "/api/orgs/x/keys") ? "/console/keys#" + Formats.url(key.id()) : "";
  }
}
