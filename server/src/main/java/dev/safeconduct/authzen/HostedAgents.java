package dev.safeconduct.authzen;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportFilter;
import dev.safeconduct.passport.Passports;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;

/** An iterator over the organization's active agents, newest first, read page by page. */
final class HostedAgents implements Iterator<String> {
  private static final int PAGE = 200;
  private static final PassportFilter ACTIVE =
      new PassportFilter(
          Optional.of(PassportStatus.ACTIVE), Optional.empty(), Optional.empty(), Optional.empty());

  private final Passports passports;
  private final OrgId org;
  private final Queue<String> read = new ArrayDeque<>();
  private Optional<AgentId> after;
  private boolean more = true;

  HostedAgents(Passports passports, OrgId org, Optional<String> after) {
    this.passports = passports;
    this.org = org;
    this.after = after.map(AgentId::new);
  }

  @Override
  public boolean hasNext() {
    if (read.isEmpty() && more) {
      List<Passport> page = passports.list(new Tenant.One(org), ACTIVE, after, PAGE);
      page.forEach(passport -> read.add(passport.agentId().value()));
      more = page.size() == PAGE;
      if (!page.isEmpty()) {
        after = Optional.of(page.getLast().agentId());
      }
    }
    return !read.isEmpty();
  }

  @Override
  public String next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return read.remove();
  }
}
