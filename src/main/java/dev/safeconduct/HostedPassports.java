package dev.safeconduct;

import dev.safeconduct.access.CreateKey;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.http.Route;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.CatalogueEndpoints;
import dev.safeconduct.passport.ChangeStatus;
import dev.safeconduct.passport.DocumentSigner;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.HistoryEndpoint;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.PassportEndpoints;
import dev.safeconduct.passport.PassportListEndpoints;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.PublicViewEndpoints;
import dev.safeconduct.passport.SetAssurance;
import dev.safeconduct.passport.StatusEndpoints;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.passport.UpdatePassport;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.store.Store;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** What serves passports, wired: a part of {@link Service}, which would be too long with it. */
final class HostedPassports {
  private HostedPassports() {}

  /** Who issues passports, in the name of the service's own address. */
  static IssuePassport issuing(Store store, Recorder recorder, Catalogue catalogue, URI baseUrl) {
    return new IssuePassport(
        store.passports(), catalogue, recorder, UUID::randomUUID, baseUrl.toString());
  }

  static List<Route> routes(
      Store store,
      Recorder recorder,
      CreateKey createKey,
      Catalogue catalogue,
      IssuePassport issuePassport,
      StatusReceivers receivers,
      Supplier<Signer> passportSigner) {
    Passports passports = store.passports();
    ActingOrganization organization = new ActingOrganization(store.organizations());
    ChangeStatus changeStatus = new ChangeStatus(passports, recorder, receivers);
    var routes = new ArrayList<Route>();
    routes.addAll(
        new PassportEndpoints(
                new FindPassport(passports),
                issuePassport,
                new UpdatePassport(passports, catalogue, recorder, changeStatus),
                createKey,
                organization)
            .routes());
    routes.addAll(new HistoryEndpoint(new FindPassport(passports), store.auditLog()).routes());
    routes.addAll(new PassportListEndpoints(passports, organization).routes());
    routes.addAll(
        new StatusEndpoints(changeStatus, new SetAssurance(passports, recorder)).routes());
    routes.addAll(new PublicViewEndpoints(passports, documentSigner(passportSigner)).routes());
    routes.addAll(new CatalogueEndpoints(catalogue).routes());
    return routes;
  }

  private static DocumentSigner documentSigner(Supplier<Signer> signers) {
    return new DocumentSigner() {
      @Override
      public DocumentSigner current() {
        Signer now = signers.get();
        return documentSigner(() -> now);
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
