package dev.safeconduct.cli;

import dev.safeconduct.cli.JsonSource.Container;
import dev.safeconduct.cli.JsonSource.Item;
import dev.safeconduct.cli.JsonSource.Leaf;
import dev.safeconduct.cli.JsonSource.Node;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Hooks in a JSON file: members it must have, and an entry in each of some arrays. */
final class JsonHooks implements HookFormat {
  private record Entry(List<String> at, JsonValue entry) {
    JsonValue with(String command) {
      return AgentFiles.replaced(entry, text -> text.replace("{command}", command));
    }
  }

  /** A container on the way to a value, and the index of the item that leads there. */
  private record Step(Container container, int index) {}

  private final String agent;
  private final boolean comments;
  private final Map<String, JsonValue> members = new LinkedHashMap<>();
  private final List<Entry> entries = new ArrayList<>();

  JsonHooks(String agent, JsonObject form, boolean comments) {
    this.agent = agent;
    this.comments = comments;
    form.child("members").forEach(members::put);
    for (JsonObject entry : form.objects("entries")) {
      entries.add(new Entry(entry.texts("at"), entry.object("entry").orElseThrow()));
    }
  }

  @Override
  public String add(String text, String command) throws HookFault {
    String edited = text.isBlank() ? "{}\n" : text;
    for (Map.Entry<String, JsonValue> member : members.entrySet()) {
      Container root = read(edited);
      if (root.member(member.getKey()).isEmpty()) {
        edited = new JsonEdit(edited).append(root, member.getKey(), member.getValue());
      }
    }
    for (Entry entry : entries) {
      edited = added(edited, entry.at(), entry.with(command));
    }
    if (!holds(edited, command)) {
      throw new HookFault("the hook cannot be added safely: add it by hand");
    }
    return edited;
  }

  private String added(String text, List<String> at, JsonValue entry) throws HookFault {
    Container container = read(text);
    for (int i = 0; i < at.size(); i++) {
      Optional<Node> next = container.member(at.get(i));
      if (next.isEmpty()) {
        JsonValue value = JsonArray.of(entry);
        for (int rest = at.size() - 1; rest > i; rest--) {
          value = JsonObject.of(at.get(rest), value);
        }
        return new JsonEdit(text).append(container, at.get(i), value);
      }
      boolean array = i == at.size() - 1;
      if (!(next.get() instanceof Container inner) || inner.object() == array) {
        throw new HookFault(
            String.join(".", at.subList(0, i + 1))
                + (array ? " is not an array" : " is not an object"));
      }
      container = inner;
    }
    return new JsonEdit(text).append(container, entry);
  }

  @Override
  public String strip(String text) throws HookFault {
    String edited = text;
    while (true) {
      List<List<Step>> found = own(edited);
      if (found.isEmpty()) {
        return edited;
      }
      Step step = removed(found.getFirst());
      edited = new JsonEdit(edited).remove(step.container(), step.index());
    }
  }

  /** Returns what to remove for a command line: as much as would be left empty. */
  private static Step removed(List<Step> way) {
    int at = way.size() - 1;
    while (way.get(at).container().object()) {
      at--;
    }
    while (at > 0 && way.get(at).container().items().size() == 1) {
      at--;
      // A group of hooks goes with its last hook, whatever else the group says.
      if (at > 0 && way.get(at).container().object() && !way.get(at - 1).container().object()) {
        at--;
      }
    }
    return way.get(at);
  }

  @Override
  public boolean holds(String text, String command) throws HookFault {
    if (text.isBlank()) {
      return false;
    }
    Container root = read(text);
    int copies = 0;
    for (Entry entry : entries) {
      JsonValue wanted = entry.with(command);
      Optional<Node> at = Optional.of(root);
      for (String name : entry.at()) {
        at =
            at.flatMap(
                node -> node instanceof Container each ? each.member(name) : Optional.empty());
      }
      if (at.isEmpty()
          || !(JsonSource.value(at.get()) instanceof JsonArray array)
          || !array.elements().contains(wanted)) {
        return false;
      }
      copies++;
    }
    return own(text).size() == copies
        && members.keySet().stream().allMatch(name -> root.member(name).isPresent());
  }

  @Override
  public List<String> commands(String text) throws HookFault {
    return own(text).stream().map(way -> command(way).orElseThrow()).distinct().toList();
  }

  @Override
  public boolean hasCommand() {
    return !entries.isEmpty();
  }

  @Override
  public boolean isBare(String text) throws HookFault {
    return JsonSource.value(read(text)) instanceof JsonObject object
        && object.names().stream()
            .allMatch(name -> Objects.equals(object.get(name), members.get(name)));
  }

  /** Returns the ways to the command lines of this agent's hook. */
  private List<List<Step>> own(String text) throws HookFault {
    var found = new ArrayList<List<Step>>();
    if (!text.isBlank()) {
      search(List.of(), read(text), found);
    }
    return found;
  }

  private void search(List<Step> way, Container container, List<List<Step>> found) {
    for (int i = 0; i < container.items().size(); i++) {
      var next = new ArrayList<>(way);
      next.add(new Step(container, i));
      Node value = container.items().get(i).value();
      if (value instanceof Container inner) {
        search(next, inner, found);
      } else if (command(next).isPresent()
          && next.stream().anyMatch(step -> !step.container().object())) {
        found.add(next);
      }
    }
  }

  private Optional<String> command(List<Step> way) {
    Step last = way.getLast();
    Item item = last.container().items().get(last.index());
    return item.value() instanceof Leaf leaf
            && leaf.value() instanceof JsonString(String text)
            && HookCommandLine.isOf(agent, text)
        ? Optional.of(text)
        : Optional.empty();
  }

  private Container read(String text) throws HookFault {
    return JsonSource.read(text, comments);
  }
}
