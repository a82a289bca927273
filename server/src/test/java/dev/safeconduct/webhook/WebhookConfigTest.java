package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.webhook.delivery.AddressGuard;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WebhookConfigTest {
  private static final RetryPolicy USUAL =
      new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(5));

  @Test
  void defaults() {
    assertThat(WebhookConfig.from(new Env(Map.of()), true))
        .isEqualTo(
            new WebhookConfig(
                Optional.empty(), Optional.empty(), USUAL, Duration.ofSeconds(30), true, false));
  }

  @Test
  void everyVariable() {
    var env =
        new Env(
            Map.of(
                "WEBHOOK_URL", "https://hooks.example.com/in?from=safeconduct",
                "WEBHOOK_SECRET", "the-secret",
                "WEBHOOK_RETRY_ATTEMPTS", "0",
                "WEBHOOK_RETRY_DELAY_MS", "250",
                "WEBHOOK_TIMEOUT_MS", "800",
                "WEBHOOK_TOTAL_TIMEOUT_MS", "9000",
                "WEBHOOK_PRIVATE_NETWORKS", "allow"));
    assertThat(WebhookConfig.from(env, false))
        .isEqualTo(
            new WebhookConfig(
                ReceiverUrl.parse("https://hooks.example.com/in?from=safeconduct"),
                Optional.of(new WebhookSecret("the-secret")),
                new RetryPolicy(0, Duration.ofMillis(250), Duration.ofMillis(800)),
                Duration.ofSeconds(9),
                true,
                true));
    env.check();
  }

  /** On a laptop the operator's receiver may be on it; a tenant's never without a setting. */
  @Test
  void privateNetworksAreTheOperatorsWhileNobodyElseReachesTheServer() {
    assertThat(guard(Map.of(), true)).isEqualTo(new AddressGuard(true, false));
    assertThat(guard(Map.of(), false)).isEqualTo(new AddressGuard(false, false));
    assertThat(guard(Map.of("WEBHOOK_PRIVATE_NETWORKS", "refuse"), true))
        .isEqualTo(new AddressGuard(false, false));
    assertThat(guard(Map.of("WEBHOOK_PRIVATE_NETWORKS", "allow"), false))
        .isEqualTo(new AddressGuard(true, true));
  }

  private static AddressGuard guard(Map<String, String> variables, boolean loopback) {
    return WebhookConfig.from(new Env(variables), loopback).guard();
  }

  @Test
  void faultsNameTheirVariableAndHideTheSecret() {
    var env =
        new Env(
            Map.of(
                "WEBHOOK_URL", "https://user:password@hooks.example.com",
                "WEBHOOK_SECRET", "whsec_not-base64",
                "WEBHOOK_RETRY_ATTEMPTS", "many",
                "WEBHOOK_RETRY_DELAY_MS", "30001",
                "WEBHOOK_TIMEOUT_MS", "0",
                "WEBHOOK_TOTAL_TIMEOUT_MS", "300001",
                "WEBHOOK_PRIVATE_NETWORKS", "true"));
    WebhookConfig.from(env, true);
    ConfigFault fault = catchThrowableOfType(ConfigFault.class, env::check);
    assertThat(fault.faults().stream().map(text -> text.substring(0, text.indexOf(' '))))
        .containsExactly(
            "WEBHOOK_URL",
            "WEBHOOK_SECRET",
            "WEBHOOK_RETRY_ATTEMPTS",
            "WEBHOOK_RETRY_DELAY_MS",
            "WEBHOOK_TIMEOUT_MS",
            "WEBHOOK_TOTAL_TIMEOUT_MS",
            "WEBHOOK_PRIVATE_NETWORKS");
    assertThat(fault.getMessage()).doesNotContain("password", "not-base64");
  }

  @Test
  void secretsDoNotPrint() {
    assertThat(new WebhookSecret("the-secret")).hasToString("WebhookSecret[hidden]");
    assertThat(WebhookConfig.from(new Env(Map.of("WEBHOOK_SECRET", "the-secret")), true).toString())
        .doesNotContain("the-secret");
  }
}
