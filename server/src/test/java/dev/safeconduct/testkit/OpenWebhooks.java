package dev.safeconduct.testkit;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A service for all tests of a class, whose webhooks may be on this machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
public abstract class OpenWebhooks {
  protected Path folder;
  protected WebhookRig rig;

  /** Holds a key with all scopes. */
  protected Calls owner;

  @BeforeAll
  final void start(@TempDir Path all) {
    folder = all;
    rig = new WebhookRig(folder.resolve("rig"), WebhookRig.open(Map.of()));
    owner = rig.service.owner();
  }

  @AfterAll
  final void stop() {
    rig.close();
  }
}
