package dev.safeconduct.app;

import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.StylesheetEndpoint;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.site.Contract;
import dev.safeconduct.site.ContractEndpoint;
import dev.safeconduct.site.DidDocumentEndpoints;
import dev.safeconduct.site.DocumentationAssetEndpoints;
import dev.safeconduct.site.DocumentationEndpoints;
import dev.safeconduct.site.OapConfigurationEndpoints;
import dev.safeconduct.site.Published;
import dev.safeconduct.site.TextDocumentEndpoints;
import java.util.Arrays;
import java.util.List;

/** Discovery documents, the documentation, and the stylesheet of public pages. */
record SiteModule(List<Route> routes) implements FeatureModule {
  static SiteModule of(Platform platform, Catalogue catalogue) {
    HttpConfig http = platform.config().http();
    String baseUrl = platform.baseUrl();
    var contact = platform.config().operator().securityContact();
    KeyRing keys = platform.keys().ring();
    String issueUrl = http.issueUrl().toString();
    var contract = new Contract(baseUrl, issueUrl);
    var published = new Published(baseUrl, issueUrl);
    var documentation = new DocumentationEndpoints(platform.templates(), contract);
    return new SiteModule(
        FeatureModule.all(
            new ContractEndpoint(contract, baseUrl).routes(),
            documentation.routes(),
            new StylesheetEndpoint().routes(),
            new DocumentationAssetEndpoints().routes(),
            new TextDocumentEndpoints(
                    published, contract, documentation::guides, contact, platform.clock())
                .routes(),
            new OapConfigurationEndpoints(
                    baseUrl,
                    issueUrl,
                    catalogue.capabilityIds(),
                    Arrays.stream(AssuranceLevel.values()).map(AssuranceLevel::wire).toList(),
                    contact)
                .routes(),
            new DidDocumentEndpoints(
                    http.baseUrl(),
                    keys::jwks,
                    () -> keys.signer(Purpose.PASSPORT).kid(),
                    new Passports(platform.store()))
                .routes()));
  }
}
