package dev.safeconduct.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The HTTP stacks that open clients are made of: those of Node.js and Python, run for real. */
final class ClientTransportTest {
  @ParameterizedTest
  @CsvSource({"node, ask.mjs", "python3, ask.py"})
  void asksAndUnderstands(String program, String script)
      throws IOException, InterruptedException, JsonFault {
    try (TestService service = TestService.start()) {
      String agent = Questions.hosted(service, 9);
      Process process =
          new ProcessBuilder(
                  List.of(
                      program,
                      Path.of("server/src/test/open-clients", script).toString(),
                      service.base().toString(),
                      service.key(),
                      agent))
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      assertThat(Json.text(Json.parse(said)))
          .isEqualTo(
              """
              [["allow",200,true,"AGENT"],["deny",200,false,"AGENT"],["utf-8",200,true,"AGENT"],\
              ["empty",400,false,null],["view",200,null,"AGENT"],["keys",200,null,null],\
              ["unknown",404,null,null],["many",200,true,null]]\
              """
                  .replace("AGENT", agent));
    }
  }
}
