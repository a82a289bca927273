package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.app.ObserveCatalogue;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CaseReader;
import dev.safeconduct.simulate.PolicyCase;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.verify.EvaluatedContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What observe mode never allows, over the cases of every built-in pack. */
final class ObserveRulesTest {
  private static final Path POLICIES = Path.of("policies");
  private static final ObserveRules RULES = ObserveCatalogue.read(Catalogue.builtIn());

  /** What denies before and after the rules of every pack, whoever asks. */
  private static final Set<String> NEVER =
      Set.of(
          "oap.account_type_restricted",
          "oap.passport_suspended",
          "oap.passport_expired",
          "oap.assurance_insufficient",
          "oap.invalid_context",
          "oap.approval_required",
          "oap.policy_error",
          "oap.blocked_pattern",
          "oap.path_blocked",
          "oap.private_ip_blocked",
          "oap.env_var_blocked",
          "oap.idempotency_conflict");

  /** The widest limits; what they do not open is a protection that no passport opens. */
  private static final Map<String, String> WIDEST =
      Map.of(
          "system.command.execute.v1",
          "{'allowed_commands': ['*'], 'max_execution_time': 1000000}",
          "data.file.read.v1",
          "{'allowed_paths': ['/', '**', '*'], 'disable_default_blocks': true}",
          "data.file.write.v1",
          "{'allowed_paths': ['/', '**', '*'], 'disable_default_blocks': true}",
          "web.fetch.v1",
          "{'allowed_domains': ['*'], 'allow_private_ips': true, 'disable_default_blocks': true}",
          "web.browser.v1",
          "{'allowed_domains': ['*'], 'allow_private_ips': true, 'disable_default_blocks': true}",
          "mcp.tool.execute.v1",
          "{'allowed_servers': ['*'], 'allowed_tools': ['*'], 'max_timeout': 1000000}");

  @TestFactory
  Stream<DynamicTest> deniesWhatNoPassportOpens() throws IOException {
    return folders().map(folder -> dynamicTest(folder.getFileName().toString(), () -> ask(folder)));
  }

  private static void ask(Path folder) throws Exception {
    PolicyPack pack = TestPacks.read(folder);
    int denied = 0;
    int observed = 0;
    for (Path file : files(folder.resolve("cases"))) {
      for (PolicyCase one : CaseReader.read(Files.readAllBytes(file))) {
        if (one.passport().isEmpty()) {
          continue;
        }
        JsonObject passport = one.passport().get();
        for (PolicyCase.Step step : one.steps()) {
          passport = step.passport().orElse(passport);
          JsonObject context = EvaluatedContext.of(pack, step.context()).context();
          Outcome enforced = judge(pack, passport, one, context, Optional.empty());
          Outcome outcome = judge(pack, passport, one, context, Optional.of(RULES));
          String about = one.name() + " " + context + " " + outcome.reason();
          if (enforced.isAllow()) {
            assertThat(outcome).as(about).isEqualTo(allowed(enforced, outcome));
            continue;
          }
          denied++;
          assertThat(outcome.isAllowedByPolicy()).as(about).isFalse();
          assertThat(outcome.policyReason()).as(about).isEqualTo(enforced.reason());
          if (!outcome.isAllow()) {
            // What was lifted is not recorded as passed.
            EvaluatedChecks checks = outcome.evaluated().getFirst();
            outcome
                .observed()
                .flatMap(Reason::rule)
                .ifPresent(rule -> {
                  assertThat(checks.rules()).as(about).doesNotContain(rule);
                  assertThat(checks.passed()).as(about).doesNotContain(CheckOrder.RULES);
                });
            continue;
          }
          observed++;
          assertThat(outcome.evaluated()).as(about).isEqualTo(enforced.evaluated());
          if (!isByList(enforced)) {
            assertThat(NEVER).as(about).doesNotContain(enforced.reason().code());
          }
          if (WIDEST.containsKey(pack.id().value())) {
            Outcome widest = judge(pack, widest(pack), one, context, Optional.empty());
            assertThat(widest.isAllow() || isCount(widest)).as(about + widest.reason()).isTrue();
          }
        }
      }
    }
    assertThat(denied).isPositive();
    assertThat(observed).as("nothing is observed").isPositive();
  }

