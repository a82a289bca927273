package dev.safeconduct.passport.catalog;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks a passport's {@code hooks}: what its owner sets for hooks of coding agents. */
public final class HooksCheck {
  public static final String SERVERS = "servers";
  public static final String TOOLS = "tools";
  public static final String AUTO_APPROVE = "auto_approve";

  private static final int MOST_ENTRIES = 200;
  private static final int MOST_NAME = 256;
  private static final int MOST_URL = 2048;
  private static final Pattern TARGET = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  private final Catalogue catalogue;

  public HooksCheck(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * Checks the member.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  public JsonObject run(Members hooks) {
    Members given = hooks.only(Set.of(SERVERS, TOOLS, AUTO_APPROVE));
    entries(given, SERVERS, HooksCheck::server);
    entries(given, TOOLS, HooksCheck::target);
    List<String> approved = given.lines(AUTO_APPROVE, MOST_ENTRIES, MOST_NAME).orElse(List.of());
    for (int i = 0; i < approved.size(); i++) {
      String path = given.path(AUTO_APPROVE) + "[" + i + "]";
      if (catalogue.capability(approved.get(i)).isEmpty()) {
        throw FieldCheck.wrong(path, " must be a capability such as data.file.read.");
      }
    }
    return given.object();
  }

  private interface Check {
    void run(Members entries, String name, String value);
  }

  private static void entries(Members hooks, String member, Check check) {
    Members entries = hooks.members(member).orElse(Members.of(JsonObject.EMPTY));
    if (entries.object().size() > MOST_ENTRIES) {
      throw hooks.fault(
          member, hooks.path(member) + " has more than " + MOST_ENTRIES + " entries.");
    }
    for (String name : entries.object().names()) {
      if (name.isEmpty() || name.length() > MOST_NAME) {
        throw hooks.fault(
            member,
            "A name in " + hooks.path(member) + " must have 1 to " + MOST_NAME + " characters.");
      }
      check.run(entries, name, entries.requiredText(name));
    }
  }

  private static void server(Members servers, String name, String address) {
    try {
      URI url = new URI(address);
      boolean secure = "https".equalsIgnoreCase(url.getScheme());
      if (secure
          && url.getHost() != null
          && url.getUserInfo() == null
          && url.getFragment() == null
          && address.length() <= MOST_URL) {
        return;
      }
    } catch (URISyntaxException e) {
      // Fall through to the error below, as for any other invalid address.
    }
    throw servers.fault(
        name, servers.path(name) + " must be an https address of at most 2048 characters.");
  }

  private static void target(Members tools, String name, String target) {
    if (!TARGET.matcher(target).matches()) {
      throw tools.fault(
          name,
          tools.path(name)
              + " must be a capability such as data.file.read, the id of a policy, or none.");
    }
  }
}
