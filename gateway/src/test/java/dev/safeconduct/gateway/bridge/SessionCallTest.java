package dev.safeconduct.gateway.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.bridge.SessionCall.Asked;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A call that was ended because too many wait, or for too long. */
final class SessionCallTest {
  private static final MessageMemory MEMORY = MessageMemory.unlimited();
  private static final Message CALL = Message.request(1, "tools/call", Map.of("name", "echo"));
  private static final Message FIRST = Message.request("e1", "elicitation/create", Map.of());
  private static final Message LATER = Message.request("e2", "elicitation/create", Map.of());

  @Test
  void nothingThatTheServerAsksStaysWithoutAnAnswer() {
    List<Message> toClient = new ArrayList<>();
    Map<String, SessionCall> waiting = new HashMap<>();
    var call = new SessionCall("bridge-1", CALL, toClient::add, false, waiting, MEMORY);
    assertThat(call.ask(FIRST, "state")).isEqualTo(Asked.NOW);
    assertThat(call.ask(LATER, "unused")).isEqualTo(Asked.LATER);
    assertThat(call.end()).containsExactly(FIRST, LATER);
    assertThat(call.end()).isEmpty();
    assertThat(call.ask(FIRST, "unused")).isEqualTo(Asked.REFUSED);
    assertThat(call.isWaitingForInput()).isFalse();
    assertThat(waiting).containsOnlyKeys("state");
    assertThat(toClient).hasSize(1);
  }

  /** Who ends calls that wait for long finds none that went on meanwhile. */
  @Test
  void aCallIsFoundOnlyWhileItsClientIsAsked() {
    List<Message> toClient = new ArrayList<>();
    Map<String, SessionCall> waiting = new HashMap<>();
    var call = new SessionCall("bridge-1", CALL, toClient::add, false, waiting, MEMORY);
    assertThat(call.ask(FIRST, "state")).isEqualTo(Asked.NOW);
    assertThat(call.ask(LATER, "unused")).isEqualTo(Asked.LATER);
    assertThat(waiting).containsOnlyKeys("state");
    Map<String, ?> answer = Map.of("input", Map.of("action", "accept"));
    for (String next : List.of("next", "unused")) {
      String state = next.equals("next") ? "state" : "next";
      assertThat(waiting.remove(state)).isSameAs(call);
      Message retry =
          Message.request(
              2,
              "tools/call",
              Map.of("name", "echo", "requestState", state, "inputResponses", answer));
      assertThat(call.isContinuedBy(retry)).isTrue();
      assertThat(call.goOn(retry, toClient::add, next)).isNotNull();
      assertThat(waiting.keySet()).isEqualTo(next.equals("next") ? Set.of("next") : Set.of());
    }
    assertThat(call.ask(FIRST, "again")).as("its client is there").isEqualTo(Asked.NOW);
  }

  /** The request's own part is given back while its client is asked. */
  @Test
  void aCallThatWaitsTakesItsPartOfTheMemoryUntilItEnds() {
    byte[] sent = CALL.bytes();
    var memory = new MessageMemory(2 * (sent.length + MessageMemory.sizeOfValues(sent)));
    Map<String, SessionCall> waiting = new HashMap<>();
    List<Message> toClient = new ArrayList<>();
    var one = new SessionCall("bridge-1", CALL, toClient::add, false, waiting, memory);
    assertThat(one.ask(FIRST, "one")).isEqualTo(Asked.NOW);
    assertThat(memory.taken()).isPositive();
    var two = new SessionCall("bridge-2", CALL, toClient::add, false, waiting, memory);
    assertThat(two.ask(FIRST, "two")).isEqualTo(Asked.NO_ROOM);
    assertThat(one.end()).containsExactly(FIRST);
    assertThat(memory.taken()).isZero();
    assertThat(two.ask(FIRST, "two")).isEqualTo(Asked.NOW);
    Message retry =
        Message.request(
            2,
            "tools/call",
            Map.of("name", "echo", "requestState", "two", "inputResponses", Map.of()));
    two.goOn(retry, toClient::add, "next");
    assertThat(memory.taken()).isPositive();
    assertThat(toClient).hasSize(3);
    two.answer(Message.result("bridge-2", Map.of()));
    two.goOn(retry, toClient::add, "unused");
    assertThat(toClient.getLast().result()).isEmpty();
    assertThat(memory.taken()).isZero();
  }
}
