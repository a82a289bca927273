package dev.safeconduct;

import dev.safeconduct.audit.Recorder;
import dev.safeconduct.compat.InstanceRequest;
import dev.safeconduct.feed.FeedEndpoints;
import dev.safeconduct.http.Route;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.InstanceEndpoints;
import dev.safeconduct.passport.IssueInstance;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.reservation.ReservationEndpoints;
import dev.safeconduct.reservation.SettleReservation;
import dev.safeconduct.store.Store;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Wires what decisions are judged by besides a passport: feeds, reservations, templates. */
final class UsageEndpoints {
  private UsageEndpoints() {}

  /**
   * The routes.
   *
   * @param issuer the service's own address, as passports name it
   */
  static List<Route> of(Store store, Recorder recorder, String issuer) {
    Catalogue catalogue = Catalogue.builtIn();
    IssuePassport issue =
        new IssuePassport(store.passports(), catalogue, recorder, UUID::randomUUID, issuer);
    return Stream.of(
            new FeedEndpoints(
                    store.feeds(), recorder, new ActingOrganization(store.organizations()))
                .routes(),
            new ReservationEndpoints(new SettleReservation(store.reservations(), recorder))
                .routes(),
            new InstanceEndpoints(
                    new IssueInstance(
                        store.passports(), issue, catalogue, recorder, UUID::randomUUID),
                    InstanceRequest::plain)
                .routes())
        .flatMap(List::stream)
        .toList();
  }
}
