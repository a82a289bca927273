package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The world of the AuthZEN certification scenario, set up as the example does: through the API. */
public final class Records {
  public static final Path EXAMPLE = Path.of("examples", "authzen");

  private Records() {}

  public static String pack() {
    try {
      return Files.readString(EXAMPLE.resolve("records.json"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Publishes and activates the pack for the organization. */
  public static void setUp(TestService service, String org) {
    publish(service, org, pack());
  }

  public static void publish(TestService service, String org, String pack) {
    Calls admin = service.admin();
    String packs = "/api/orgs/" + org + "/policies";
    Reply made = admin.post(packs, pack);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    Reply active = admin.post(packs + "/" + made.string("policy_id") + "/activate", "");
    assertThat(active.status()).as(active.toString()).isEqualTo(200);
  }
}
