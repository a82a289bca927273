package dev.safeconduct.webhook;

import dev.safeconduct.http.Route;
import dev.safeconduct.people.ActingOrganization;
import java.util.List;
import java.util.stream.Stream;

/** All routes of the room. */
public final class WebhookEndpoints {
  private final Notifications notifications;
  private final ActingOrganization organization;

  public WebhookEndpoints(Notifications notifications, ActingOrganization organization) {
    this.notifications = notifications;
    this.organization = organization;
  }

  public List<Route> routes() {
    return Stream.of(
            new ReceiverEndpoints(notifications, organization).routes(),
            new DeliveryEndpoints(notifications.redeliver()).routes(),
            new WebhookTestEndpoint(notifications.tryReceiver()).routes())
        .flatMap(List::stream)
        .toList();
  }
}