  /** Limits of the context's own numbers have no widest value. */
  private static boolean isCount(Outcome outcome) {
    return Set.of(
            "oap.limit_exceeded",
            "oap.timeout_exceeded",
            "oap.parameter_size_exceeded",
            "oap.server_not_allowed",
            "oap.region_blocked",
            "oap.directory_not_allowed",
            "oap.rate_limit_exceeded")
        .contains(outcome.reason().code());
  }

  /** What protects only beside a list of commands; the widest list does not deny it. */
  private static boolean isByList(Outcome outcome) {
    return outcome.reason().message().endsWith("beside the list.")
        || outcome.reason().message().endsWith("may not be set.");
  }

  private static Outcome allowed(Outcome enforced, Outcome outcome) {
    Outcome.Allow allow = (Outcome.Allow) enforced;
    return new Outcome.Allow(
        allow.reason(),
        allow.conditions(),
        allow.charges(),
        ((Outcome.Allow) outcome).lasting(),
        Optional.empty(),
        allow.evaluated(),
        allow.trace());
  }

  private static JsonObject widest(PolicyPack pack) {
    String limits = WIDEST.get(pack.id().value());
    String container = pack.containers().getFirst();
    return Calls.json(
        """
        {'agent_id': 'ap_1', 'status': 'active', 'assurance_level': 'L4FIN', 'regions': ['*'],
         'capabilities': [{'id': '%s'}], 'mcp': {'servers': ['*'], 'tools': ['*']},
         'limits': {'%s': %s}}
        """
            .formatted(pack.capabilities().getFirst(), container, limits));
  }

  private static Outcome judge(
      PolicyPack pack,
      JsonObject passport,
      PolicyCase one,
      JsonObject context,
      Optional<ObserveRules> observe) {
    var session =
        new TestSession(
            pack,
            passport.has("status") ? passport : passport.with("status", new JsonString("active")));
    session.reports(one.feeds());
    session.at(one.at());
    return session.judge(context, Usage.NONE, observe);
  }

  @Test
  void knowsThePacksThatAreAboutMoney() throws Exception {
    var money = new HashSet<String>();
    for (Path folder : folders().toList()) {
      PolicyPack pack = TestPacks.read(folder);
      if (RULES.concernsMoney(pack)) {
        money.add(pack.id().value());
      }
    }
    assertThat(money)
        .containsExactlyInAnyOrder(
            "data.export.create.v1",
            "finance.crypto.trade.v1",
            "finance.payment.charge.v1",
            "finance.payment.payout.v1",
            "finance.payment.refund.v1",
            "finance.transaction.execute.v1",
            "governance.data.access.v1",
            "legal.contract.review.v1");
  }

  /** An own pack is about money by what its context and rules name, or add up. */
  @TestFactory
  Stream<DynamicTest> knowsAnOwnPackThatIsAboutMoney() {
    String few = "'condition': 'context.size < 9'";
    String counted = "'counters': [{'window': 'day', 'max': 'limits.most'%s}]";
    return Map.of(
            List.of("", "", few), false,
            List.of("", "", counted.formatted("")), false,
            List.of("", "", counted.formatted(", 'amount': 'context.size'")), true,
            List.of(", 'amount_cents': {'type': 'integer'}", "", few), true,
            List.of(", 'order': {'properties': {'totalPrice': {}}}", "", few), true,
            List.of(", 'lines': {'items': {'properties': {'COST': {}}}}", "", few), true,
            List.of(", 'USDTotal': {'type': 'number'}", "", few), true,
            List.of(", 'amounted': {'type': 'integer'}", "", few), false,
            List.of("", ", 'prices': {'type': 'number'}", "'condition': 'limits.prices > 1'"), true)
        .entrySet()
        .stream()
        .map(one ->
            dynamicTest(
                one.getKey().toString(),
                () -> {
                  PolicyPack pack =
                      own(one.getKey().get(0), one.getKey().get(1), one.getKey().get(2));
                  assertThat(RULES.concernsMoney(pack)).isEqualTo(one.getValue());
                }));
  }

