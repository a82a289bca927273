package dev.safeconduct;

import dev.safeconduct.discovery.ApiCatalogEndpoint;
import dev.safeconduct.discovery.Contract;
import dev.safeconduct.discovery.ContractEndpoint;
import dev.safeconduct.discovery.DidDocumentEndpoints;
import dev.safeconduct.discovery.OapConfigurationEndpoints;
import dev.safeconduct.discovery.Published;
import dev.safeconduct.discovery.TextDocumentEndpoints;
import dev.safeconduct.documentation.DocumentationAssetEndpoints;
import dev.safeconduct.documentation.DocumentationEndpoints;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.http.Route;
import dev.safeconduct.page.Templates;
import dev.safeconduct.passport.AssuranceLevel;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.PublicAgentsEndpoint;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.store.Store;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How the service is found and read about, wired: a part of {@link Service}. */
final class DiscoveryParts {
  private DiscoveryParts() {}

  static List<Route> routes(
      ServiceConfig config, InstantSource clock, Store store, KeyRing keys, Catalogue catalogue) {
    HttpConfig http = config.http();
    String baseUrl = http.baseUrl().toString();
    var contract = new Contract(baseUrl);
    var published = new Published(baseUrl, http.issueUrl().toString());
    var documentation = new DocumentationEndpoints(new Templates(), contract.document());
    var routes = new ArrayList<Route>();
    routes.addAll(new ContractEndpoint(contract, baseUrl).routes());
    routes.addAll(documentation.routes());
    routes.addAll(new DocumentationAssetEndpoints().routes());
    routes.addAll(
        new TextDocumentEndpoints(
                published, contract, () -> guides(documentation), config.securityContact(), clock)
            .routes());
    routes.addAll(new ApiCatalogEndpoint(published).routes());
    routes.addAll(
        new OapConfigurationEndpoints(
                baseUrl,
                catalogue.capabilityIds(),
                Arrays.stream(AssuranceLevel.values()).map(AssuranceLevel::wire).toList(),
                config.securityContact())
            .routes());
    routes.addAll(new PublicAgentsEndpoint(store.passports(), baseUrl).routes());
    routes.addAll(
        new DidDocumentEndpoints(
                http.baseUrl(),
                keys::jwks,
                () -> keys.signer(Purpose.PASSPORT).kid(),
                store.passports())
            .routes());
    return routes;
  }

  private static List<TextDocumentEndpoints.Guide> guides(DocumentationEndpoints documentation) {
    return documentation.guides().stream()
        .map(guide ->
            new TextDocumentEndpoints.Guide(
                DocumentationEndpoints.PATH + "/" + guide.name(), guide.title()))
        .toList();
  }
}
