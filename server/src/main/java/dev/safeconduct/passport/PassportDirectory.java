package dev.safeconduct.passport;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;

/** Looks up organizations and passports for the API key code. */
public final class PassportDirectory implements Directory {
  private final Organizations organizations;
  private final Passports passports;

  public PassportDirectory(Organizations organizations, Passports passports) {
    this.organizations = organizations;
    this.passports = passports;
  }

  @Override
  public boolean knows(OrgId org) {
    return organizations.find(org).isPresent();
  }

  @Override
  public boolean owns(OrgId org, AgentId agent) {
    return passports.find(new Tenant.One(org), agent).isPresent();
  }
}
