package dev.safeconduct.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.cli.ShellRun;
import dev.safeconduct.config.YamlDocuments;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the recipes in examples/policy-as-code, in a real shell, with a real service. */
@Tag("slow")
final class CiRecipesTest {
  private static final Path RECIPES = Path.of("examples", "policy-as-code");
  private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{ *([\\w.]+) *}}");

  @AutoClose private static final TestService service = TestService.start();

  @TempDir private static Path folder;

  /** Programs of the runner: safeconduct, and the one by which GitHub comments. */
  private static Path programs = Path.of("");

  @BeforeAll
  static void programs() throws IOException {
    programs = Files.createDirectory(folder.resolve("bin"));
    program(
        "safeconduct",
        "exec '%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s' dev.safeconduct.Main \"$@\""
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path")));
    program(
        "gh",
        "[ \"$1 $2 $3 $4\" = 'pr comment 7 --body-file' ] && [ -n \"$GH_TOKEN\" ] && cp \"$5\" posted.md");
  }

  private static void program(String name, String script) throws IOException {
    Path file = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + script + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** An organization, its tokens, and a checkout of its files. */
  private record Checkout(String org, String read, String deploy, Path files) {
    static Checkout of(String name) throws IOException {
      String org = Questions.Tenant.made(service, name, "'read'").org();
      Path files = Files.createDirectory(folder.resolve(name));
      Path agents = Files.createDirectory(files.resolve("agents"));
      try (Stream<Path> each = Files.list(RECIPES.resolve("agents"))) {
        for (Path file : each.toList()) {
          Files.copy(file, agents.resolve(file.getFileName().toString()));
        }
      }
      return new Checkout(
          org,
          token("'role': 'read_only'"),
          token(
              "'role': 'deploy', 'may': ['webhooks', 'retention', 'withdraw'], 'org_id': '"
                  + org
                  + "'"),
          files);
    }

    private static String token(String what) {
      Reply made =
          service.admin().post("/api/admin/tokens", Calls.json("{'name': 'CI', " + what + "}"));
      assertThat(made.status()).as(made.toString()).isEqualTo(201);
      return made.string("token");
    }

    ShellRun run(String script, Map<String, String> environment) {
      var process = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", script);
      process.directory(files.toFile());
      process.environment().keySet().retainAll(List.of("PATH", "HOME"));
      process.environment().merge("PATH", "", (path, _) -> programs + ":" + path);
      process.environment().putAll(environment);
      return ShellRun.of(process, "");
    }

    String read(String name) throws IOException {
      return Files.readString(files.resolve(name));
    }

    void replace(String text, String by) throws IOException {
      try (Stream<Path> each = Files.list(files.resolve("agents"))) {
        for (Path file : each.toList()) {
          Files.writeString(file, Files.readString(file).replace(text, by));
        }
      }
    }
  }

  /** What a job of a recipe runs. */
  private interface Job {
    ShellRun run(String name);
  }

  private static JsonObject recipe(String name) throws IOException, JsonFault {
    return (JsonObject)
        YamlDocuments.read(Files.readString(RECIPES.resolve(name))).getFirst().value();
  }

  @Test
  void githubActions() throws Exception {
    Checkout checkout = Checkout.of("github");
    JsonObject jobs = recipe("github-actions.yml").object("jobs").orElseThrow();
    Map<String, String> known =
        Map.of(
            "vars.SAFECONDUCT_URL", service.base().toString(),
            "vars.SAFECONDUCT_ORG", checkout.org(),
            "secrets.SAFECONDUCT_READ_TOKEN", checkout.read(),
            "secrets.SAFECONDUCT_DEPLOY_TOKEN", checkout.deploy(),
            "secrets.SAFECONDUCT_SECRET_WEBHOOK", "a secret of the webhook",
            "github.repository", "example/agents",
            "github.event.pull_request.number", "7",
            "github.token", "a token",
            "github.sha", "c0ffee");
    holds(
        checkout,
        name -> {
          JsonObject job = jobs.object(name).orElseThrow();
          JsonObject env = job.object("env").orElse(JsonObject.EMPTY);
          Map<String, String> environment = new HashMap<>();
          for (String variable : env.names()) {
            environment.put(
                variable,
                EXPRESSION
                    .matcher(env.string(variable).orElseThrow())
                    .replaceAll(each -> known.get(each.group(1))));
          }
          ShellRun last = new ShellRun(0, "", "");
          for (JsonValue step : job.array("steps").orElseThrow()) {
            String script = ((JsonObject) step).string("run").orElse("");
            if (last.exit() == 0 && !script.isEmpty()) {
              last = checkout.run(script, environment);
            }
          }
          return last;
        },
        "posted.md");
  }

  @Test
  void gitlab() throws Exception {
    Checkout checkout = Checkout.of("gitlab");
    JsonObject recipe = recipe("gitlab-ci.yml");
    HttpServer gitlab =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    gitlab.createContext(
        "/projects/12/merge_requests/3/notes",
        exchange -> {
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          boolean known =
              "a comment token".equals(exchange.getRequestHeaders().getFirst("PRIVATE-TOKEN"));
          Files.writeString(
              checkout.files().resolve("posted.md"),
              URLDecoder.decode(body.replaceFirst("^body=", ""), UTF_8));
          exchange.sendResponseHeaders(known ? 201 : 401, -1);
          exchange.close();
        });
    gitlab.start();
    try {
      Map<String, String> environment = new HashMap<>();
      environment.put("BASE_URL", service.base().toString());
      environment.put("SAFECONDUCT_ORG", checkout.org());
      environment.put("SAFECONDUCT_READ_TOKEN", checkout.read());
      environment.put("SAFECONDUCT_DEPLOY_TOKEN", checkout.deploy());
      environment.put("SAFECONDUCT_SECRET_WEBHOOK", "a secret of the webhook");
      environment.put("COMMENT_TOKEN", "a comment token");
      environment.put("CI_PROJECT_PATH", "example/agents");
      environment.put("CI_PROJECT_ID", "12");
      environment.put("CI_MERGE_REQUEST_IID", "3");
      environment.put("CI_COMMIT_SHA", "c0ffee");
      environment.put("CI_API_V4_URL", "http://127.0.0.1:" + gitlab.getAddress().getPort());
      holds(
          checkout,
          name -> {
            var lines = new ArrayList<String>();
            JsonArray script =
                recipe.object(name).flatMap(job -> job.array("script")).orElseThrow();
            script.forEach(line -> lines.add(((JsonString) line).value()));
            return checkout.run(String.join("\n", lines), environment);
          },
          "posted.md");
    } finally {
      gitlab.stop(0);
    }
  }

  /** A change is checked, planned, applied, and then nothing is left to change. */
  private static void holds(Checkout checkout, Job job, String comment) throws IOException {
    succeeds(job.run("check"));
    assertThat(checkout.read("results.xml")).contains("<testsuite");
    succeeds(job.run("plan"));
    assertThat(checkout.read(comment))
        .startsWith("```\n")
        .endsWith("```\n")
        .contains(
            "+ Passport support-eu", "Plan: 3 to create, 1 to change", "Effects: of 0 decisions")
        .doesNotContain("a secret of the webhook");
    assertThat(succeeds(job.run("apply"))).contains("Applied: 3 created, 1 changed");
    String records =
        Questions.records(service.admin(), "kind=config&org_id=" + checkout.org()).toString();
    assertThat(records).contains("c0ffee", "example/agents");
    succeeds(job.run("plan"));
    assertThat(checkout.read(comment)).contains("No changes: 0 to create");
    checkout.replace("kind: Retention", "kind: Retentions");
    assertThat(job.run("plan").exit()).isNotZero();
    assertThat(checkout.read(comment)).contains("kind must be one of", "agents/");
  }

  private static String succeeds(ShellRun run) {
    assertThat(run.exit()).as(run.toString()).isZero();
    return run.out();
  }
}
