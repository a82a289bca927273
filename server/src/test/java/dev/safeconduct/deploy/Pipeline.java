package dev.safeconduct.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A new organization and the deploy token of its pipeline. */
record Pipeline(TestService service, String org, Path token, Path files, Path folder) {
  private static final AtomicInteger numbers = new AtomicInteger();

  static final String BOT =
      """
      kind: Passport
      slug: support-bot
      name: Support bot
      capabilities: [{id: messaging.send}]
      limits: {messaging.send: {msgs_per_day: 10, msgs_per_min: 90}}
      """;

  static final String EVERYTHING =
      """
      kind: Template
      slug: sales
      name: Sales
      capabilities: [{id: messaging.send}]
      limits: {messaging.send: {msgs_per_day: 50}}
      metadata: {team: "sales", rank: 007, on: yes}
      ---
      kind: Passport
      slug: sales-eu
      template: sales
      name: Sales EU
      limits: {messaging.send: {msgs_per_day: 20}}
      regions: [DE, FR]
      expires_at: 2031-01-31T00:00:00Z
      ---
      kind: Webhook
      url: https://hooks.example.com/T0/B0
      secret: {from_env: PATH}
      agent: sales-eu
      events: [status_change]
      timeout_ms: 900
      ---
      kind: Webhook
      url: https://hooks.example.com/all
      secret: {from_env: PATH}
      active: false
      ---
      kind: Retention
      days: 400
      """;

  static Pipeline of(EachStore.Services services, Path folder, EachStore store) {
    return of(services, folder, store, "'webhooks', 'retention', 'withdraw'");
  }

  private static Pipeline of(
      EachStore.Services services, Path folder, EachStore store, String may) {
    TestService service = services.on(store);
    int number = numbers.incrementAndGet();
    String org = Questions.Tenant.made(service, "Works " + number, "'read'").org();
    try {
      Path files = Files.createDirectory(folder.resolve("files-" + number));
      Path token = new Pipeline(service, org, files, files, folder).deployToken(may);
      return new Pipeline(service, org, token, files, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Pipeline write(String name, String text) {
    try {
      Path file = files.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  String read(String name) {
    try {
      return Files.readString(files.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  CommandRun run(String command, String... more) {
    return run(token, command, more);
  }

  CommandRun run(Path with, String command, String... more) {
    var all = new ArrayList<>(List.of(command, "-f", files.toString()));
    all.addAll(List.of(more));
    if (command.equals("validate")) {
      return CommandRun.safeconduct(all.toArray(String[]::new));
    }
    if (!command.equals("pull") && !command.equals("export")) {
      all.addAll(List.of("--env", "PATH"));
    }
    all.addAll(List.of("--url", service.base().toString(), "--token-file", with.toString()));
    return CommandRun.safeconduct(all.toArray(String[]::new));
  }

  Pipeline with(Path other) {
    return new Pipeline(service, org, other, files, folder);
  }

  Path deployToken(String may) {
    Reply made =
        service
            .admin()
            .post(
                "/api/admin/tokens",
                Calls.json(
                    "{'name': 'Ana', 'role': 'deploy', 'may': ["
                        + may
                        + "], 'org_id': '"
                        + org
                        + "'}"));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return kept("token-" + numbers.incrementAndGet(), made.string("token"));
  }

  JsonArray records(String kind) {
    return Questions.records(service.admin(), "kind=" + kind + "&org_id=" + org);
  }

  Reply bot() {
    return passport("support-bot");
  }

  /** The passport, as the deploy token of the organization sees it. */
  Reply passport(String slug) {
    try {
      return service
          .nobody()
          .with("Authorization", "Bearer " + Files.readString(token).strip())
          .get("/api/passports/by-slug/" + slug);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String name() {
    return "Works " + files.getFileName().toString().replace("files-", "");
  }

  /** The same pipeline with other files. */
  Pipeline in(String name) {
    try {
      return new Pipeline(service, org, token, Files.createDirectory(folder.resolve(name)), folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Pipeline asOperator() {
    return new Pipeline(service, org, kept("admin", TestService.ADMIN_TOKEN), files, folder);
  }

  Path readOnly() {
    Reply made =
        service
            .admin()
            .post("/api/admin/tokens", Calls.json("{'name': 'Ana', 'role': 'read_only'}"));
    return kept("read-only-" + org, made.string("token"));
  }

  private Path kept(String name, String token) {
    try {
      return Files.writeString(folder.resolve(name), token + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String pack(Pipeline pipeline, int most) {
    return Json.text(StockPack.pack(packId(pipeline), most));
  }

  static String packId(Pipeline pipeline) {
    return "acme.stock.move." + pipeline.org().substring(28) + ".v1";
  }

  static void says(CommandRun run, int status, String... texts) {
    assertThat(run.status()).as(run.toString()).isEqualTo(status);
    for (String text : texts) {
      assertThat(run.out() + run.err()).contains(text);
    }
  }
}