  @TestFactory
  Stream<DynamicTest> keepsWhatTheOwnerForbidsByName() {
    return Map.of(
            "'condition': 'context.size < limits.most'", true,
            "'condition': '!block(limits.bad, context.name)'", false,
            "'condition': 'context.size < 0 && !block (limits.bad, context.name)'", false,
            "'condition': 'absent(limits.blocked_names)'", false,
            "'condition': '!get(limits, \\\"blocked_names\\\").includes(context.name)'", false,
            "'condition': '!limits.hosts.blocked.includes(context.name)'", false,
            "'condition': '!limits.denylist.includes(context.name)'", false,
            "'condition': '!limits.bannedUsers.includes(context.name)'", false,
            "'condition': '!limits.bad.includes(context.name)'", true)
        .entrySet()
        .stream()
        .map(one ->
            dynamicTest(
                one.getKey(),
                () -> {
                  var session = new TestSession(own("", LISTS, one.getKey()), OWNER);
                  Outcome outcome =
                      session.judge(
                          Calls.json("{'size': 99, 'name': 'Evil'}"),
                          Usage.NONE,
                          Optional.of(RULES));
                  assertThat(outcome.isAllowedByPolicy()).isFalse();
                  assertThat(outcome.isAllow())
                      .as(outcome.reason().toString())
                      .isEqualTo(one.getValue());
                }));
  }

  /** The parts of one rule are evaluated in order; the owner's block list holds in any. */
  @Test
  void evaluatesEachPartOfARule() throws Exception {
    PolicyPack pack =
        own(
            ", 'tool': {'type': 'string'}",
            ", 'allowed_tools': {'type': 'string_list'}, 'blocked_tools': {'type': 'string_list'}",
            "'condition': 'context.size < limits.most', 'validator': 'validateMCPTool',"
                + " 'limits': ['allowed_tools', 'blocked_tools'], 'context': ['tool']");
    for (Map.Entry<String, Boolean> one : Map.of("evil", false, "good", true).entrySet()) {
      JsonObject context =
          Calls.json("{'size': 99, 'name': 'x', 'tool': '%s'}".formatted(one.getKey()));
      var session = new TestSession(pack, OWNER);
      assertThat(session.judge(context, Usage.NONE).reason().message()).isEqualTo("no");
      Outcome outcome = session.judge(context, Usage.NONE, Optional.of(RULES));
      assertThat(outcome.isAllow()).as(outcome.reason().toString()).isEqualTo(one.getValue());
    }
  }

  /** A fault in a rule denies, whichever of its counters is full before. */
  @Test
  void evaluatesEachCounterOfARule() throws Exception {
    PolicyPack pack =
        own(
            "",
            "",
            "'counters': [{'name': 'a', 'window': 'day', 'max': '0'},"
                + " {'name': 'b', 'window': 'day', 'max': '9', 'when': 'block(limits.bad, context.name)'}]");
    JsonObject limits =
        OWNER.object("limits").orElseThrow().with("bad", new JsonString("not a list"));
    var session = new TestSession(pack, OWNER.with("limits", limits));
    JsonObject context = Calls.json("{'size': 1, 'name': 'x'}");
    assertThat(session.judge(context, Usage.NONE).isAllow()).isFalse();
    assertThat(session.judge(context, Usage.NONE, Optional.of(RULES)).isAllow()).isFalse();
  }

