package dev.safeconduct.console;

import dev.safeconduct.console.view.Layout;
import java.util.ArrayList;
import java.util.List;

/** The navigation, which contains only the pages that the reader may open. */
public final class Sections {
  /** A page and the route its reader must be allowed to call. */
  private record Entry(String name, String path, String method, String route) {
    Entry(String name, String path, String route) {
      this(name, path, "GET", route);
    }
  }

  private static final String ANY = "/api/auth/me";
  private static final String ORG = "/api/orgs/x";

  private Sections() {}

  public static List<Layout.Section> of(OpenPage page) {
    var sections = new ArrayList<Layout.Section>();
    add(
        sections,
        page,
        "Watch",
        new Entry("Overview", "/console", ANY),
        new Entry("Decisions", "/console/decisions", "/api/audit"),
        new Entry("Approvals", "/console/approvals", "/api/approvals"));
    add(
        sections,
        page,
        "Agents",
        new Entry("Passports", "/console/passports", "/api/passports"),
        new Entry("Fleet", "/console/fleet", "/api/fleet"),
        new Entry("Policies", "/console/policies", "/api/policies"),
        new Entry("Playground", "/console/playground", "/api/passports"));
    add(
        sections,
        page,
        "Connect",
        new Entry("Connect an agent", "/console/connect", "POST", "/api/passports"),
        new Entry("Keys", "/console/keys", ORG + "/keys"),
        new Entry("Webhooks", "/console/webhooks", "/api/webhooks"));
    add(
        sections,
        page,
        "Trust",
        new Entry("Audit & proof", "/console/audit", "/api/audit"),
        new Entry("People", "/console/people", ORG + "/members"),
        new Entry("Observe mode", "/console/observe", ORG + "/mode"),
        new Entry("Halt", "/console/halt", ORG + "/halt"),
        new Entry("Bulk status", "/console/bulk-status", "POST", "/api/admin/status/bulk"),
        new Entry("Organizations", "/console/organizations", "/api/orgs"),
        new Entry("Operator tokens", "/console/tokens", "/api/orgs"),
        new Entry("Outbox", "/console/outbox", "/api/orgs"),
        new Entry("Settings", "/console/settings", "/api/orgs"),
        new Entry("Your account", "/console/account", ANY));
    return sections;
  }

  private static void add(
      List<Layout.Section> sections, OpenPage page, String name, Entry... entries) {
    var links = new ArrayList<Layout.Link>();
    for (Entry entry : entries) {
      if (page.may(entry.method(), entry.route())) {
        links.add(
            new Layout.Link(
                entry.name(),
                entry.path(),
                isCurrent(page.path(), entry.path()),
                waiting(entry, page)));
      }
    }
    if (!links.isEmpty()) {
      sections.add(new Layout.Section(name, links));
    }
  }

  private static int waiting(Entry entry, OpenPage page) {
    return entry.path().equals("/console/approvals")
        ? page.list("/api/approvals?status=pending&limit=50", "approvals").size()
        : 0;
  }

  private static boolean isCurrent(String path, String section) {
    return path.equals(section) || (!section.equals("/console") && path.startsWith(section + "/"));
  }
}
