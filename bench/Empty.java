import io.helidon.http.HeaderValues;
import io.helidon.webserver.WebServer;
import java.nio.charset.StandardCharsets;

/** What the machine can do at all: a bare Helidon server that reads a body and answers two bytes. */
final class Empty {
  private Empty() {}

  public static void main(String[] args) {
    byte[] answer = "{}".getBytes(StandardCharsets.UTF_8);
    WebServer.builder()
        .host("127.0.0.1")
        .port(Integer.parseInt(args[0]))
        .routing(routing ->
            routing.any((request, response) -> {
              if (request.content().hasEntity()) {
                request.content().as(byte[].class);
              }
              response.headers().set(HeaderValues.CONTENT_TYPE_JSON);
              response.send(answer);
            }))
        .build()
        .start();
  }
}
