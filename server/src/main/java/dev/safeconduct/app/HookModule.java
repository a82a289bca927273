package dev.safeconduct.app;

import dev.safeconduct.hook.AnswerHook;
import dev.safeconduct.hook.HookEndpoint;
import dev.safeconduct.hook.HookTables;
import dev.safeconduct.http.Route;
import java.util.List;

/** Hooks of coding agents. */
record HookModule(List<Route> routes) implements FeatureModule {
  static HookModule of(Platform platform, PolicyModule policies, VerifyModule verify) {
    var tables = HookTables.builtIn(policies.catalog());
    var answer =
        new AnswerHook(
            tables,
            verify.verify(),
            verify.subjects(),
            verify.halts(),
            platform.store(),
            platform.recorder(),
            platform.baseUrl());
    return new HookModule(new HookEndpoint(tables, answer).routes());
  }
}
