package dev.safeconduct.access.people;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** Describes the caller. */
public final class CurrentUser {
  private final Accounts accounts;
  private final Organizations organizations;
  private final SessionTokens tokens;

  public CurrentUser(Accounts accounts, Organizations organizations, SessionTokens tokens) {
    this.accounts = accounts;
    this.organizations = organizations;
    this.tokens = tokens;
  }

  /** Returns the caller's own data as JSON. */
  JsonObject run(Caller caller) {
    JsonObject.Builder answer = JsonObject.builder().put("ok", true);
    Set<Scope> scopes = Rights.of(caller).scopes();
    switch (caller) {
      case Caller.Key key -> {
        answer.put("kind", "key").put("key_id", key.keyId()).put("org_id", key.org().value());
        answer.putIfPresent("agent_id", key.boundTo().map(agent -> agent.value()));
      }
      case Caller.Person person -> person(answer, person, false);
      case Caller.Admin admin ->
          admin
              .person()
              .ifPresentOrElse(
                  person -> person(answer, person, true), () -> token(answer, admin.token()));
      case Caller.Deploy deploy ->
          answer.put("kind", "operator_token").put("token_id", deploy.tokenId());
      case Caller.Anonymous _ -> answer.put("kind", "anonymous");
    }
    return answer
        .put(
            "scopes",
            JsonArray.ofStrings(
                Arrays.stream(Scope.values()).filter(scopes::contains).map(Scope::wire).toList()))
        .build();
  }

  private static void token(JsonObject.Builder answer, Optional<Caller.Token> token) {
    answer
        .put("kind", token.isPresent() ? "operator_token" : "admin_token")
        .putIfPresent("token_id", token.map(Caller.Token::id));
    token.ifPresent(named -> answer.put("read_only", named.readOnly()));
  }

  private void person(JsonObject.Builder answer, Caller.Person person, boolean operator) {
    Account account = accounts.find(person.accountId()).orElseThrow();
    answer
        .put("kind", "session")
        .put("account_id", account.id())
        .put("email", account.email().value())
        .put("display_name", account.displayName())
        .put("operator", operator)
        .put("org_id", person.org().value())
        .put("role", person.role().wire())
        .put("organizations", places(person))
        .put("csrf_token", tokens.csrf(person.sessionId()));
  }

  private JsonArray places(Caller.Person person) {
    var places = new ArrayList<JsonValue>();
    for (Member member : accounts.membershipsIn(person.sessionId(), person.accountId())) {
      Optional<Organization> organization =
          organizations.list(new Tenant.One(member.org()), Optional.empty(), 1).stream()
              .findFirst();
      places.add(
          JsonObject.builder()
              .put("org_id", member.org().value())
              .putIfPresent("name", organization.map(Organization::name))
              .put("role", member.role().wire())
              .build());
    }
    return new JsonArray(places);
  }
}