  private static final JsonObject OWNER =
      Calls.json(
          """
          {'agent_id': 'ap_1', 'status': 'active', 'assurance_level': 'L4FIN',
           'capabilities': [{'id': 'rent'}],
           'limits': {'most': 1, 'bad': ['evil', 'Evil'], 'blocked_names': ['evil', 'Evil'],
                      'blocked_tools': ['evil'], 'hosts': {'blocked': ['Evil']},
                      'denylist': ['Evil'], 'bannedUsers': ['Evil']}}
          """);

  private static final String LISTS =
      ", 'hosts': {'type': 'object'}, 'denylist': {'type': 'string_list'},"
          + " 'bannedUsers': {'type': 'string_list'}";

  private static PolicyPack own(String fields, String limits, String rule) throws Exception {
    return TestPacks.parse(
        """
        {'id': 'acme.rent.v1', 'requires_capabilities': ['rent'], 'limits_containers': [],
         'deny_codes': {'oap.no': 'The answer of this test.'},
         'limits': {'most': {'type': 'number'}, 'bad': {'type': 'string_list'},
          'blocked_names': {'type': 'string_list'} LIMITS},
         'required_context': {'type': 'object', 'properties': {
          'size': {'type': 'integer'}, 'name': {'type': 'string'} FIELDS}},
         'evaluation_rules': [{'name': 'rule', 'deny_code': 'oap.no', 'message': 'no', RULE}]}
        """
            .replace("RULE", rule)
            .replace("FIELDS", fields)
            .replace("LIMITS", limits)
            .replace('\'', '"'));
  }

  /** Lines are judged as with every command on the list, whatever the passport's list is. */
  @TestFactory
  Stream<DynamicTest> protectsACommandLineAsTheWidestListDoes() {
    String many = "a;".repeat(1100);
    return Map.ofEntries(
            Map.entry(many + "bash -c 'rm -r -f /'", false),
            Map.entry(many + "sh -c 'find / -delete'", false),
            Map.entry(many + "sh -c 'chown -R me /'", false),
            Map.entry(many + "sh -c 'cat ~/.ssh/id_rsa'", false),
            Map.entry(many + "bash -c 'nc -l 1'", false),
            Map.entry("x ".repeat(4097), false),
            Map.entry(" ; ", false),
            Map.entry("sh -c 'cat ~/.ssh/id_rsa'", false),
            Map.entry("LD_PRELOAD=x make", false),
            Map.entry("EDITOR=vi LD_PRELOAD=x make", false),
            Map.entry("EDITOR=vi make", true),
            Map.entry("find src -name x -exec touch {} +", true),
            Map.entry("find src -name x -exec cat ~/.ssh/id_rsa {} +", false),
            Map.entry("make $(date)", true))
        .entrySet()
        .stream()
        .map(one ->
            dynamicTest(
                one.getKey().substring(Math.max(0, one.getKey().length() - 60)),
                () -> {
                  String passport = "'capabilities': [%s], 'limits': {%s}";
                  String capability = "{'id': 'system.command.execute'}";
                  String most = "'max_execution_time': 1000";
                  for (String narrow :
                      List.of(
                          passport.formatted(capability, most),
                          passport.formatted(capability, "'allowed_commands': []," + most),
                          passport.formatted(capability, "'allowed_commands': ['ls']," + most),
                          passport.formatted("", "'allowed_commands': ['ls']," + most),
                          passport.formatted("", ""))) {
                    assertThat(line(narrow, one.getKey(), Optional.of(RULES)).isAllow())
                        .as(narrow)
                        .isEqualTo(one.getValue());
                  }
                  String widest =
                      passport.formatted(capability, "'allowed_commands': ['*']," + most);
                  assertThat(line(widest, one.getKey(), Optional.empty()).isAllow())
                      .isEqualTo(one.getValue());
                }));
  }

