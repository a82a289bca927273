package dev.safeconduct.app;

import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.audit.AgentUse;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.compat.InstanceRequest;
import dev.safeconduct.deploy.Deployments;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.passport.BulkStatus;
import dev.safeconduct.passport.ChangeStatus;
import dev.safeconduct.passport.DeleteOrganization;
import dev.safeconduct.passport.DeleteOrganizationEndpoint;
import dev.safeconduct.passport.DocumentSigner;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.HaltEndpoints;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.ObserveEndpoints;
import dev.safeconduct.passport.PassportEndpoints;
import dev.safeconduct.passport.PassportListEndpoints;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.PublicViewEndpoints;
import dev.safeconduct.passport.SetAssurance;
import dev.safeconduct.passport.SetHalt;
import dev.safeconduct.passport.SetObserveMode;
import dev.safeconduct.passport.StatusEndpoints;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.passport.UpdatePassport;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.CatalogueEndpoints;
import dev.safeconduct.passport.issue.Claims;
import dev.safeconduct.passport.issue.InstanceEndpoints;
import dev.safeconduct.passport.issue.IssueInstance;
import dev.safeconduct.passport.issue.PassportResources;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.simulate.ShadowResults;
import dev.safeconduct.simulate.suggest.UnusedPrivilege;
import dev.safeconduct.webhook.Webhooks;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Passports, their status, and the instances of templates. */
record PassportModule(
    Catalogue catalogue, IssuePassport issue, ResourceKind resources, List<Route> routes)
    implements FeatureModule {
  static PassportModule of(
      Platform platform,
      AccessModule access,
      MailModule mail,
      VerifyModule verify,
      WebhookModule webhooks) {
    Passports passports = new Passports(platform.store());
    var recorder = platform.recorder();
    Catalogue catalogue = Catalogue.builtIn();
    Cell cell = platform.cell();
    Supplier<UUID> passportIds = () -> cell.passportId(UUID.randomUUID());
    var issue =
        new IssuePassport(passports, catalogue, recorder, cell, passportIds, platform.baseUrl());
    var find = new FindPassport(passports);
    StatusReceivers receivers =
        mail.statuses().before(webhooks.notifications(), mail.sender()::trigger);
    var changeStatus = new ChangeStatus(passports, recorder, receivers);
    var update = new UpdatePassport(passports, catalogue, recorder, changeStatus);
    var instances = new IssueInstance(passports, issue, catalogue, recorder, passportIds);
    var bulkStatus = new BulkStatus(passports, recorder, receivers, platform.directory());
    return new PassportModule(
        catalogue,
        issue,
        new PassportResources(
            passports, platform.store().reads(), issue, instances, update, changeStatus),
        FeatureModule.all(
            new PassportEndpoints(
                    find,
                    issue,
                    update,
                    access.manageKeys(),
                    platform.organization(),
                    new AuditLog(platform.store().reads()))
                .routes(),
            new PassportListEndpoints(passports, platform.organization()).routes(),
            new StatusEndpoints(changeStatus, bulkStatus, new SetAssurance(passports, recorder))
                .routes(),
            new DeleteOrganizationEndpoint(
                    new DeleteOrganization(
                        platform.store(),
                        bulkStatus,
                        recorder,
                        List.of(
                            Approvals::deleteAll,
                            Claims::deleteAll,
                            Webhooks::deleteAll,
                            HostedPacks::deleteAll,
                            ShadowResults::deleteAll,
                            Deployments::deleteAll,
                            AgentUse::forgetAll,
                            UnusedPrivilege::deleteAll)),
                    new Organizations(platform.store()),
                    platform.directory())
                .routes(),
            new HaltEndpoints(
                    verify.halts(),
                    new SetHalt(
                        verify.halts(),
                        mail.halts(),
                        platform.events(),
                        mail.sender()::trigger,
                        recorder),
                    passports,
                    platform.directory(),
                    platform.organization())
                .routes(),
            new ObserveEndpoints(
                    verify.observed(),
                    new SetObserveMode(verify.observed(), platform.events(), recorder),
                    find,
                    platform.directory())
                .routes(),
            new PublicViewEndpoints(
                    passports,
                    signer(platform.keys().ring().signers(Purpose.PASSPORT)),
                    platform.baseUrl(),
                    platform.clock())
                .routes(),
            new CatalogueEndpoints(catalogue).routes(),
            new InstanceEndpoints(instances, InstanceRequest::plain).routes()));
  }

  private static DocumentSigner signer(Supplier<Signer> signers) {
    return new DocumentSigner() {
      @Override
      public DocumentSigner current() {
        Signer now = signers.get();
        return signer(() -> now);
      }

      @Override
      public String sign(byte[] canonical) {
        return signers.get().signText(canonical);
      }

      @Override
      public String kid() {
        return signers.get().kid();
      }
    };
  }
}
