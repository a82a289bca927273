package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.error.ProblemException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTableTest {
  private static final RouteTable TABLE =
      new RouteTable(
          List.of(
              get("/"),
              get("/api/passports"),
              get("/api/passports/list"),
              get("/api/passports/{agent_id}"),
              get("/api/passports/{agent_id}/history"),
              get("/api/verify/{agent_id}"),
              get("/api/verify/decisions/{agent_id}"),
              get("/a/b/c"),
              get("/a/{x}/d"),
              get("/a/{y}/{z}/e"),
              get("/log/tile/{path...}"),
              get("/oap"),
              get("/oap/"),
              get("/only-slash/")));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /                          | /                                  |
          /api/passports             | /api/passports                     |
          /api/passports/            | /api/passports                     |
          /api/passports/list        | /api/passports/list                |
          /api/passports/%6cist      | /api/passports/list                |
          /api/passports/ap_1        | /api/passports/{agent_id}          | agent_id=ap_1
          /api/passports/ap_1/       | /api/passports/{agent_id}          | agent_id=ap_1
          /api/passports/a%2Fb       | /api/passports/{agent_id}          | agent_id=a/b
          /api/passports/%C3%A9+     | /api/passports/{agent_id}          | agent_id=é+
          /api/passports/list/history| /api/passports/{agent_id}/history  | agent_id=list
          /api/verify/decisions      | /api/verify/{agent_id}             | agent_id=decisions
          /api/verify/decisions/x    | /api/verify/decisions/{agent_id}   | agent_id=x
          /a/b/c                     | /a/b/c                             |
          /a/b/d                     | /a/{x}/d                           | x=b
          /a/b/c/e                   | /a/{y}/{z}/e                       | z=c
          /log/tile/0/x001/067       | /log/tile/{path...}                | path=0/x001/067
          /oap                       | /oap                               |
          /oap/                      | /oap/                              |
          /only-slash/               | /only-slash/                       |
          """)
  void finds(String path, String pattern, String param) {
    RouteTable.Match match = TABLE.find(path).orElseThrow();
    assertThat(match.route("GET").map(Route::path)).contains(pattern);
    if (param != null) {
      String[] parts = param.split("=", 2);
      assertThat(match.param("GET", parts[0])).isEqualTo(parts[1]);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api", "/nowhere", "/a/b", "/a/b/c/f", "/only-slash", "/log/tile"})
  void doesNotFind(String path) {
    assertThat(TABLE.find(path)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "%4", "%zz", "%ff", "%C3", "a%"})
  void aBrokenEncodingIs400(String segment) {
    assertThatThrownBy(() -> TABLE.find("/api/passports/" + segment))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("percent-encoding");
  }

  @Test
  void aRouteStandsOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RouteTable(List.of(get("/a/{x}"), get("/a/{y}"))))
        .withMessageContaining("twice");
  }

  @Test
  void theMethodsOfAPathAreTold() {
    var table =
        new RouteTable(
            List.of(get("/a"), Route.delete("/a", Permission.OPEN, _ -> Response.empty(204))));
    assertThat(table.find("/a").orElseThrow().methods())
        .containsExactly("DELETE", "GET", "HEAD", "OPTIONS");
  }

  private static Route get(String path) {
    return Route.get(path, Permission.OPEN, _ -> Response.empty(204));
  }
}