  /**
   * Files that no passport opens stay closed to output where the owner lifts the default blocks.
   */
  @TestFactory
  Stream<DynamicTest> neverWritesAProtectedFile() {
    return Map.of(
            "echo x > /etc/passwd", false,
            "echo x > /etc/passwd $(date)", false,
            "echo $(date) >> /srv/../etc/passwd", false,
            "bash -c 'echo x > /etc/passwd'", false,
            "echo x > /srv/notes $(date)", true)
        .entrySet()
        .stream()
        .map(one ->
            dynamicTest(
                one.getKey(),
                () -> {
                  for (String list : List.of("", "'allowed_commands': ['ls'],")) {
                    Outcome outcome =
                        line(
                            "'capabilities': [], 'limits': {%s 'disable_default_blocks': true}"
                                .formatted(list),
                            one.getKey(),
                            Optional.of(RULES));
                    assertThat(outcome.isAllow()).as(list).isEqualTo(one.getValue());
                  }
                }));
  }

  private static Outcome line(String passport, String line, Optional<ObserveRules> observe)
      throws Exception {
    return new TestSession(
            TestPacks.builtIn("system.command.execute.v1"),
            Calls.json(
                "{'agent_id': 'ap_1', 'status': 'active', 'assurance_level': 'L4FIN', "
                    + passport
                    + "}"))
        .judge(JsonObject.builder().put("command", line).build(), Usage.NONE, observe);
  }

  /** The owner's block list holds whether the allow list admits the tool or not. */
  @TestFactory
  Stream<DynamicTest> keepsTheBlockListOfTools() {
    return Map.of(
            "'allowed_tools': ['*'], 'blocked_tools': ['delete_*']", List.of("write"),
            "'allowed_tools': ['read'], 'blocked_tools': ['delete_*']", List.of("write"),
            "'blocked_tools': ['delete_repo']", List.of("write"),
            "'blocked_tools': 'delete_repo'", List.of())
        .entrySet()
        .stream()
        .map(one ->
            dynamicTest(
                one.getKey(),
                () ->
                    assertThat(
                            Stream.of("delete_repo", "write")
                                .filter(tool -> calls(one.getKey(), tool)))
                        .isEqualTo(one.getValue())));
  }

  private static boolean calls(String limits, String tool) {
    try {
      return new TestSession(
              TestPacks.builtIn("mcp.tool.execute.v1"),
              Calls.json(
                  "{'agent_id': 'ap_1', 'status': 'active', 'assurance_level': 'L4FIN',"
                      + " 'capabilities': [], 'limits': {"
                      + limits
                      + "}}"))
          .judge(
              Calls.json(
                  "{'server': 'https://tools.example.com', 'parameters': {}, 'tool': '"
                      + tool
                      + "'}"),
              Usage.NONE,
              Optional.of(RULES))
          .isAllow();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A list that names what does not exist would lift nothing, or deny nothing. */
  @Test
  void namesOnlyWhatExists() {
    assertThat(Validators.all().keySet()).containsAll(RULES.ownLists());
    assertThat(RULES.alwaysDenied()).allMatch(code -> ReasonCode.parse(code).isPresent());
    assertThat(RULES.alwaysDenied()).containsAll(NEVER);
    assertThat(RULES.ownLists())
        .doesNotContainAnyElementsOf(
            List.of(
                "validateBlockedPatterns",
                "validateFilePathPatterns",
                "validateWriteBlockedPaths",
                "validateEnvironmentVariables",
                "validateWebFetchPrivateIP",
                "validateWebFetchHeaders",
                "validateBrowserPrivateIP",
                "validateMCPServer",
                "validateSearchQuery"));
  }

  private static Stream<Path> folders() throws IOException {
    return files(POLICIES).stream().filter(folder -> Files.exists(folder.resolve("policy.json")));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.sorted().toList();
    }
  }
}
