package dev.safeconduct.client;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("service")
class ExampleTest {
  @Test
  void allowsAndDenies() throws Exception {
    Example.run("Guard");
  }
}
