package dev.safeconduct.audit;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A requested export.
 *
 * @param by the requesting caller, as the audit log names callers
 * @param chosen the filter, as query parameters of the list of records
 * @param size the number of records in the log at the request; later ones are not included
 * @param reached the position up to which the log was read
 * @param records the number of records in the file, once it is complete
 * @param bytes the size of the file, once it is complete
 */
public record ExportJob(
    String id,
    OrgId org,
    String by,
    RecordExport.Format format,
    Map<String, String> chosen,
    long size,
    Instant startedAt,
    State state,
    long reached,
    long records,
    long bytes,
    Optional<Instant> finishedAt) {
  /** The state of an export. */
  public enum State {
    RUNNING,
    DONE,
    FAILED
  }

  public ExportJob {
    chosen = Map.copyOf(chosen);
  }

  /** Returns the progress, 0 to 100. */
  public int percent() {
    return state == State.DONE || size == 0 ? 100 : Math.clamp(100 * (reached + 1) / size, 0, 99);
  }

  /** Returns the selection of records for the manifest. */
  String selection() {
    var words = new ArrayList<String>();
    words.add(format.name().toLowerCase(Locale.ROOT));
    words.add("org_id=" + org.value());
    new TreeMap<>(chosen)
        .forEach((name, value) -> words.add(name + "=" + value.replaceAll("\\s", "_")));
    return String.join(" ", words);
  }

  ExportJob reached(long place) {
    return with(state, place, records, bytes, finishedAt);
  }

  ExportJob done(long written, long fileBytes, Instant at) {
    return with(State.DONE, size, written, fileBytes, Optional.of(at));
  }

  ExportJob failed(Instant at) {
    return with(State.FAILED, reached, records, bytes, Optional.of(at));
  }

  private ExportJob with(
      State newState, long place, long written, long fileBytes, Optional<Instant> at) {
    return new ExportJob(
        id, org, by, format, chosen, size, startedAt, newState, place, written, fileBytes, at);
  }

  JsonObject json() {
    JsonObject.Builder filter = JsonObject.builder();
    chosen.forEach(filter::put);
    JsonObject.Builder json =
        JsonObject.builder()
            .put("id", id)
            .put("org", org.value())
            .put("by", by)
            .put("format", format.name().toLowerCase(Locale.ROOT))
            .put("filter", filter.build())
            .put("size", size)
            .put("started_at", IsoInstant.millis(startedAt))
            .put("state", state.name())
            .put("records", records)
            .put("bytes", bytes);
    finishedAt.ifPresent(at -> json.put("finished_at", IsoInstant.millis(at)));
    return json.build();
  }

  /** Parses {@link #json}; empty for other text. */
  static Optional<ExportJob> parse(JsonObject json) {
    Optional<RecordExport.Format> format =
        json.string("format").flatMap(RecordExport.Format::parse);
    Optional<Instant> startedAt = json.string("started_at").flatMap(IsoInstant::parse);
    Optional<State> state = json.string("state").flatMap(ExportJob::state);
    if (format.isEmpty() || startedAt.isEmpty() || state.isEmpty()) {
      return Optional.empty();
    }
    var chosen = new LinkedHashMap<String, String>();
    JsonObject filter = json.object("filter").orElse(JsonObject.EMPTY);
    for (String name : filter.names()) {
      if (filter.get(name) instanceof JsonString(String text)) {
        chosen.put(name, text);
      }
    }
    return Optional.of(
        new ExportJob(
            json.string("id").orElse(""),
            new OrgId(json.string("org").orElse("")),
            json.string("by").orElse(""),
            format.get(),
            chosen,
            whole(json, "size"),
            startedAt.get(),
            state.get(),
            -1,
            whole(json, "records"),
            whole(json, "bytes"),
            json.string("finished_at").flatMap(IsoInstant::parse)));
  }

  private static Optional<State> state(String text) {
    return Arrays.stream(State.values()).filter(state -> state.name().equals(text)).findFirst();
  }

  private static long whole(JsonObject json, String name) {
    return json.get(name) instanceof JsonNumber(double number, _) ? (long) number : 0;
  }
}
