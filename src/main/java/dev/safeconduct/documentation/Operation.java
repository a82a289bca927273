package dev.safeconduct.documentation;

import java.util.List;

/**
 * An operation of the contract as the reference shows it.
 *
 * @param id the contract's {@code operationId}, and the anchor on its page
 * @param method in upper case
 * @param about its description as HTML
 * @param access who may call it, in words
 * @param body the members of the request's body; empty without one
 * @param example a body it answers with, as indented JSON; empty without one
 */
public record Operation(
    String id,
    String method,
    String path,
    String summary,
    String about,
    String access,
    List<Field> parameters,
    List<Field> body,
    List<Answer> answers,
    String example) {
  public Operation {
    parameters = List.copyOf(parameters);
    body = List.copyOf(body);
    answers = List.copyOf(answers);
  }

  /**
   * A parameter, or a member of a body.
   *
   * @param where {@code path}, {@code query}, {@code header} or {@code body}
   * @param type in words: {@code string}, {@code list of string}
   * @param about its description as HTML
   */
  public record Field(String name, String where, String type, boolean required, String about) {}

  /**
   * A way it may be answered.
   *
   * @param about as HTML
   */
  public record Answer(String status, String about) {}
}
