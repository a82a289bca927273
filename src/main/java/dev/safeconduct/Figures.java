package dev.safeconduct;

import dev.safeconduct.http.HealthPart;
import dev.safeconduct.http.Metrics;
import dev.safeconduct.http.Tally;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.DecisionCount;
import java.util.List;
import java.util.function.Consumer;

/** What is measured of the service beside its requests, and what its health is made of. */
final class Figures {
  private final Metrics metrics = new Metrics();
  private final Tally decisions =
      metrics.tally(
          "safeconduct.decisions", "Decisions recorded by this node", "policy", "outcome", "code");
  private final Tally webhooks =
      metrics.tally("safeconduct.webhook.deliveries", "Events told to receivers", "outcome");

  Figures(Store store) {
    metrics.gauge("safeconduct.store.waiting", "Entries that wait to be written", store::waiting);
    metrics.growing("safeconduct.store.batches", "Transactions of the writer", store::batches);
    metrics.growing("safeconduct.store.written", "Entries in those transactions", store::written);
    metrics.gauge(
        "safeconduct.store.healthy",
        "1 while decisions can be recorded",
        () -> store.healthy() ? 1 : 0);
  }

  Metrics metrics() {
    return metrics;
  }

  DecisionCount decisions() {
    return (policy, allow, code) -> decisions.count(policy, allow ? "allow" : "deny", code);
  }

  Consumer<String> webhooks() {
    return webhooks::count;
  }

  static List<HealthPart> parts(Store store, KeyRing keys) {
    return List.of(
        new HealthPart("store", store::healthy),
        new HealthPart("changes", store::hears),
        new HealthPart("signing", keys::works));
  }
}
