package dev.safeconduct.adk;

import dev.safeconduct.client.Example;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("service")
class ExampleTest {
  @Test
  void allowsAndDenies() throws Exception {
    Example.run("GoogleAdk");
  }
}
