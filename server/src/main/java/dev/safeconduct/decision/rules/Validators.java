package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import dev.safeconduct.decision.path.PathValidators;
import dev.safeconduct.decision.shell.ShellValidators;
import dev.safeconduct.decision.url.UrlValidators;
import java.util.HashMap;
import java.util.Map;

/** Every validator that packs may name. */
public final class Validators {
  private Validators() {}

  public static Map<String, Validator> all() {
    var all = new HashMap<String, Validator>();
    all.putAll(PathValidators.all());

    all.putAll(ShellValidators.all());
    all.putAll(UrlValidators.all());
    all.putAll(MessageValidators.all());
    all.putAll(DataValidators.all());
    all.putAll(CodeValidators.all());
    all.putAll(TaskValidators.all());
    all.putAll(AgentValidators.all());
    all.putAll(MoneyValidators.all());
    return Map.copyOf(all);
  }
}
