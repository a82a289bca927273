package dev.safeconduct.pkcs11;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.signing.ModuleFault;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A module that does not answer: callers are told so, and it serves again when it comes back. */
@SuppressWarnings("restricted") // the module is native code of ours
final class HangingModuleTest {
  private static final byte[] ID = {7};

  /** As many as there are threads for the module, and some who wait for one. */
  private static final int CALLERS = 20;

  private static final int THREADS = 16;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  void callersOfAModuleThatHangsAreToldAndItServesAgainLater() throws Throwable {
    Path library = compiled();
    Path config =
        Files.writeString(folder.resolve("pkcs11.cfg"), "name = m\nlibrary = " + library + "\n");
    MethodHandle hang = function(library, "hang", JAVA_INT);
    MethodHandle awaitWaiting = function(library, "await_waiting", JAVA_LONG);
    try (SecurityModule patient = SecurityModule.at(config, "1234", Duration.ofMinutes(1));
        SecurityModule module = SecurityModule.at(config, "1234", Duration.ofSeconds(1))) {
      assertThat(signed(module, 'a')).isEqualTo("a".repeat(64));
      hang.invokeExact(1);
      var called = new ArrayList<CompletableFuture<String>>();
      for (int i = 0; i < CALLERS; i++) {
        called.add(
            CompletableFuture.supplyAsync(
                () -> signed(module, 'b'), task -> Thread.ofVirtual().start(task)));
      }
      assertThat(called)
          .extracting(CompletableFuture::join)
          .containsOnly("it did not answer within 1000 ms");
      awaitWaiting.invokeExact((long) THREADS);
      Thread waits = Thread.ofVirtual().unstarted(() -> signed(patient, 'c'));
      waits.start();
      awaitWaiting.invokeExact(THREADS + 1L);
      hang.invokeExact(0);
      assertThat(waits.join(Duration.ofSeconds(20))).as("who is patient gets an answer").isTrue();
      assertThat(signed(patient, 'd')).isEqualTo("d".repeat(64));
      assertThat(signed(module, 'e')).isEqualTo("e".repeat(64));
    } finally {
      hang.invokeExact(0);
    }
  }

  /** The signature as the module makes it, or why there is none. */
  private static String signed(SecurityModule module, char first) {
    try {
      byte[] message = String.valueOf(first).getBytes(StandardCharsets.US_ASCII);
      return new String(module.sign(ID, message), StandardCharsets.US_ASCII);
    } catch (ModuleFault e) {
      return String.valueOf(e.getMessage());
    }
  }

  private Path compiled() throws Exception {
    Path source = folder.resolve("module.c");
    try (InputStream in = HangingModuleTest.class.getResourceAsStream("hanging-module.c")) {
      Files.copy(Objects.requireNonNull(in), source);
    }
    Path library = folder.resolve("libmodule.so");
    Process compiler =
        new ProcessBuilder(
                "cc", "-shared", "-fPIC", "-pthread", "-o", library.toString(), source.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(compiler.waitFor()).as(said).isZero();
    return library;
  }

  private static MethodHandle function(Path library, String name, ValueLayout argument) {
    return Linker.nativeLinker()
        .downcallHandle(
            SymbolLookup.libraryLookup(library, Arena.global()).find(name).orElseThrow(),
            FunctionDescriptor.ofVoid(argument));
  }
}
