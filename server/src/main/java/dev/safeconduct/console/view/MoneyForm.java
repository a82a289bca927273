package dev.safeconduct.console.view;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a limit that has amounts for each currency. People read and write major units, for
 * example 19.99 USD; the limit holds minor units.
 */
public final class MoneyForm {
  private static final String CURRENCY = ":currency";
  private static final int MOST_ROWS = 50;

  /** The codes of the currencies of ISO 4217 that have a minor unit. */
  private static final Set<String> CODES =
      Currency.getAvailableCurrencies().stream()
          .filter(currency -> currency.getDefaultFractionDigits() >= 0)
          .map(Currency::getCurrencyCode)
          .collect(Collectors.toUnmodifiableSet());

  private MoneyForm() {}

  /**
   * The amounts in one currency.
   *
   * @param field the name of the field for the currency
   */
  public record Row(String field, String currency, List<Amount> amounts) {}

  /** An amount in major units. */
  public record Amount(String field, String label, String value) {}

  /** Returns whether the schema is of amounts for each currency. */
  static boolean isFor(JsonObject schema) {
    return schema.child("propertyNames").text("pattern").equals("^[A-Z]{3}$")
        && !members(schema).names().isEmpty();
  }

  private static JsonObject members(JsonObject schema) {
    return schema.child("additionalProperties").child("properties");
  }

  /** Returns whether the value has only known currencies and numbers. */
  static boolean canShow(JsonObject schema, @Nullable JsonValue value) {
    if (value == null) {
      return true;
    }
    if (!(value instanceof JsonObject currencies) || !CODES.containsAll(currencies.names())) {
      return false;
    }
    for (String code : currencies.names()) {
      if (!(currencies.get(code) instanceof JsonObject amounts)) {
        return false;
      }
      for (String name : amounts.names()) {
        if (!members(schema).has(name) || !(amounts.get(name) instanceof JsonNumber)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns a row for each currency of the value, and an empty one. */
  static List<Row> rows(String name, JsonObject schema, Optional<JsonObject> value) {
    var rows = new ArrayList<Row>();
    JsonObject currencies = value.orElse(JsonObject.EMPTY);
    for (String code : currencies.names()) {
      rows.add(row(name + ":" + rows.size(), code, schema, currencies.child(code)));
    }
    if (rows.size() < MOST_ROWS) {
      rows.add(row(name + ":" + rows.size(), "", schema, JsonObject.EMPTY));
    }
    return rows;
  }

  private static Row row(String field, String code, JsonObject schema, JsonObject amounts) {
    JsonObject members = members(schema);
    return new Row(
        field + CURRENCY,
        code,
        members.names().stream()
            .filter(name -> !isAlias(members.child(name)) || amounts.has(name))
            .map(name ->
                new Amount(
                    field + ":" + name,
                    Formats.sentence(Formats.words(name)),
                    amounts.get(name) instanceof JsonNumber(double number, _)
                        ? major(number, digits(code))
                        : ""))
            .toList());
  }

  private static boolean isAlias(JsonObject member) {
    return member.text("description").startsWith("Another name of");
  }

  private static int digits(String code) {
    return Currency.getInstance(code).getDefaultFractionDigits();
  }

  /**
   * Returns the limit that the fields describe; empty for no currency.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for an unknown currency, or an amount that
   *     is not valid
   */
  static JsonObject read(
      String field, String name, JsonObject schema, Function<String, Optional<String>> fields) {
    JsonObject.Builder read = JsonObject.builder();
    for (int i = 0; i < MOST_ROWS; i++) {
      String row = field + ":" + i;
      JsonObject.Builder amounts = JsonObject.builder();
      Optional<String> code = fields.apply(row + CURRENCY).map(Formats::upper);
      boolean some = false;
      for (String member : members(schema).names()) {
        Optional<String> text = fields.apply(row + ":" + member);
        if (text.isPresent()) {
          if (code.isEmpty()) {
            throw ProblemException.invalid(
                name,
                Formats.words(name) + ": choose the currency of " + Formats.words(member) + ".");
          }
          some = true;
          if (CODES.contains(code.get())) {
            amounts.put(member, minor(member, text.get(), digits(code.get()), code.get()));
          }
        }
      }
      if (code.isPresent() && !CODES.contains(code.get())) {
        throw ProblemException.invalid(
            name, Formats.clip(code.get(), 20) + " is not a currency code of ISO 4217.");
      }
      if (some && code.isPresent()) {
        read.put(code.get(), amounts.build());
      }
    }
    return read.build();
  }

  /** Returns whether the text is the code of a currency. */
  public static boolean isCurrency(String code) {
    return Currency.getAvailableCurrencies().stream()
        .anyMatch(each -> each.getCurrencyCode().equals(code));
  }

  /** Returns an amount of a currency in major units with its code, from minor units. */
  public static String amount(double minor, String currency) {
    return major(minor, digits(currency)) + " " + currency;
  }

  /** Returns the amount in major units. */
  static String major(double minor, int digits) {
    return BigDecimal.valueOf(minor).movePointLeft(digits).stripTrailingZeros().toPlainString();
  }

  /** Returns the amount in minor units. */
  static double minor(String name, String text, int digits, String currency) {
    try {
      BigDecimal minor = new BigDecimal(text.strip()).movePointRight(digits);
      if (text.length() <= 20 && minor.signum() >= 0 && minor.stripTrailingZeros().scale() <= 0) {
        return minor.doubleValue();
      }
    } catch (NumberFormatException _) {
      // The error is reported below.
    }
    throw ProblemException.invalid(
        name,
        Formats.words(name)
            + " must be an amount in "
            + currency
            + (digits == 0
                ? " without decimals."
                : " with at most " + digits + " decimals, for example 19.99."));
  }
}
