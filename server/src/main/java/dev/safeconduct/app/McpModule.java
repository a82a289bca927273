package dev.safeconduct.app;

import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mcp.McpEndpoint;
import dev.safeconduct.mcp.McpMethods;
import dev.safeconduct.mcp.McpTools;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.Passports;
import java.util.List;

/** The service's own MCP server, whose tools call the verify route inside the process. */
record McpModule(List<Route> routes) implements FeatureModule {
  static McpModule of(Platform platform, PolicyModule policies, VerifyModule verify) {
    Storage store = platform.store();
    HttpConfig http = platform.config().http();
    var tools =
        new McpTools(
            new FindPassport(new Passports(store)),
            new AuditLog(store.reads()),
            policies.catalog(),
            policies.hosted(),
            platform.organization());
    return new McpModule(
        new McpEndpoint(
                platform.config().operator().mcpServer(),
                http.corsAllowedOrigins(),
                new McpMethods(tools, policies.catalog(), Version.current()),
                new InnerCalls(verify.routes()))
            .routes());
  }
}
